from __future__ import annotations

import operator

import pytest
from xdsl.dialects.builtin import UnknownLoc, i32
from xdsl.ir import Block

from tlcourse.codegen.shapes import shape_values
from tlcourse.codegen.writer import Writer

_MEANING = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
    "arith.divsi": operator.floordiv,
    "arith.remsi": operator.mod,
    "arith.minsi": min,
    "arith.maxsi": max,
    "arith.index_cast": lambda value: value,
}


@pytest.mark.parametrize(
    ("texts", "sizes", "strides"),
    [
        (["64", "128"], [64, 128], [128, 1]),
        (["M", "128"], [10, 128], [128, 1]),
        (["4", "M", "N"], [4, 10, 7], [70, 7, 1]),
        (["(M + 63) // 64", "N % 4"], [1, 3], [3, 1]),
        (["min(M, N, 5) - -1", "max(M, N)"], [6, 10], [10, 1]),
    ],
)
def test_sizes_and_strides_of_row_major_tensors(texts, sizes, strides):
    block = Block(arg_types=[i32, i32])
    writer = Writer(block, "AIV", {})
    symbols = dict(zip("MN", block.args, strict=True))
    found = shape_values(writer, texts, symbols)
    known = dict(zip(block.args, (10, 7), strict=True))
    for op in block.ops:
        if op.name == "arith.constant":
            known[op.results[0]] = op.value.value.data
        else:
            known[op.results[0]] = _MEANING[op.name](*(known[v] for v in op.operands))
    assert isinstance(writer.place, UnknownLoc)
    assert tuple([known.get(v, v) for v in part] for part in found) == (sizes, strides)
