"""Made-up traces of a wanted size: functions of ops that read the values of other ops."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator

from tlcourse.records import PassTrace, Snapshot

_NAMES = ("hivm.hir.load", "hivm.hir.vadd", "memref.subview", "arith.addi", "hivm.hir.vexp")
_FUNCTIONS = 8
_Op = tuple[int, str, list[int]]  # which one, its name, the ops that it reads


class MadeIr:
    """A program that passes change. Its values are numbered through, as MLIR does it.

    Args:
        ops: number of ops in each of the eight functions.
    """

    def __init__(self, ops: int = 60) -> None:
        self._random = random.Random(0)
        self._count = 0
        self._functions: list[list[_Op]] = [[] for _ in range(_FUNCTIONS)]
        for function in self._functions:
            while len(function) < ops:
                self._insert(function, len(function))

    def change(self) -> None:
        """One op more and one less; who read that one reads what it had read."""
        function = self._random.choice(self._functions)
        self._insert(function, self._random.randrange(len(function)))
        gone, _, read = function.pop(self._random.randrange(len(function)))
        for _, _, values in function:
            if gone in values:
                values[:] = [*(one for one in values if one != gone), *read][:2]

    def text(self) -> str:
        """The program as IR."""
        return "\n".join(["module {", *self._lines(), "}"])

    def _insert(self, function: list[_Op], place: int) -> None:
        """A new op that reads two of those before it."""
        read = [one for one, _, _ in function[max(0, place - 30) : place]]
        self._count += 1
        name, chosen = self._random.choice(_NAMES), self._random.sample(read, min(2, len(read)))
        function.insert(place, (self._count, name, chosen))

    def _lines(self) -> Iterator[str]:
        for number, function in enumerate(self._functions):
            yield f"  func.func @f{number}(%arg0: memref<1024xf16>) {{"
            numbers = {one: k for k, (one, _, _) in enumerate(function)}
            for k, (_, name, values) in enumerate(function):
                read = ", ".join(f"%{numbers[one]}" for one in values) or "%arg0"
                yield f"    %{k} = {name} {read} : memref<16x64xf16>"
            yield "  }"


def made_trace(*, ops: int, passes: int, every: int, changes: int) -> PassTrace:
    """A trace of passes that change a made-up program.

    Args:
        ops: number of ops in each of the eight functions.
        passes: how many passes run.
        every: each pass of this number changes the program, the first one included.
        changes: how many ops such a pass puts in and takes out.
    """
    program, texts = MadeIr(ops), dict[str, str]()
    snapshots: list[Snapshot] = []
    for index in range(passes + 1):
        changed = index == 0 or (index - 1) % every == 0
        for _ in range(changes if index and changed else 0):
            program.change()
        text = program.text()
        text_id = hashlib.sha256(text.encode()).hexdigest()[:12]
        texts[text_id] = text
        name, status = (f"pass-{index}", "changed" if changed else "unchanged")
        snapshots.append(
            Snapshot(
                index=index,
                phase="npuir",
                pass_name=name if index else "input",
                status=status,
                text_id=text_id,
            )
        )
    return PassTrace(
        kernel="made", mode="MLIR", target="npuir", texts=texts, snapshots=tuple(snapshots)
    )
