"""convert-to-llvm: twins, addresses, library calls, and ops that came too early."""

from __future__ import annotations

import pytest
import torch
from xdsl.context import Context
from xdsl.dialects import func

from tlcourse.diagnostics import TLError
from tlcourse.dialects.foreign import with_foreign_dialects
from tlcourse.dialects.text import context, from_text
from tlcourse.pipeline.progressive import LOWERING, lower
from tlcourse.stages.mlir.run import border_of, call

T = "tensor<2x3xf32>"
ADD = f"""func.func @f(%a: {T}) -> {T} {{
  %r = tosa.add %a, %a : ({T}, {T}) -> {T}
  return %r : {T}
}}
"""


def _context() -> Context:
    return with_foreign_dialects(context())


def _context() -> Context:
    return with_foreign_dialects(context())


def _fails(text: str, passes: str = "convert-to-llvm") -> str:
    with pytest.raises(TLError) as caught:
        lower(text, passes).after()
    assert caught.value.code == "TL360"
    return str(caught.value)


@pytest.mark.parametrize(
    ("without", "op", "wanted"),
    [
        ("convert-scf-to-cf", "scf.for", "convert-scf-to-cf"),
        ("convert-linalg-to-loops", "linalg.generic", "convert-linalg-to-loops"),
        ("tosa-to-linalg,", "tosa.add", "tosa-to-linalg"),
    ],
)
def test_an_op_of_a_level_above_names_the_pass_that_was_left_out(without, op, wanted) -> None:
    passes = LOWERING.replace(f"{without},", "").replace(without, "")
    if without.startswith("tosa"):
        passes = "convert-to-llvm"
    said = _fails(ADD, passes)
    assert f"convert-to-llvm cannot lower {op}" in said
    assert wanted in said.split("fix: run ")[1].splitlines()[0]


def test_a_buffer_with_gaps_or_of_unknown_size_is_refused() -> None:
    body = "  %x = memref.load %a[%i] : KIND\n  return %x : f32\n}"
    text = "func.func @f(%a: KIND, %i: index) -> f32 {\n" + body
    assert "in one piece" in _fails(text.replace("KIND", "memref<?xf32>"))
    assert "in one piece" in _fails(text.replace("KIND", "memref<8xf32, strided<[2]>>"))
    good = lower(text.replace("KIND", "memref<8xf32>"), "convert-to-llvm").after()
    assert "llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32" in good


def test_two_results_are_more_than_a_function_of_llvm_has() -> None:
    text = "func.func @f(%a: f32) -> (f32, f32) {\n  return %a, %a : f32, f32\n}"
    assert "convert-to-llvm cannot lower func.return" in _fails(text)
    assert "run buffer-results-to-out-params before it" in _fails(text)
    assert "one value at most" in _fails(
        "func.func private @g(f32) -> (f32, f32)\nfunc.func @f(%a: f32) -> f32 {\n"
        "  return %a : f32\n}"
    )


def test_memory_is_asked_for_and_given_back_by_the_c_library() -> None:
    text = """func.func @f(%x: f32) {
  %m = memref.alloc() : memref<4x8xf16>
  memref.dealloc %m : memref<4x8xf16>
  func.call @f(%x) : (f32) -> ()
  return
}
"""
    made = lower(text, "convert-to-llvm").after()
    assert "llvm.func @malloc(i64) -> !llvm.ptr" in made
    assert "llvm.func @free(!llvm.ptr)" in made
    assert "llvm.mlir.constant(64) : i64" in made
    assert "llvm.call @f(%x)" in made


def test_a_buffer_without_dimensions_and_every_scalar_twin() -> None:
    ops = """
  %n = arith.negf %x : f32
  %d = arith.divf %n, %y : f32
  %p = arith.cmpf olt, %d, %y : f32
  %s = arith.select %p, %x, %d : f32
  %q = math.sqrt %s : f32
  %m = arith.minimumf %q, %y : f32"""
    kind = "memref<f32>"
    text = f"""func.func @f(%a: {kind}, %b: {kind}, %out: {kind}) {{
  %x = memref.load %a[] : {kind}
  %y = memref.load %b[] : {kind}{ops}
  memref.store %m, %out[] : {kind}
  return
}}
"""
    made = lower(text, "convert-to-llvm").after()
    for twin in ("fneg", "fdiv", "fcmp", "select", "intr.sqrt", "intr.minimum"):
        assert f"llvm.{twin}" in made
    t = "tensor<f32>"
    t = "tensor<f32>"
    border = f"func.func @f(%a: {t}, %b: {t}) -> {t} {{\n  return %a : {t}\n}}"
    function, module = (from_text(one, ctx=_context()) for one in (border, made))
    first = function.body.block.first_op
    assert isinstance(first, func.FuncOp)
    # -(-6) / 2 = 3 is not below 2, so 3 is taken; its root is below 2.
    (result,) = call(module, border_of(first), [torch.tensor(-6.0), torch.tensor(2.0)])
    assert result.item() == pytest.approx(3.0**0.5, rel=1e-6)
