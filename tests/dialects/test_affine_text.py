"""Affine maps as MLIR writes them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.parser import Parser

from tlcourse.dialects.affine_text import map_text
from tlcourse.dialects.text import context

MAPS = [
    "(d0, d1) -> (d0, d1)",
    "()[s0] -> ((s0 floordiv 4) mod 2)",
    "(d0)[s0] -> (d0 * 32768 + s0)",
    "()[s0, s1] -> ((s1 * 5 + s0 floordiv 3) mod 2)",
    "()[s0] -> (-s0 + 11264)",
    "()[s0] -> (s0 ceildiv 16, s0 - 1, s0 * -3)",
    "(d0, d1) -> (d0 - d1 * 3, d0 - d1)",
    "(d0)[s0] -> ((d0 + s0) floordiv 4 + 7)",
    "() -> (0)",
]


def _attribute(text: str) -> AffineMapAttr:
    found = Parser(context(), f"affine_map<{text}>").parse_attribute()
    assert isinstance(found, AffineMapAttr)
    return found


@pytest.mark.parametrize("text", MAPS)
def test_a_map_is_written_as_it_was_read(text: str) -> None:
    assert map_text(_attribute(text).data) == text


@pytest.mark.bishengir
@pytest.mark.parametrize("text", MAPS)
def test_the_real_compiler_writes_it_so(text: str, bishengir_opt: Path) -> None:
    done = subprocess.run(
        [bishengir_opt, "-"],
        input=f"module attributes {{x.m = affine_map<{text}>}} {{\n}}\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"affine_map<{text}>" in done.stdout
