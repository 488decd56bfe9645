"""linalg's moves become HIVM, with the types that the real compiler gives them."""

from __future__ import annotations

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tlcourse.bishengir import find_tool
from tlcourse.bishengir.run import run_tool
from tlcourse.dialects.normal_form import normal_form
from tlcourse.dialects.text import from_text, to_text
from tlcourse.passes.npuir.convert_hfusion_to_hivm import ConvertHFusionToHIVMPass

FILL = """func.func @f(%x: f32, %a: memref<8xf32>) {
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  return
}"""
COPY = """func.func @f(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = linalg.copy ins(%a : tensor<4x8xf32>) outs(%b : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}"""
TRANSPOSE = """func.func @f(%a: memref<4x8xf32>, %b: memref<8x4xf32>) {
  linalg.transpose ins(%a : memref<4x8xf32>) outs(%b : memref<8x4xf32>) permutation = [1, 0]
  return
}"""


def _repeat(source: str, target: str, dims: str) -> str:
    return (
        f"func.func @f(%a: {source}, %b: {target}) {{\n"
        f"  linalg.broadcast ins(%a : {source}) outs(%b : {target}) dimensions = [{dims}]\n"
        "  return\n}"
    )


REPEATS = (
    _repeat("memref<8x32xf32>", "memref<8x16x32xf32>", "1"),
    _repeat("memref<8x12xf32, strided<[16, 1]>>", "memref<4x8x12xf32>", "0"),
    _repeat("memref<8x?xf32, strided<[?, 1]>>", "memref<8x16x?x32xf32>", "1, 3"),
    _repeat("memref<8x?xf32>", "memref<2x3x8x16x?x16xf32>", "0, 1, 3, 5"),
    _repeat("memref<?x12xf32, strided<[16, 1], offset: 4>>", "memref<4x?x5x12xf32>", "0, 2"),
    """func.func @f(%a: tensor<8x?xf32>, %b: tensor<8x16x?xf32>) -> tensor<8x16x?xf32> {
  %c = linalg.broadcast ins(%a : tensor<8x?xf32>) outs(%b : tensor<8x16x?xf32>) dimensions = [1]
  return %c : tensor<8x16x?xf32>
}""",
)


def _converted(text: str) -> ModuleOp:
    module = from_text(text)
    ConvertHFusionToHIVMPass().apply(Context(), module)
    module.verify()
    return module


@pytest.mark.parametrize(
    ("text", "made"), [(FILL, "vbrc"), (COPY, "copy"), (TRANSPOSE, "vtranspose")]
)
def test_one_instruction_each(text: str, made: str) -> None:
    names = [op.name for op in _converted(text).walk()]
    assert f"hivm.hir.{made}" in names
    assert not [name for name in names if name.startswith("linalg.")]


def test_what_is_repeated_gets_extents_of_one() -> None:
    text = to_text(_converted(REPEATS[1]))
    assert "output_shape [1, 8, 12]" in text
    assert "memref<1x8x12xf32, strided<[128, 16, 1]>>" in text
    assert "broadcast_dims = [0]" in text


def test_one_number_is_repeated_as_it_is() -> None:
    text = to_text(_converted(_repeat("memref<f32>", "memref<4x8xf32>", "0, 1")))
    assert "expand_shape" not in text
    assert "ins(%a : memref<f32>) outs(%b : memref<4x8xf32>) broadcast_dims = [0, 1]" in text


@pytest.mark.skipif(find_tool() is None, reason="needs the real compiler")
@pytest.mark.parametrize("text", [FILL, COPY, TRANSPOSE, *REPEATS])
def test_the_real_pass_writes_the_same(text: str) -> None:
    module = from_text(text)
    arguments = ["--convert-hfusion-to-hivm", "--canonicalize", "--mlir-print-op-generic"]
    real = run_tool(arguments, to_text(module), timeout_s=60).stdout
    ours = to_text(_converted(text))
    again = run_tool(arguments[1:], ours, timeout_s=60).stdout
    assert normal_form(again) == normal_form(real)
