import re

import pytest

from tlcourse.passes.npuir.hivm_normalize_matmul import HivmNormalizeMatmulPass

HEAD = """func.func @k(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %acc: tensor<64x64xf32>,
    %init: i1, %m: index, %k: index, %c0: i32, %c8: i32, %c1: i32) -> tensor<64x64xf32> {"""
MMAD = (
    "hivm.hir.mmadL1 ins(%a, %b, {init}, %m, %k, %m : tensor<64x32xf16>, tensor<32x64xf16>, i1, "
    "index, index, index) outs({c} : tensor<64x64xf32>) -> tensor<64x64xf32>"
)


def _module(body: str) -> str:
    return f"module {{ {HEAD} {body} return %r : tensor<64x64xf32> }} }}"


def test_accumulator_from_outside_becomes_a_vadd(run_passes) -> None:
    body = "%false = arith.constant false %r = " + MMAD.format(init="%false", c="%acc")
    text = run_passes(_module(body), HivmNormalizeMatmulPass())
    true = re.search(r"(%\w+) = arith.constant true", text)
    product = re.search(r"(%\w+) = hivm.hir.mmadL1", text)
    assert true is not None
    assert product is not None
    assert f"ins(%a, %b, {true[1]}, %m, %k, %m" in text
    assert f"hivm.hir.vadd ins({product[1]}, %acc" in text
    assert text.count("tensor.empty") == 2


def test_condition_known_at_run_time_chooses(run_passes) -> None:
    body = "%r = " + MMAD.format(init="%init", c="%acc")
    text = run_passes(_module(body), HivmNormalizeMatmulPass())
    assert "arith.select %init, " in text


@pytest.mark.parametrize(
    "body",
    [
        "%e = tensor.empty() : tensor<64x64xf32> %r = " + MMAD.format(init="%init", c="%e"),
        "%true = arith.constant true %r = " + MMAD.format(init="%true", c="%acc"),
        "%e = tensor.empty() : tensor<64x64xf32> "
        "%r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %e) -> (tensor<64x64xf32>) : i32 { "
        "%p = " + MMAD.format(init="%init", c="%t") + " scf.yield %p : tensor<64x64xf32> }",
    ],
    ids=["empty", "starts-new", "carried-by-a-loop"],
)
def test_accumulator_of_the_cube_core_stays(run_passes, body: str) -> None:
    text = run_passes(_module(body), HivmNormalizeMatmulPass())
    assert "vadd" not in text
    assert "select" not in text


def test_a_product_from_nothing_forgets_the_tile_it_is_written_over(run_passes) -> None:
    body = "%true = arith.constant true %r = " + MMAD.format(init="%true", c="%acc")
    text = run_passes(_module(body), HivmNormalizeMatmulPass())
    empty = re.search(r"(%\w+) = tensor.empty", text)
    assert empty is not None
    assert f"outs({empty[1]} :" in text
