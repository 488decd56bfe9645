"""Random programs on tiles in UB: loops that carry tiles, branches that yield them, views.

Every program loads what it reads, so that its numbers are known whatever memory holds before,
and stores what it has made, so that a tile that was lost shows. Like the programs that come from
tensors it never writes a tile that it also reads under another name.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from hypothesis import strategies as st

CELLS = 64
OPS = ("vadd", "vsub", "vmax")
KINDS = ("load", "load", "compute", "compute", "compute", "parts", "store", "loop", "loop", "if")
# Elements of a tile: some programs fit in a row, some only if tiles share bytes.
LENGTHS = (1024, 4096, 8192)


def tile(length: int) -> str:
    return f"memref<{length}xf32, #hivm.address_space<ub>>"


def half(length: int, offset: int) -> str:
    place = f"strided<[1], offset: {offset}>" if offset else "strided<[1]>"
    return f"memref<{length // 2}xf32, {place}, #hivm.address_space<ub>>"


@dataclass
class Writer:
    """Writes one program; `rng` makes its choices."""

    rng: random.Random
    length: int
    statements: int
    lines: list[str] = field(default_factory=list)
    count: int = 0
    stores: int = 0
    accumulators: list[str] = field(default_factory=list)
    writable: list[str] = field(default_factory=list)
    shared: set[str] = field(default_factory=set)
    fresh: list[str] = field(default_factory=list)

    def pick(self, values):
        return self.rng.choice(list(values))

    def number(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def add(self, line: str) -> None:
        self.lines.append(line)

    def alloc(self, *, may_double: bool) -> str:
        name = self.name()
        self.add(f"{name} = memref.alloc() : {tile(self.length)}")
        if may_double and self.number(0, 2) == 0:
            self.add(
                f"annotation.mark {name} {{hivm.multi_buffer = 2 : i32}} : {tile(self.length)}"
            )
        return name

    def gm(self, tensor: str, index: str) -> tuple[str, str]:
        kind = f"memref<{self.length}xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>"
        name = self.name()
        self.add(
            f"{name} = memref.subview {tensor}[{index}] [{self.length}] [1] : "
            f"memref<{CELLS * 8192}xf32, strided<[1]>, #hivm.address_space<gm>> to {kind}"
        )
        return name, kind

    def load(self, *, in_loop: bool) -> str:
        name = self.alloc(may_double=in_loop)
        source, kind = self.gm("%in", f"%at{self.number(0, CELLS - 1)}")
        self.add(f"hivm.hir.load ins({source} : {kind}) outs({name} : {tile(self.length)})")
        return name

    def store(self, name: str) -> None:
        if self.stores < CELLS:
            target, kind = self.gm("%out", f"%at{self.stores}")
            self.stores += 1
            self.add(f"hivm.hir.store ins({name} : {tile(self.length)}) outs({target} : {kind})")

    def source(self, filled: list[str]) -> str:
        """A filled tile, more often one of the last."""
        return self.pick(filled[-4:] if self.number(0, 2) else [*filled, *self.accumulators])

    def compute(self, filled: list[str], *, in_loop: bool) -> list[str]:
        """Fills a new tile, which it returns, or writes one over."""
        left, right, op = self.source(filled), self.source(filled), self.pick(OPS)
        # A tile with a second name is not written any more.
        old = [*(set(self.writable) - self.shared), *self.accumulators]
        old.sort()
        fresh = self.number(0, 3) > 0 or not old
        result = self.alloc(may_double=in_loop) if fresh else self.pick(old)
        if fresh:
            self.writable.append(result)
        kinds = ", ".join([tile(self.length)] * 2)
        self.add(
            f"hivm.hir.{op} ins({left}, {right} : {kinds}) outs({result} : {tile(self.length)})"
        )
        return [result] if fresh else []

    def parts(self, filled: list[str]) -> str:
        """A new tile from halves of others, one half at a time."""
        result = self.alloc(may_double=False)
        for offset in (0, self.length // 2):
            kinds, names = [], []
            for whole in (self.source(filled), self.source(filled), result):
                shift = self.pick((0, self.length // 2)) if whole != result else offset
                kind, name = half(self.length, shift), self.name()
                self.add(
                    f"{name} = memref.subview {whole}[{shift}] [{self.length // 2}] [1] : "
                    f"{tile(self.length)} to {kind}"
                )
                kinds.append(kind)
                names.append(name)
            self.add(
                f"hivm.hir.{self.pick(OPS)} ins({names[0]}, {names[1]} : {kinds[0]}, {kinds[1]}) "
                f"outs({names[2]} : {kinds[2]})"
            )
        return result

    def loop(self, filled: list[str], depth: int) -> list[str]:
        is_own = self.number(0, 2) == 0
        if is_own:  # Nobody else knows the tile, so the loop may write it where it lies.
            carried = [self.load(in_loop=False)]
        else:
            carried = [self.pick(filled) for _ in range(self.pick((0, 1, 1, 2, 2)))]
        self.shared.update(carried)
        index, results = self.name(), [self.name() for _ in carried]
        arguments = [self.name() for _ in carried]
        kinds = ", ".join([tile(self.length)] * len(carried))
        head = f"scf.for {index} = %c0 to %c{self.pick((1, 2, 3, 3))} step %c1"
        if carried:
            pairs = ", ".join(f"{a} = {c}" for a, c in zip(arguments, carried, strict=True))
            head = f"{', '.join(results)} = {head} iter_args({pairs}) -> ({kinds})"
        self.add(head + " : i32 {")
        inner = self.block(
            [*filled, *arguments], depth + 1, index, arguments if is_own else [], in_loop=True
        )
        if carried:
            last = self.chosen(inner, len(filled), len(carried))
            if is_own:
                last = [self.pick([*arguments, *self.fresh])]
            self.shared.update(last)
            self.add(f"scf.yield {', '.join(last)} : {kinds}")
        self.add("}")
        return results

    def chosen(self, inner: list[str], outer: int, count: int) -> list[str]:
        """What a block yields: mostly tiles of its own."""
        own = inner[outer:] or inner
        return [self.pick(own if self.number(0, 3) else inner) for _ in range(count)]

    def branch(self, filled: list[str], depth: int, index: str, *, in_loop: bool) -> list[str]:
        condition = self.name()
        self.add(f"{condition} = arith.cmpi sgt, {index}, %c0 : i32")
        result = [self.name()] if self.number(0, 1) else []
        kind = tile(self.length)
        self.add(
            f"{result[0]} = scf.if {condition} -> ({kind}) {{"
            if result
            else f"scf.if {condition} {{"
        )
        for is_last in (False, True) if result else (True,):
            inner = self.block(filled, depth + 1, index, [], in_loop=in_loop)
            if result:
                last = self.chosen(inner, len(filled), 1)
                self.shared.update(last)
                self.add(f"scf.yield {last[0]} : {kind}")
            self.add("}" if is_last else "} else {")
        return result

    def block(
        self,
        outer: list[str],
        depth: int,
        index: str,
        writable: list[str],
        *,
        in_loop: bool = False,
    ) -> list[str]:
        filled, kept, self.writable = list(outer), self.writable, list(writable)
        for _ in range(self.number(2, max(self.statements - 2 * depth, 2))):
            kind = self.pick(KINDS)
            if kind == "load" or not filled:
                filled.append(self.load(in_loop=in_loop))
            elif kind == "compute":
                filled += self.compute(filled, in_loop=in_loop)
            elif kind == "parts":
                filled.append(self.parts(filled))
            elif kind == "loop" and depth < 2:
                filled += self.loop(filled, depth)
            elif kind == "if" and depth < 2:
                filled += self.branch(filled, depth, index, in_loop=in_loop)
            else:
                self.store(self.pick(filled))
        self.writable, self.fresh = kept, [n for n in self.writable if n not in writable]
        return filled


def program(seed: int, statements: int) -> str:
    rng = random.Random(seed)
    writer = Writer(rng, rng.choice(LENGTHS), statements)
    writer.accumulators = [writer.load(in_loop=False)]
    filled = writer.block([], 0, "%c0", [])
    for name in [*writer.accumulators, *filled[-12:]]:
        writer.store(name)
    body = "\n    ".join(writer.lines)
    flat = "memref<?xf32, #hivm.address_space<gm>>"
    whole = f"memref<{CELLS * 8192}xf32, strided<[1]>, #hivm.address_space<gm>>"
    starts = "\n    ".join(
        f"%at{i} = arith.constant {i * writer.length} : index"
        for i in range(CELLS)
        if f"%at{i}]" in body
    )
    views = "\n    ".join(
        f"%{name} = memref.reinterpret_cast %{name}_all to offset: [0], "
        f"sizes: [{CELLS * 8192}], strides: [1] : {flat} to {whole}"
        for name in ("in", "out")
    )
    numbers = "\n    ".join(f"%c{i} = arith.constant {i} : i32" for i in range(4))
    return f"""module {{
  func.func @k(%f: i64, %l: memref<?xi8>, %w: memref<?xi8>, %in_all: {flat}, %out_all: {flat})
      attributes {{hacc.function_kind = #hacc.function_kind<DEVICE>,
      hivm.func_core_type = #hivm.func_core_type<AIV>}} {{
    {numbers}
    {starts}
    {views}
    {body}
    return
  }}
}}"""


programs = st.builds(program, st.integers(0, 2**32 - 1), st.integers(2, 9))
