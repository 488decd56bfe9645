import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, StridedLayoutAttr, f32

from tlcourse.dialects.memref import subview


def _source(shape, layout=None):
    kind = MemRefType(f32, shape, layout) if layout else MemRefType(f32, shape)
    return test.TestOp(result_types=[kind]).results[0]


@pytest.mark.parametrize(
    ("offsets", "sizes", "shape", "text"),
    [
        ([2, 4], [3, 8], None, "memref<3x8xf32, strided<[16, 1], offset: 36>>"),
        ([0, 0], [8, 16], None, "memref<8x16xf32, strided<[16, 1]>>"),
        ([5, 0], [1, 16], [16], "memref<16xf32, strided<[1], offset: 80>>"),
        ([0, 3], [8, 1], [8], "memref<8xf32, strided<[16], offset: 3>>"),
        ([0, 3], [1, 1], [1], "memref<1xf32, strided<[16], offset: 3>>"),
    ],
)
def test_type_of_a_part(offsets, sizes, shape, text) -> None:
    op = subview(_source([8, 16]), offsets, sizes, shape)
    op.verify()
    assert str(op.result.type) == text


def test_offset_known_at_run_time() -> None:
    from xdsl.dialects.builtin import IndexType

    row = test.TestOp(result_types=[IndexType()]).results[0]
    op = subview(_source([8, 16]), [row, 0], [1, row], None)
    assert op.result.type == MemRefType(f32, [1, DYNAMIC_INDEX], StridedLayoutAttr([16, 1], None))


def test_part_of_a_part_keeps_strides() -> None:
    op = subview(_source([4, 4], StridedLayoutAttr([100, 1], 7)), [1, 2], [2, 2])
    assert op.result.type == MemRefType(f32, [2, 2], StridedLayoutAttr([100, 1], 109))
