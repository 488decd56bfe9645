"""The two functions of floats that xDSL's llvm dialect lacks, and linalg's batch of products."""

from __future__ import annotations

import pytest

from tlcourse.dialects.foreign import with_foreign_dialects
from tlcourse.dialects.linalg import BatchMatmulOp
from tlcourse.dialects.llvm import MaximumOp, MinimumOp
from tlcourse.dialects.text import context, from_text, to_text


@pytest.mark.parametrize("kind", [MaximumOp, MinimumOp])
def test_a_function_of_two_floats(kind: type[MaximumOp] | type[MinimumOp]) -> None:
    line = f"%r = {kind.name}(%a, %b) : (f16, f16) -> f16"
    text = f"llvm.func @f(%a: f16, %b: f16) -> f16 {{\n  {line}\n  llvm.return %r : f16\n}}\n"
    module = from_text(text, ctx=with_foreign_dialects(context()))
    module.verify()
    assert f"{line}\n" in to_text(module)
    op = next(op for op in module.walk() if isinstance(op, kind))
    assert kind(op.lhs, op.rhs).res.type == op.res.type


def test_a_batch_of_products_reads_what_it_writes() -> None:
    text = """func.func @f(%a: tensor<2x4x8xf32>, %b: tensor<2x8x3xf32>, %c: tensor<2x4x3xf32>) {
  %r = linalg.batch_matmul ins(%a, %b : tensor<2x4x8xf32>, tensor<2x8x3xf32>) outs(%c : tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  func.return
}
"""  # noqa: E501
    module = from_text(text, ctx=with_foreign_dialects(context()))
    module.verify()
    op = next(op for op in module.walk() if isinstance(op, BatchMatmulOp))
    assert op.get_static_loop_ranges() == (2, 4, 3, 8)
    assert [str(one.data) for one in op.get_iterator_types()] == ["parallel"] * 3 + ["reduction"]
    assert [inner.name for inner in op.body.block.ops] == [
        "arith.mulf",
        "arith.addf",
        "linalg.yield",
    ]
    assert text.splitlines()[1].strip() in to_text(module)
