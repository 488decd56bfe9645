"""Watches a second run of a launch, op by op, for the statement that makes inf or NaN first.

What a kernel stores by name, as the -inf of a mask, is meant and not reported.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from types import FrameType
from typing import Any, cast

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tlcourse.diagnostics import TLError
from tlcourse.functional import faults
from tlcourse.functional.arguments import Argument
from tlcourse.functional.launch import Launch, StopLaunch
from tlcourse.functional.loading import FILE, place_at
from tlcourse.nonfinite import CODE, is_left_in, words, worst
from tlcourse.records import Finding, Program

# Watched ops cost about 50 us: a launch is watched for a second or two at most.
_OPS = 30_000
_NAMED = re.compile(r"\b(inf|nan)\b")
# This makes a tensor of a Python number.
_FROM_PYTHON = "aten::lift_fresh"
# These replace what is in their first argument without reading it.
_OVERWRITE = ("aten::copy_", "aten::fill_", "aten::zero_")


@dataclass(frozen=True, kw_only=True)
class Start:
    """What a second run needs: the arguments, with tensors that the kernel updates copied."""

    arguments: tuple[Argument, ...]
    written: frozenset[int]


def start_of(program: Program, arguments: Sequence[Argument]) -> Start | None:
    """Remembers the arguments of a launch; None where it is not known which it writes."""
    if not {"written", "read"} <= program.options.keys():
        return None
    names = [parameter.name for parameter in program.signature.parameters]
    written = frozenset(names.index(name) for name in program.options["written"])
    updated = written & {names.index(name) for name in program.options["read"]}
    return Start(arguments=_copied(arguments, updated), written=written)


def first_of(
    launch: Launch,
    start: Start,
    arguments: Sequence[Argument],
    run: Callable[[Launch, Sequence[Argument]], None],
) -> None:
    """Adds the finding TL509 where outputs hold inf or NaN that a statement made.

    Args:
        launch: the launch that has ended.
        start: its arguments as they were in front of it.
        arguments: its arguments now.
        run: runs a launch, block by block.
    """
    names = [parameter.name for parameter in launch.program.signature.parameters]
    bad = [names[i] for i in sorted(start.written) if is_left_in(arguments[i])]
    if not bad:
        return
    again = Launch(program=launch.program, grid=launch.grid, step_limit=launch.step_limit)
    copies = _copied(start.arguments, start.written)
    try:
        # T.print has printed already.
        with _Watch() as watch, redirect_stdout(StringIO()):
            run(again, copies)
        watch.judge()
    except _Arisen as arisen:
        launch.findings.append(_finding(again, arisen, bad))
    except (StopLaunch, TLError, _GiveUp):
        # The launch itself came to its end; that it cannot be watched is no fault of the kernel.
        return


def _finding(launch: Launch, arisen: _Arisen, outputs: Sequence[str]) -> Finding:
    where = faults.Where(
        program=launch.program, agent=launch.agent, place=arisen.place, block=launch.block
    )
    what, why, fix, label = words(arisen.kind, arisen.dtype, where.text, outputs)
    labels = faults.labels_at(launch.program, (arisen.place, label))
    return faults.finding(where, CODE, what, why=why, fix=fix, labels=labels, severity="warning")


def _copied(arguments: Sequence[Argument], which: frozenset[int]) -> tuple[Argument, ...]:
    return tuple(
        argument.clone() if i in which and isinstance(argument, torch.Tensor) else argument
        for i, argument in enumerate(arguments)
    )


class _GiveUp(Exception):
    """The launch is too long to be watched to its end."""


class _Arisen(Exception):
    """A statement made inf or NaN from better numbers."""

    def __init__(self, place: int, kind: int, dtype: torch.dtype) -> None:
        super().__init__(kind)
        self.place, self.kind, self.dtype = place, kind, dtype


class _Watch(TorchDispatchMode):
    """Compares what each statement reads with what it leaves behind.

    A statement is an op that a line of the generated code calls itself, or all ops of a helper
    that it calls.
    """

    def __init__(self) -> None:
        super().__init__()
        self._ops = 0
        self._call: FrameType | None = None
        self._line = ""
        self._read, self._left, self._dtype = 0, 0, torch.float32
        self._made = set[int]()
        self._number = -1
        self._known = 0

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = {**dict(enumerate(args)), **(kwargs or {})}
        if _is_view(func) or not _tensors(given.values()):
            return func(*args, **(kwargs or {}))
        if func._schema.name == _FROM_PYTHON:
            self._number = _storage(args[0])
            return func(*args, **(kwargs or {}))
        self._enter(inspect.currentframe())
        replaced = ("out", 0) if func._schema.name in _OVERWRITE else ("out",)
        read = [value for key, value in given.items() if key not in replaced]
        self._read = max(self._read, self._worst(_tensors(read)))
        result = func(*args, **(kwargs or {}))
        for tensor in _tensors([result]):
            self._made.add(_storage(tensor))
            self._left, self._dtype = worst(tensor), tensor.dtype
        self._known = max(self._known, self._read, self._left)
        return result

    def _worst(self, sources: Sequence[torch.Tensor]) -> int:
        """The worst number among those that the statement has not made itself.

        A Python number may be one that scalar code has loaded: it counts as the worst before.
        """
        if not sources or any(_storage(tensor) == self._number for tensor in sources):
            return self._known
        return max(worst(t) if _storage(t) not in self._made else 0 for t in sources)

    def _enter(self, frame: FrameType | None) -> None:
        """Ends one statement and begins the next where the op belongs to another call."""
        call, line = _call_of(frame)
        if call is self._call:
            return
        self.judge()
        self._ops += 1
        if self._ops > _OPS:
            raise _GiveUp
        self._call, self._line = call, line
        self._read, self._left, self._made = 0, 0, set[int]()

    def judge(self) -> None:
        """Raises where the statement that has just ended made inf or NaN."""
        place = place_at(self._line)
        if self._left > self._read and place >= 0 and not _NAMED.search(self._line):
            raise _Arisen(place, self._left, self._dtype)


def _call_of(frame: FrameType | None) -> tuple[FrameType | None, str]:
    """The call that a line of the generated code is making, and the line."""
    call = frame
    while frame is not None and frame.f_code.co_filename != FILE:
        call, frame = frame, frame.f_back
    if frame is None:
        return None, ""
    return call, frame.f_globals["__source__"].splitlines()[frame.f_lineno - 1]


def _is_view(func: Any) -> bool:
    arguments = func._schema.arguments
    alias = arguments[0].alias_info if arguments else None
    return alias is not None and not alias.is_write and func._schema.name != _FROM_PYTHON


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _tensors(values: Iterable[object]) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, (tuple, list)):
            found += _tensors(cast(Sequence[object], value))
    return found
