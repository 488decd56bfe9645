"""T.gemm: the matrix unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from tlcourse.dialects import tl
from tlcourse.language.affine import Index
from tlcourse.language.buffers import Region, describe, known
from tlcourse.language.builder import builder
from tlcourse.language.calls import statement
from tlcourse.language.regions import Operand, operand, shape_text, sized, sizes, tile
from tlcourse.language.scalar import is_operand, to_expr

# (dtype of A and B, dtype of C): what the matrix unit multiplies and accumulates.
DTYPES = (
    ("float16", "float32"),
    ("bfloat16", "float32"),
    ("float32", "float32"),
    ("int8", "int32"),
)
_SPACES = {"A": ("L1",), "B": ("L1",), "C": ("L0C",)}


@dataclass(frozen=True, kw_only=True)
class _Tiles:
    a: Region
    b: Region
    c: Region
    a_transpose: bool
    b_transpose: bool


@statement
def gemm(
    A: object,
    B: object,
    C: object,
    size: object = None,
    initC: object = False,
    a_transpose: bool = False,
    b_transpose: bool = False,
) -> None:
    """C = A @ B where initC is true, else C += A @ B: `T.gemm(a, b, acc, initC=(k == 0))`.

    Args:
        A: tile [M, K], [K, M] if a_transpose; float16, bfloat16, float32 or int8; in L1 in
            Expert form.
        B: tile [K, N], [N, K] if b_transpose; of A's dtype; in L1 in Expert form.
        C: tile [M, N]; float32, or int32 for int8; in L0C in Expert form.
        size: [m, k, n], the part to multiply, from each operand's origin or slice's start.
        initC: whether C starts from 0; a bool or a condition.
        a_transpose: whether A is stored as [K, M].
        b_transpose: whether B is stored as [N, K].

    Raises:
        TL121: an operand is no tile.
        TL124: the matrix unit does not take the dtypes.
        TL132: the shapes do not fit.
        TL203: an operand stands in a memory that the matrix unit does not reach.
    """
    a, b, c = (operand(value, name) for value, name in ((A, "A"), (B, "B"), (C, "C")))
    if size is None:
        regions = tile(a, "A"), tile(b, "B"), tile(c, "C")
    else:
        regions = _with_size(a, b, c, sizes(size), a_transpose, b_transpose)
    tiles = _Tiles(
        a=regions[0],
        b=regions[1],
        c=regions[2],
        a_transpose=a_transpose,
        b_transpose=b_transpose,
    )
    _check_dtypes(tiles)
    _check_spaces(tiles)
    _check_shapes(tiles)
    _emit(tiles, _init(initC))


npuir_dot = gemm


def _emit(tiles: _Tiles, init: SSAValue) -> None:
    builder().emit(
        tl.GemmOp(
            tiles.a.tile(),
            tiles.b.tile(),
            init,
            tiles.c.tile(),
            a_transpose=tiles.a_transpose,
            b_transpose=tiles.b_transpose,
        )
    )


def _init(value: object) -> SSAValue:
    if is_operand(value):
        return to_expr(value, "bool").value
    raise builder().fail(
        "TL125",
        f"`initC` is {describe(value)}, not a condition",
        why="it says whether C starts from 0",
        fix="write initC=True, initC=False or initC=(k == 0)",
        at={"initC": ""},
    )


def _with_size(
    a: Operand,
    b: Operand,
    c: Operand,
    size: Sequence[Index],
    a_transpose: bool,
    b_transpose: bool,
) -> tuple[Region, Region, Region]:
    if len(size) != 3:
        raise builder().fail(
            "TL132",
            f"`size` of T.gemm has {len(size)} entries",
            why="it holds the rows of A, the common extent and the columns of B",
            fix="write size=[m, k, n]",
            at={"size": ""},
        )
    m, k, n = size
    return (
        sized(a, (k, m) if a_transpose else (m, k), "A", slices=True),
        sized(b, (n, k) if b_transpose else (k, n), "B", slices=True),
        sized(c, (m, n), "C", slices=True),
    )


def _check_dtypes(tiles: _Tiles) -> None:
    found = (tiles.a.dtype, tiles.c.dtype)
    if tiles.a.dtype == tiles.b.dtype and found in DTYPES:
        return
    pairs = ", ".join(f"{a} x {a} -> {c}" for a, c in DTYPES)
    raise builder().fail(
        "TL124",
        f"T.gemm gets {tiles.a.dtype} x {tiles.b.dtype} -> {tiles.c.dtype}",
        why=f"the matrix unit multiplies {pairs}",
        fix="allocate C in float32 (int32 for int8), and A and B in one dtype",
        at={"A": tiles.a.dtype, "B": tiles.b.dtype, "C": tiles.c.dtype},
    )


def _check_spaces(tiles: _Tiles) -> None:
    found = {"A": tiles.a.buffer.space, "B": tiles.b.buffer.space, "C": tiles.c.buffer.space}
    wrong = {
        name: f"{space} here"
        for name, space in found.items()
        if space is not None and space not in _SPACES[name]
    }
    if not wrong:
        return
    raise builder().fail(
        "TL203",
        "T.gemm cannot reach its operands",
        why="the matrix unit reads A and B from L1 and writes C to L0C",
        fix="allocate A and B with T.alloc_L1, C with T.alloc_L0C, and fill A and B with T.copy",
        at=wrong,
    )


def _check_shapes(tiles: _Tiles) -> None:
    shapes = {"A": tiles.a, "B": tiles.b, "C": tiles.c}
    matrices = {name: _matrix(name, region) for name, region in shapes.items()}
    m, k = _ordered(matrices["A"], tiles.a_transpose)
    other_k, n = _ordered(matrices["B"], tiles.b_transpose)
    rows, columns = matrices["C"]
    agree = _agree(k, other_k) and _agree(m, rows) and _agree(n, columns)
    if agree:
        return
    raise builder().fail(
        "TL132",
        f"T.gemm gets {shape_text((m, k))} @ {shape_text((other_k, n))} -> "
        f"{shape_text((rows, columns))}",
        why="(M, K) @ (K, N) gives (M, N)",
        fix="check the tile shapes; a_transpose / b_transpose turn a tile that is stored the "
        "other way round",
        at={name: shape_text(region.extents) for name, region in shapes.items()},
    )


def _matrix(name: str, region: Region) -> tuple[Index, Index]:
    *leading, rows, columns = (1, *region.extents)
    if len(region.extents) >= 2 and all(known(extent) == 1 for extent in leading):
        return rows, columns
    raise builder().fail(
        "TL132",
        f"`{name}` of T.gemm has the shape {shape_text(region.extents)}",
        why="the matrix unit multiplies matrices: two extents, and only 1 in front of them",
        fix=f"pick one matrix: {region.name}[i, :, :]",
        at={name: shape_text(region.extents)},
    )


def _ordered(matrix: tuple[Index, Index], transpose: bool) -> tuple[Index, Index]:
    return (matrix[1], matrix[0]) if transpose else matrix


def _agree(left: Index, right: Index) -> bool:
    a, b = known(left), known(right)
    return a is None or b is None or a == b
