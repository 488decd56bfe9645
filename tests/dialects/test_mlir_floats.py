"""Floats as MLIR writes them."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest
from xdsl.dialects.builtin import f32

from tlcourse.dialects.mlir_floats import float_text
from tlcourse.dialects.text import from_text
from tlcourse.dialects.upstream_form import upstream_text

# A number and what the compiler prints for it.
CASES = [
    ("0.72134751", "f32", "0.72134751"),
    ("-0.72134751", "f32", "-0.72134751"),
    ("0.1", "f32", "1.000000e-01"),
    ("3.14159274", "f32", "3.14159274"),
    ("1234567.89", "f32", "1234567.88"),
    ("1.00000009e-05", "f32", "1.00000007E-5"),
    ("16777215.0", "f32", "0x4B7FFFFF"),
    ("123456789.0", "f32", "0x4CEB79A3"),
    ("1.234567e+20", "f32", "1.23456702E+20"),
    ("-2.3841858e-07", "f32", "-2.38418579E-7"),
    ("0.0001234567", "f32", "1.23456703E-4"),
    ("0.01234567", "f32", "0.0123456698"),
    ("0.33325", "f16", "3.332520e-01"),
    ("0.7213", "bf16", "7.226560e-01"),
    ("0.1234567890123456", "f64", "0.12345678901234559"),
]


def _module(number: str, kind: str) -> str:
    constant = f"%0 = arith.constant {number} : {kind}"
    return f"func.func @k() -> {kind} {{\n  {constant}\n  return %0 : {kind}\n}}\n"


@pytest.mark.parametrize(("number", "kind", "text"), CASES)
def test_text_of_a_constant(number: str, kind: str, text: str) -> None:
    printed = upstream_text(from_text(_module(number, kind)))
    assert f"arith.constant {text} : {kind}" in printed
    assert upstream_text(from_text(printed)) == printed


def test_every_number_is_read_back() -> None:
    for number in range(1, 1 << 32, 0x1234567):
        (value,) = struct.unpack("<f", struct.pack("<I", number))
        text = float_text(value, f32)
        if text is not None and not text.startswith("0x"):
            assert struct.pack("<f", float(text)) == struct.pack("<f", value), text


def test_numbers_without_digits_are_left_to_xdsl() -> None:
    assert float_text(float("inf"), f32) is None
    assert float_text(float("nan"), f32) is None
    assert float_text(0.0, f32) is None


@pytest.mark.bishengir
def test_the_real_compiler_writes_the_same(bishengir_opt: Path) -> None:
    for number, kind, text in CASES:
        done = subprocess.run(
            [bishengir_opt, "-"],
            input=_module(number, kind),
            capture_output=True,
            text=True,
            check=True,
        )
        assert f"arith.constant {text} : {kind}" in done.stdout
