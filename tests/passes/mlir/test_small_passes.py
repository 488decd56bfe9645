"""The passes of a few lines: tosa-to-linalg-named, tosa-to-arith, buffer-results-to-out-params."""

from __future__ import annotations

import pytest
import torch

from tlcourse.diagnostics import TLError
from tlcourse.pipeline.progressive import lower


def test_a_batch_of_products_with_bias_and_relu() -> None:
    way = lower(
        """func.func @dense(%a: tensor<2x4x8xf32>, %w: tensor<2x8x3xf32>, %b: tensor<1x1x3xf32>)
    -> tensor<2x4x3xf32> {
  %p = tosa.matmul %a, %w : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
  %s = tosa.add %p, %b : (tensor<2x4x3xf32>, tensor<1x1x3xf32>) -> tensor<2x4x3xf32>
  %z = "tosa.const"() <{value = dense<0.0> : tensor<2x4x3xf32>}> : () -> tensor<2x4x3xf32>
  %r = tosa.maximum %s, %z : (tensor<2x4x3xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return %r : tensor<2x4x3xf32>
}
"""
    )
    generator = torch.Generator().manual_seed(5)
    a, w, b = (torch.randn(s, generator=generator) for s in ((2, 4, 8), (2, 8, 3), (1, 1, 3)))
    wanted = torch.relu(a @ w + b)
    assert "linalg.batch_matmul" in way.after("tosa-to-linalg-named")
    for after in ("input", "convert-to-llvm"):
        torch.testing.assert_close(way.run(a, w, b, after=after)[0], wanted)
    assert {one.state for one in way.check(a, w, b)} <= {"same", "unchanged"}


def test_a_constant_that_is_not_drawn_in_gets_a_buffer_filled_with_it() -> None:
    t = "tensor<1x2x2xf32>"
    text = f"""func.func @f(%a: {t}) -> {t} {{
  %c = "tosa.const"() <{{value = dense<2.0> : {t}}}> : () -> {t}
  %p = tosa.matmul %a, %c : ({t}, {t}) -> {t}
  return %p : {t}
}}
"""
    way = lower(text)
    assert way.after("one-shot-bufferize").count("linalg.fill") == 2
    a = torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])
    assert torch.equal(way.run(a)[0], torch.tensor([[[6.0, 6.0], [14.0, 14.0]]]))
    with pytest.raises(TLError, match="different elements") as caught:
        lower(text.replace("dense<2.0>", "dense<[[[1.0, 2.0], [3.0, 4.0]]]>")).after()
    assert caught.value.code == "TL361"
    assert "line 2" in str(caught.value)


def test_a_parameter_that_is_returned_is_copied_out() -> None:
    t = "tensor<4xf32>"
    way = lower(f"func.func @f(%a: {t}) -> ({t}, {t}) {{\n  return %a, %a : {t}, {t}\n}}")
    assert way.after("buffer-results-to-out-params").count("memref.copy %a") == 2
    a = torch.arange(4.0)
    first, second = way.run(a)
    assert torch.equal(first, a)
    assert torch.equal(second, a)


def test_a_function_that_is_called_keeps_its_results() -> None:
    text = """func.func @g(%a: memref<4xf32>) -> memref<4xf32> {
  return %a : memref<4xf32>
}
func.func @f(%a: memref<4xf32>) -> memref<4xf32> {
  %r = func.call @g(%a) : (memref<4xf32>) -> memref<4xf32>
  return %r : memref<4xf32>
}
"""
    made = lower(text, "buffer-results-to-out-params").after()
    assert "func.func @g(%a: memref<4xf32>) -> memref<4xf32>" in made
    assert made.count("%out") == 2
    assert "memref.copy %r, %out : memref<4xf32> to memref<4xf32>" in made


def test_sums_that_start_from_a_tensor_that_is_read_again_start_from_a_copy() -> None:
    t = "tensor<1x2x2xf32>"
    way = lower(
        f"""func.func @f(%a: {t}, %acc: {t}) -> {t} {{
  %p = linalg.batch_matmul ins(%a, %a : {t}, {t}) outs(%acc : {t}) -> {t}
  %r = tosa.mul %p, %acc : ({t}, {t}) -> {t}
  return %r : {t}
}}
"""
    )
    a, acc = (torch.randn(1, 2, 2, generator=torch.Generator().manual_seed(n)) for n in (1, 2))
    wanted = (acc + a @ a) * acc
    for after in ("input", "one-shot-bufferize", "convert-to-llvm"):
        torch.testing.assert_close(way.run(a, acc, after=after)[0], wanted)
