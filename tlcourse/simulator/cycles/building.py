"""From issued instructions to a stream of plain numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tlcourse.simulator.core import Core
from tlcourse.simulator.cycles import lowering
from tlcourse.simulator.cycles.stream import CoreStream, Shape, Stream, Work
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.sync import Token
from tlcourse.simulator.tile import Tile

# While the cube works on one part of L0, MTE1 fills the other.
_L0_PARTS = 2


class ShapeTable:
    """Shapes, each once."""

    def __init__(self) -> None:
        self._found: dict[Shape, int] = {}

    def place(self, shape: Shape) -> int:
        """The position of a shape."""
        return self._found.setdefault(shape, len(self._found))

    def shapes(self) -> tuple[Shape, ...]:
        """All shapes in order."""
        return tuple(self._found)


@dataclass(frozen=True, kw_only=True)
class Product:
    """The parts of one matrix product: its loads into L0 and the multiplication."""

    loads: tuple[Instruction, Instruction]
    multiply: Instruction


class StreamBuilder:
    """Builds the stream of the cores of one machine.

    Args:
        shapes: table that all streams of a launch share.
        tensors: place of each memory in GM, by its id.
        l0_bytes: capacity of L0A and of L0B.
    """

    def __init__(self, shapes: ShapeTable, tensors: Mapping[int, int], l0_bytes: int) -> None:
        self._shapes = shapes
        self._tensors = tensors
        self._half_bytes = l0_bytes // _L0_PARTS
        self._raises: list[str] = []
        self._place_of: dict[int, int] = {}
        self._free: list[int] = []

    def stream(self, issued: Sequence[tuple[Core, Sequence[Instruction]]], slots: int) -> Stream:
        """The stream of cores and what each issued, in order."""
        cores = tuple(
            CoreStream(name=core.name, block=core.block, works=tuple(self._works(instructions)))
            for core, instructions in issued
        )
        return Stream(cores=cores, raises=tuple(self._raises), slots=slots)

    def _works(self, instructions: Sequence[Instruction]) -> Iterator[Work]:
        self._free = []
        loads: list[Instruction] = []
        for instruction in instructions:
            kind = instruction.site.kind
            if kind == "l0":
                loads.append(instruction)
            elif kind == "mmad":
                first, second = loads
                yield from self._product(Product(loads=(first, second), multiply=instruction))
                loads = []
            else:
                yield self._work(instruction)

    def _work(self, instruction: Instruction) -> Work:
        return Work(
            pipe=instruction.pipe.name,
            site=instruction.site.index,
            shape=self._shapes.place(self._shape(instruction)),
            waits=tuple(self._raise(token) for token in instruction.waits),
            sets=tuple(self._raise(token) for token in instruction.sets),
            barrier=instruction.barrier,
        )

    def _shape(self, instruction: Instruction) -> Shape:
        if instruction.pipe.name != instruction.site.pipe:
            return Shape(kind="", instructions=0)  # the part of a barrier that drains a pipe
        match instruction.site.kind:
            case "vector":
                return lowering.vector_shape(instruction)
            case "dma" | "nd2nz":
                return lowering.dma_shape(instruction, self._tensor(instruction))
            case "fixpipe":
                return lowering.fixpipe_shape(instruction, self._tensor(instruction))
            case _:
                return lowering.scalar_shape(instruction)

    def _tensor(self, instruction: Instruction) -> int:
        tiles = (*instruction.writes, *instruction.reads)
        gm = next(tile for tile in tiles if tile.memory.space == "gm")
        return self._tensors.get(id(gm.memory), -1)

    def _raise(self, token: Token) -> int:
        """The number of a raise; each is met twice, at the set and at the wait."""
        place = self._place_of.get(id(token))
        if place is None:
            place = self._place_of[id(token)] = self._new_raise(_kind_of(token))
        return place

    def _new_raise(self, kind: str) -> int:
        self._raises.append(kind)
        return len(self._raises) - 1

    def _product(self, product: Product) -> Iterator[Work]:
        """The loads and the multiplication in parts that fit half of L0, one behind the other."""
        _, m, k, n = (int(v) for v in product.multiply.operands if not isinstance(v, Tile))
        left, right = (load.reads[0] for load in product.loads)
        width = left.width
        parts = max(1, *(-(-tile.size_bytes // self._half_bytes) for tile in (left, right)))
        step = lowering.k_step(width)
        steps = _split(-(-k // step), parts)
        lefts, rights = _split(left.size_bytes, parts), _split(right.size_bytes, parts)
        each = lowering.product_cycles(m, step, n, width)
        done = 0
        for i in range(parts):
            waits = [self._free[-_L0_PARTS]] if len(self._free) >= _L0_PARTS else []
            first, last = i == 0, i == parts - 1
            links: list[int] = []
            for load, side, moved in zip(product.loads, "ab", (lefts[i], rights[i]), strict=True):
                shape = Shape(kind="l0", cost_class=side, core="cube", bytes=moved)
                links.append(self._new_raise("link"))
                flags = [self._raise(t) for t in load.waits] if first else []
                frees = [self._raise(t) for t in load.sets[1:]] if last else []
                yield self._part(load, shape, (*flags, *waits), (links[-1], *frees))
            terms = min(k - done, steps[i] * step)
            done += terms
            shape = Shape(
                kind="mmad",
                core="cube",
                repeats=each * steps[i],
                operations=2 * m * n * terms,
                dtype=left.dtype,
            )
            self._free.append(self._new_raise("link"))
            yield self._part(product.multiply, shape, tuple(links), (self._free[-1],))

    def _part(
        self, instruction: Instruction, shape: Shape, waits: tuple[int, ...], sets: tuple[int, ...]
    ) -> Work:
        return Work(
            pipe=instruction.pipe.name,
            site=instruction.site.index,
            shape=self._shapes.place(shape),
            waits=waits,
            sets=sets,
        )


def _kind_of(token: Token) -> str:
    if token.flag is None:
        return "drain"
    return "cross" if token.flag.key.is_between_cores else "flag"


def _split(total: int, parts: int) -> list[int]:
    """A total in nearly equal parts, the larger ones first."""
    each, rest = divmod(total, parts)
    return [each + (i < rest) for i in range(parts)]


def with_block(stream: Stream, block: int) -> Stream:
    """The stream under the number of another block of its class."""
    return replace(stream, cores=tuple(replace(core, block=block) for core in stream.cores))
