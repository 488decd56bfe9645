"""From an instruction of executable HIVM to what the hardware makes of it.

A vector op becomes instructions of at most 255 repeats of 256 bytes. Rows that do not lie
behind each other are taken in strips: one instruction covers 256 bytes of up to 255 rows, so
a row of 600 bytes needs three, the last one mostly masked. A DMA moves contiguous segments.
"""

from __future__ import annotations

from math import prod

from tlcourse.simulator.cycles.stream import Shape
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.tile import Tile

REPEAT_BYTES = 256
MOST_REPEATS = 255
LINE_BYTES = 512
# Terms of a product that the cube adds in one step, by bytes of an element.
_K_STEP = {1: 32, 2: 16, 4: 4}


def vector_shape(instruction: Instruction) -> Shape:
    """The repeats and instructions of a vector op, or the elements of a scalar loop."""
    cost_class = instruction.site.cost_class
    tiles = [*instruction.reads, *instruction.writes]
    widest = max(tiles, key=lambda tile: tile.size_bytes, default=None)
    if widest is None or widest.elements == 0:
        return Shape(kind="vector", cost_class=cost_class)
    elements, dtype = widest.elements, widest.dtype
    if cost_class == "scalar":
        return Shape(
            kind="vector",
            cost_class=cost_class,
            elements=elements,
            operations=elements,
            dtype=dtype,
        )
    rows, outer, row_bytes = _rows(widest, tiles)
    strips = -(-row_bytes // REPEAT_BYTES)
    if rows == 1:
        repeats, instructions = strips, outer * -(-strips // MOST_REPEATS)
    else:
        repeats, instructions = strips * rows, strips * outer * -(-rows // MOST_REPEATS)
    return Shape(
        kind="vector",
        cost_class=cost_class,
        instructions=instructions,
        repeats=repeats * outer,
        operations=elements,
        dtype=dtype,
    )


def _rows(widest: Tile, tiles: list[Tile]) -> tuple[int, int, int]:
    """Rows that one instruction can step over, how often that is done, bytes of a row."""
    rows, outer = 1, 1
    for tile in tiles:
        loops = [count for count, _ in tile.layout().loops]
        if tile.elements == widest.elements and loops and prod(loops) > rows * outer:
            rows, outer = loops[-1], prod(loops[:-1])
    spread = _spread_rows(widest, tiles)
    if spread > rows * outer:
        rows, outer = spread, 1
    return rows, outer, -(-widest.size_bytes // (rows * outer))


def _spread_rows(widest: Tile, tiles: list[Tile]) -> int:
    """Rows of an op that has one number for each row of another operand."""
    rank = len(widest.sizes)
    if rank < 2 or widest.sizes[-1] == 1:
        return 1
    rows = prod(widest.sizes[:-1])
    per_row = (t for t in tiles if len(t.sizes) == rank and t.sizes[-1] == 1)
    return rows if any(t.elements == rows > 1 for t in per_row) else 1


def dma_shape(instruction: Instruction, tensor: int) -> Shape:
    """Bytes and segments of a transfer between GM and a core."""
    gm = next(t for t in (*instruction.writes, *instruction.reads) if t.memory.space == "gm")
    chip = [t for t in (*instruction.reads, *instruction.writes) if t.memory.space != "gm"]
    kind = instruction.site.kind
    if kind == "nd2nz":
        segments = _nd2nz_segments(gm)
    else:
        segments = max([gm.layout().runs, *(t.layout().runs for t in chip if t.width)])
    loops = gm.layout().loops
    return Shape(
        kind=kind,
        core=instruction.core.kind,
        instructions=max(1, prod(count for count, _ in loops[:-1])),
        bytes=gm.size_bytes,
        segments=segments,
        aligned=_is_aligned(gm),
        tensor=tensor,
        writes=any(tile is gm for tile in instruction.writes),
    )


def fixpipe_shape(instruction: Instruction, tensor: int) -> Shape:
    """L0C or L1 to GM: bytes on both sides, and rows of the result."""
    target, source = instruction.writes[0], instruction.reads[0]
    return Shape(
        kind="fixpipe",
        core="cube",
        bytes=target.size_bytes,
        source_bytes=source.width * target.elements,
        segments=target.layout().runs,
        aligned=_is_aligned(target),
        tensor=tensor,
        writes=True,
    )


def scalar_shape(instruction: Instruction) -> Shape:
    """The scalar unit reads or writes one element, or does nothing but go on."""
    tiles = (*instruction.reads, *instruction.writes)
    if not tiles:
        return Shape(kind="", core=instruction.core.kind)
    in_gm = any(tile.memory.space == "gm" for tile in tiles)
    return Shape(kind="scalar", cost_class="gm" if in_gm else "chip", core=instruction.core.kind)


def product_cycles(m: int, k: int, n: int, width: int) -> int:
    """One cycle for 16 x 16 results and one step of k."""
    return -(-m // 16) * -(-n // 16) * -(-k // _K_STEP[width])


def k_step(width: int) -> int:
    """Terms that the cube adds in one step."""
    return _K_STEP[width]


def _nd2nz_segments(gm: Tile) -> int:
    """Rows: each is laid out anew, also where they lie behind each other."""
    return max(gm.layout().runs, prod(gm.sizes[:-1]))


def _is_aligned(gm: Tile) -> bool:
    layout = gm.layout()
    return layout.start_bytes % LINE_BYTES == 0 and all(
        step % LINE_BYTES == 0 for _, step in layout.loops
    )
