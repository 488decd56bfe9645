"""The compiler's own form: names, results, maps, and that it reads back as the same module."""

from __future__ import annotations

from xdsl.context import Context

from tlcourse.dialects.text import context, from_text
from tlcourse.dialects.upstream_form import upstream_text

TEXT = """#m = affine_map<()[s0] -> (s0 * 2)>
func.func @k(%x: index, %a: memref<4x4xf32>) attributes {
    z, b = affine_map<(d0) -> (d0)>, a = [1, 2]} {
  %one = arith.constant 1 : i32
  %minus = arith.constant -1 : index
  %yes = arith.constant true
  %half = arith.constant 0.5 : f32
  %p = memref.alloc() : memref<4xf32>
  %q = memref.alloc() : memref<4xf32>
  %r:2 = scf.for %i = %x to %x step %x iter_args(%s = %one, %t = %one) -> (i32, i32) {
    %u = arith.addi %s, %t : i32
    scf.yield %u, %t : i32, i32
  }
  %d = affine.apply #m()[%x]
  %v = arith.addi %r#0, %r#1 : i32
  %f = memref.collapse_shape %a [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  return
}
"""


def test_names_as_the_compiler_gives_them() -> None:
    text = upstream_text(from_text(TEXT), own_names=False)
    assert text.startswith("#map = affine_map<(d0) -> (d0)>\n#map1 = ")
    for line in (
        "func.func @k(%arg0: index, %arg1: memref<4x4xf32>) attributes {a = [1, 2], b = #map, z} {",
        "%c1_i32 = arith.constant 1 : i32",
        "%c-1 = arith.constant -1 : index",
        "%true = arith.constant true",
        "%cst = arith.constant",
        "%alloc = memref.alloc()",
        "%alloc_0 = memref.alloc()",
        "%0:2 = scf.for %arg2 =",
        "%3 = arith.addi %arg3, %arg4 : i32",
        "%1 = affine.apply #map1()[%arg0]",
        "%2 = arith.addi %0#0, %0#1 : i32",
        "%collapse_shape = memref.collapse_shape %arg1 [[0, 1]]",
    ):
        assert line in text


def test_own_names_stay_and_the_text_reads_back_as_the_same_module() -> None:
    module = from_text(TEXT)
    text = upstream_text(module)
    assert "%r:2 = scf.for %i =" in text
    assert "\n    return\n" in text
    assert from_text(text).is_structurally_equivalent(module)


def test_attributes_of_an_if_stand_behind_a_blank() -> None:
    text = """func.func @k(%c: i1) {
  scf.if %c {
    "a.b"() : () -> ()
  } {x}
  return
}
"""
    assert "} {x}\n" in upstream_text(from_text(text, ctx=_lenient()))


def _lenient() -> Context:
    ctx = context()
    ctx.allow_unregistered = True
    return ctx
