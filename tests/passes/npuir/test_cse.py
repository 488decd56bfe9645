"""cse: equal things are computed once."""

import pytest

from tlcourse.passes.npuir.cse import CsePass

MODULE = """module {
  func.func @k(%x: i32, %c: i1, %m: memref<4xf32, #hivm.address_space<ub>>, %z: index) {
    BODY
    return
  }
}"""


def _muls(text: str) -> int:
    return text.count("arith.muli")


def test_the_second_of_two_goes(run_passes) -> None:
    body = """%a = arith.muli %x, %x : i32
    %b = arith.muli %x, %x : i32
    annotation.mark %b {seen} : i32"""
    text = run_passes(MODULE.replace("BODY", body), CsePass())
    assert _muls(text) == 1
    assert "annotation.mark %a " in text


def test_what_an_if_computed_is_not_used_after_it(run_passes) -> None:
    body = """scf.if %c { %a = arith.muli %x, %x : i32  annotation.mark %a {seen} : i32 }
    %b = arith.muli %x, %x : i32
    annotation.mark %b {seen} : i32"""
    assert _muls(run_passes(MODULE.replace("BODY", body), CsePass())) == 2


def test_an_outer_value_serves_inside(run_passes) -> None:
    body = """%a = arith.muli %x, %x : i32
    scf.if %c { %b = arith.muli %x, %x : i32  annotation.mark %b {seen} : i32 }
    annotation.mark %a {seen} : i32"""
    assert _muls(run_passes(MODULE.replace("BODY", body), CsePass())) == 1


@pytest.mark.parametrize("other", ["arith.muli %x, %y : i32", "arith.addi %x, %x : i32"])
def test_different_ops_stay(run_passes, other: str) -> None:
    body = f"""%y = arith.addi %x, %x : i32
    %a = arith.muli %x, %x : i32
    %b = {other}
    annotation.mark %a {{seen}} : i32
    annotation.mark %b {{seen}} : i32"""
    text = run_passes(MODULE.replace("BODY", body), CsePass())
    assert "annotation.mark %a " in text
    assert "annotation.mark %a " not in text.split("annotation.mark %a ", 1)[1]


def test_loads_stay(run_passes) -> None:
    load = "memref.load %m[%z] : memref<4xf32, #hivm.address_space<ub>>"
    body = f"""%a = {load}
    memref.store %a, %m[%z] : memref<4xf32, #hivm.address_space<ub>>
    %b = {load}
    annotation.mark %b {{seen}} : f32"""
    assert run_passes(MODULE.replace("BODY", body), CsePass()).count("memref.load") == 2
