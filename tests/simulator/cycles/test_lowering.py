"""What instructions become: repeats, strips, segments, parts."""

from __future__ import annotations

import pytest

from tlcourse.simulator.cycles.stream import Shape


def _shapes(tiny, recorded, helpers, lines: str, sizes=(), *, cube: bool = False) -> list[Shape]:
    names = [helpers.tensor(name, "float32", n) for name, n in zip("AB", sizes, strict=False)]
    agent = {"cube": lines} if cube else {"vector": lines}
    found = recorded(tiny.program(names, **agent), sizes)
    works = found.streams[0].cores[0].works
    return [found.shapes[work.shape] for work in works if found.shapes[work.shape].kind]


def _vector(tiny, recorded, helpers, declared: str, op: str) -> tuple[int, int]:
    (shape,) = _shapes(tiny, recorded, helpers, f"{declared}\n{op}")
    return shape.repeats, shape.instructions


@pytest.mark.parametrize(
    ("extents", "expected"),
    [
        ("64", (1, 1)),  # 256 bytes
        ("65", (2, 1)),  # a tail of four bytes is a repeat of its own
        ("16320", (255, 1)),
        ("16321", (256, 2)),  # at most 255 repeats an instruction
        ("40x200", (125, 1)),  # rows behind each other are one piece
    ],
)
def test_contiguous_tiles(tiny, recorded, helpers, extents: str, expected) -> None:
    declared = f"%u = hivm.hir.pointer_cast(%c0) : UB({extents}xf32)"
    op = f"hivm.hir.vabs ins(%u : UB({extents}xf32)) outs(%u : UB({extents}xf32))"
    assert _vector(tiny, recorded, helpers, declared, op) == expected


@pytest.mark.parametrize(
    ("rows", "columns", "expected"),
    [
        (40, 64, (40, 1)),  # a strip of 40 rows
        (40, 65, (80, 2)),  # the second strip holds one column
        (300, 32, (300, 2)),  # 255 rows and 45 rows
        (1, 65, (2, 1)),  # one row is contiguous
    ],
)
def test_rows_with_gaps(tiny, recorded, helpers, rows: int, columns: int, expected) -> None:
    kind = f"UB({rows}x{columns}xf32, strided<[100, 1]>)"
    declared = (
        f"%w = hivm.hir.pointer_cast(%c0) : UB({rows}x100xf32)\n"
        f"%u = memref.subview %w[0, 0] [{rows}, {columns}] [1, 1] : UB({rows}x100xf32) to {kind}"
    )
    op = f"hivm.hir.vabs ins(%u : {kind}) outs(%u : {kind})"
    assert _vector(tiny, recorded, helpers, declared, op) == expected


def test_a_number_for_each_row(tiny, recorded, helpers) -> None:
    """[32, 96] less a number a row: each row of 384 bytes is two repeats, in two strips."""
    declared = """%u = hivm.hir.pointer_cast(%c0) : UB(32x96xf32)
%m = hivm.hir.pointer_cast(%c65536) : UB(32x1xf32)"""
    op = (
        "hivm.hir.vsub ins(%u, %m : UB(32x96xf32), UB(32x1xf32)) outs(%u : UB(32x96xf32)) "
        "broadcast = [1]"
    )
    assert _vector(tiny, recorded, helpers, declared, op) == (64, 2)


def test_a_reduction_reads_each_row(tiny, recorded, helpers) -> None:
    """32 rows of 96 numbers: two repeats a row."""
    lines = """%u = hivm.hir.pointer_cast(%c0) : UB(32x96xf32)
%m = hivm.hir.pointer_cast(%c65536) : UB(32x1xf32)
hivm.hir.vreduce <sum> ins(%u : UB(32x96xf32)) outs(%m : UB(32x1xf32)) reduce_dims = [1]"""
    (shape,) = _shapes(tiny, recorded, helpers, lines)
    assert (shape.cost_class, shape.repeats) == ("reduce", 64)


