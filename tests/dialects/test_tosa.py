"""Ops of tosa in the form of the AscendNPU IR compiler: text, rules, and what xDSL lacks."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from tlcourse.dialects.foreign import with_foreign_dialects
from tlcourse.dialects.text import context, from_text, to_text
from tlcourse.dialects.tosa import ClampOp

T = "tensor<2x4x8xf32>"
OPS = {
    "const": f'"tosa.const"() <{{value = dense<1.000000e+00> : {T}}}> : () -> {T}',
    "clamp": "tosa.clamp %a {max_fp = 6.000000e+00 : f32, max_int = 6 : i64, "
    f"min_fp = 0.000000e+00 : f32, min_int = 0 : i64}} : ({T}) -> {T}",
    "mul": f"tosa.mul %a, %b {{shift = 0 : i8}} : ({T}, {T}) -> {T}",
    "add": f"tosa.add %a, %b : ({T}, {T}) -> {T}",
    "sub": f"tosa.sub %a, %b : ({T}, {T}) -> {T}",
    "maximum": f"tosa.maximum %a, %b : ({T}, {T}) -> {T}",
    "minimum": f"tosa.minimum %a, %b : ({T}, {T}) -> {T}",
    "exp": f"tosa.exp %a : ({T}) -> {T}",
    "abs": f"tosa.abs %a : ({T}) -> {T}",
    "sigmoid": f"tosa.sigmoid %a : ({T}) -> {T}",
    "reciprocal": f"tosa.reciprocal %a : ({T}) -> {T}",
    "matmul": f"tosa.matmul %a, %w : ({T}, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>",
}


def _text(op: str) -> str:
    arguments = f"%a: {T}, %b: {T}, %w: tensor<2x8x3xf32>"
    return f"module {{\n  func.func @f({arguments}) {{\n    %r = {op}\n    return\n  }}\n}}\n"


def _read(op: str) -> ModuleOp:
    return from_text(_text(op), ctx=with_foreign_dialects(context()))


@pytest.mark.parametrize("name", OPS)
def test_an_op_is_printed_as_it_was_read(name: str) -> None:
    module = _read(OPS[name])
    module.verify()
    assert f"%r = {OPS[name]}\n" in to_text(module)


@pytest.mark.bishengir
def test_the_real_compiler_reads_all_of_them(bishengir_opt: Path) -> None:
    text = "\n// -----\n".join(_text(op) for op in OPS.values())
    command = [str(bishengir_opt), "--split-input-file", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("op", "said"),
    [
        (f"tosa.matmul %a, %b : ({T}, {T}) -> {T}", "cannot make"),
        (
            "tosa.matmul %c, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
            "three dimensions",
        ),
        (f"tosa.mul %a, %w : ({T}, tensor<2x8x3xf32>) -> {T}", "not compatible"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(op: str, said: str) -> None:
    text = _text(op).replace("%a: ", "%c: tensor<4xf32>, %a: ")
    module = from_text(text, ctx=with_foreign_dialects(context()))
    with pytest.raises(VerifyException, match=said):
        module.verify()


def test_a_clamp_made_here_holds_both_ranges() -> None:
    module = _read(OPS["abs"])
    absolute = next(op for op in module.walk() if op.name == "tosa.abs")
    clamp = ClampOp(absolute.results[0], -1.5, 6.0)
    clamp.verify()
    assert (clamp.min_fp.value.data, clamp.max_fp.value.data) == (-1.5, 6.0)
    assert (clamp.min_int.value.data, clamp.max_int.value.data) == (-1, 6)
