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