def test_what_the_scalar_unit_does_is_counted_by_elements(tiny, recorded, helpers) -> None:
    lines = """%u = hivm.hir.pointer_cast(%c0) : UB(8x96xf32)
hivm.hir.vcumsum ins(%u : UB(8x96xf32)) outs(%u : UB(8x96xf32)) cum_dims = [0] reverse = false"""
    (shape,) = _shapes(tiny, recorded, helpers, lines)
    assert (shape.elements, shape.repeats) == (768, 0)


def _load(rows: int, columns: int, stride: int, offset: int = 0) -> str:
    gm = f"GM({rows}x{columns}xf32, strided<[{stride}, 1], offset: {offset}>)"
    return f"""%u = hivm.hir.pointer_cast(%c0) : UB({rows}x{columns}xf32)
%a = memref.reinterpret_cast %A to offset: [{offset}], sizes: [{rows}, {columns}], \
strides: [{stride}, 1] : GM(?xf32) to {gm}
hivm.hir.load ins(%a : {gm}) outs(%u : UB({rows}x{columns}xf32))"""


@pytest.mark.parametrize(
    ("rows", "columns", "stride", "offset", "segments", "aligned"),
    [
        (16, 128, 128, 0, 1, True),
        (16, 32, 128, 0, 16, True),
        (16, 32, 100, 0, 16, False),  # rows start every 400 bytes
        (16, 32, 128, 4, 16, False),  # and here 16 bytes behind a line
    ],
)
def test_segments_and_alignment(
    tiny, recorded, helpers, rows, columns, stride, offset, segments, aligned
) -> None:
    (shape,) = _shapes(
        tiny, recorded, helpers, _load(rows, columns, stride, offset), (rows * stride + offset,)
    )
    assert (shape.bytes, shape.segments) == (rows * columns * 4, segments)
    assert shape.aligned is aligned


@pytest.mark.parametrize(("columns", "segments"), [(16, 16), (64, 16), (8, 16), (128, 16)])
def test_nd2nz_lays_out_each_row(tiny, recorded, helpers, columns, segments) -> None:
    """Rows that lie behind each other are pieces of their own all the same."""
    blocks = -(-columns // 8)
    l1 = f"L1({blocks}x1x16x8xf32)"
    gm = f"GM(16x{columns}xf32)"
    lines = f"""%l = hivm.hir.pointer_cast(%c0) : {l1}
%a = memref.reinterpret_cast %A to offset: [0], sizes: [16, {columns}], strides: [{columns}, 1] \
: GM(?xf32) to {gm}
hivm.hir.nd2nz {{dst_continuous}} ins(%a : {gm}) outs(%l : {l1}) init_out_buffer = false"""
    (shape,) = _shapes(tiny, recorded, helpers, lines, (16 * columns,), cube=True)
    assert (shape.kind, shape.segments) == ("nd2nz", segments)


def test_operations_of_a_product_and_of_a_vector_op(tiny, recorded, helpers) -> None:
    """120 x 5 results, k = 300, in parts of k: 2 x 120 x 300 x 5, none of the padding."""
    cube = """%l = hivm.hir.pointer_cast(%c0) : L1(19x8x16x16xf16)
%r = hivm.hir.pointer_cast(%c131072) : L1(1x19x16x16xf16)
%c = hivm.hir.pointer_cast(%c0) : L0C(1x2x16x16xf32)
%true = arith.constant true
hivm.hir.mmadL1 ins(%l, %r, %true, %i120, %i300, %i5 : L1(19x8x16x16xf16), \
L1(1x19x16x16xf16), i1, index, index, index) outs(%c : L0C(1x2x16x16xf32))"""
    shapes = _shapes(tiny, recorded, helpers, cube, cube=True)
    products = [shape for shape in shapes if shape.kind == "mmad"]
    assert len(products) > 1
    assert sum(shape.operations for shape in products) == 2 * 120 * 300 * 5
    assert {shape.dtype for shape in products} == {"float16"}
    vector = """%u = hivm.hir.pointer_cast(%c0) : UB(65xf32)
hivm.hir.vabs ins(%u : UB(65xf32)) outs(%u : UB(65xf32))"""
    (shape,) = _shapes(tiny, recorded, helpers, vector)
    assert (shape.operations, shape.dtype) == (65, "float32")
