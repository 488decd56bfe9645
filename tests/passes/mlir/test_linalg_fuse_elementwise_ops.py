"""linalg-fuse-elementwise-ops: what is drawn in, what stays, and the numbers of both."""

from __future__ import annotations

import pytest
import torch

from tlcourse.pipeline.progressive import lower

PASSES = "tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,linalg-fuse-elementwise-ops"
T = "tensor<4x8xf32>"
CHAIN = f"""func.func @chain(%a: {T}, %b: {T}, %c: tensor<1x8xf32>) -> {T} {{
  %half = "tosa.const"() <{{value = dense<0.5> : {T}}}> : () -> {T}
  %s = tosa.add %a, %b : ({T}, {T}) -> {T}
  %m = tosa.mul %s, %c : ({T}, tensor<1x8xf32>) -> {T}
  %t = tosa.exp %b : ({T}) -> {T}
  %u = tosa.sub %m, %t : ({T}, {T}) -> {T}
  %v = tosa.mul %u, %half : ({T}, {T}) -> {T}
  return %v : {T}
}}
"""
TURNED = """#same = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
func.func @f(%a: tensor<3x2xf32>, %b: tensor<3x2xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<3x2xf32>
  %s = linalg.generic
      {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<3x2xf32>, tensor<3x2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %d = arith.subf %x, %y : f32
    linalg.yield %d : f32
  } -> tensor<3x2xf32>
  %f = tensor.empty() : tensor<2x3xf32>
  %r = linalg.generic {indexing_maps = [#turned, #same], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<3x2xf32>) outs(%f : tensor<2x3xf32>) {
  ^bb0(%x: f32, %old: f32):
    %one = arith.constant 1.0 : f32
    %t = arith.addf %x, %one : f32
    linalg.yield %t : f32
  } -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
"""


def _count(text: str, word: str) -> int:
    return text.count(word)


def _inputs() -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(3)
    return tuple(torch.randn(shape, generator=generator) for shape in ((4, 8), (4, 8), (1, 8)))


def test_a_chain_with_two_producers_becomes_one_op() -> None:
    way = lower(CHAIN, PASSES)
    assert _count(way.after("tosa-to-linalg"), "linalg.generic") == 5
    assert _count(way.after(), "linalg.generic") == 1
    assert _count(way.after(), "tensor.empty") == 1
    assert "dense<" not in way.after()
    a, b, c = _inputs()
    wanted = ((a + b) * c - b.exp()) * 0.5
    torch.testing.assert_close(way.run(a, b, c)[0], wanted)


def test_a_value_that_two_ops_read_stays_a_tensor() -> None:
    text = CHAIN.replace("tosa.sub %m, %t", "tosa.sub %s, %t")
    text = text.replace("tosa.mul %u, %half", "tosa.mul %u, %m")
    way = lower(text, PASSES)
    assert _count(way.after(), "linalg.generic") == 2
    a, b, c = _inputs()
    torch.testing.assert_close(way.run(a, b, c)[0], (a + b - b.exp()) * ((a + b) * c))


def test_a_sum_over_a_dimension_is_not_drawn_into_another_op() -> None:
    t = "tensor<1x4x4xf32>"
    text = (
        f"func.func @f(%a: {t}, %b: {t}) -> {t} {{\n"
        f"  %p = tosa.matmul %a, %b : ({t}, {t}) -> {t}\n"
        f"  %r = tosa.exp %p : ({t}) -> {t}\n  return %r : {t}\n}}"
    )
    way = lower(text, PASSES + ",linalg-generalize-named-ops,linalg-fuse-elementwise-ops")
    assert '"reduction"' in way.after()
    assert _count(way.after(), "math.exp") == 1
    a, b = (torch.randn(1, 4, 4, generator=torch.Generator().manual_seed(n)) for n in (1, 2))
    torch.testing.assert_close(way.run(a, b)[0], (a @ b).exp())


def test_a_producer_that_is_read_by_a_turned_map_is_read_there() -> None:
    way = lower(TURNED, "linalg-fuse-elementwise-ops")
    assert _count(way.after(), "linalg.generic") == 1
    generator = torch.Generator().manual_seed(9)
    a, b = (torch.randn(3, 2, generator=generator) for _ in range(2))
    torch.testing.assert_close(way.run(a, b)[0], (a - b).t() + 1)


@pytest.mark.parametrize("word", ["loops first", "fusion first"])
def test_fusion_is_easy_on_maps_and_gone_on_loops(word: str) -> None:
    buffers = (
        "one-shot-bufferize{bufferize-function-boundaries=1 "
        "function-boundary-type-conversion=identity-layout-map},convert-linalg-to-loops"
    )
    fuse = "linalg-fuse-elementwise-ops"
    before = "tosa-to-linalg,tosa-to-arith"
    order = [buffers, fuse] if word == "loops first" else [fuse, buffers]
    text = lower(CHAIN, ",".join([before, *order])).after()
    assert _count(text, "scf.for") == (12 if word == "loops first" else 2)
