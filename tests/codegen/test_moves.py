"""Code of the irregular tile ops in both modes, also as the real compiler checks it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tlcourse.language as T
from tests.tile_cases import CASES
from tlcourse.diagnostics import TLError
from tlcourse.dialects.text import from_text, to_text

MODES = ("Expert", "Developer")
# What a kernel of the case holds besides the instruction that it is named after.
INSTRUCTIONS = {
    "sum": "vreduce <sum>",
    "max": "vreduce <max>",
    "prod": "vreduce <prod>",
    "xori": "vreduce <xori>",
    "with_index": "vreduce <max_with_index_left>",
    "abssum": "vabs",
    "absmax_join": "vmax",
    "cumsum": "vcumsum",
    "transpose": "permutation = [1, 0]",
    "concat": "vconcat dim(1)",
    "pad": "low[2, 0] high[2, 0] pad_value",
    "interleave": "interleave_channel_nums = 2",
    "deinterleave": "index_mode = <ALL_CHANNELS>",
    "channel": "index_mode = <CHANNEL_1>",
    "flip": "flip_axis = 1",
    "gather": "vgather",
    "arange": "varange offset",
}


def verified(tool: Path, text: str) -> None:
    done = subprocess.run([tool, "-"], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_instruction(name: str, mode: Any, lower: Callable[..., Any]) -> None:
    text = lower(CASES[name].kernel(mode), mode).text
    assert INSTRUCTIONS[name] in text
    assert to_text(from_text(text)) == text


@pytest.mark.bishengir
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_real_compiler_verifies(
    name: str, mode: Any, lower: Callable[..., Any], bishengir_opt: Path
) -> None:
    verified(bishengir_opt, lower(CASES[name].kernel(mode), mode).text)


@pytest.mark.parametrize("mode", MODES)
def test_rotation_takes_two_exchanges(mode: Any, lower: Callable[..., Any]) -> None:
    generated = lower(CASES["rotate"].kernel(mode), mode)
    assert generated.counts["hivm.hir.vtranspose"] == 2
    assert re.findall(r"permutation = \[[^\]]*\]", generated.text) == [
        "permutation = [2, 1, 0]",
        "permutation = [0, 2, 1]",
    ]


def test_same_order_is_a_copy(lower: Callable[..., Any]) -> None:
    assert "hivm.hir.vtranspose" not in lower(CASES["same_order"].kernel("Expert"), "Expert").counts


def test_reshape_is_a_view_where_nobody_can_tell(lower: Callable[..., Any]) -> None:
    @T.prim_func
    def view(A: T.Tensor((8, 16), "float32"), R: T.Tensor((4, 32), "float32")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub((8, 16), "float32")
            o = T.alloc_ub((4, 32), "float32")
            T.copy(A, a)
            T.reshape(a, o)
            T.copy(o, R)

    assert lower(view, "Expert").counts["memref.copy"] == 2
    # Five copies of the kernel, and one because the source is stored afterwards.
    copies = lower(CASES["reshape"].kernel("Expert"), "Expert").counts["memref.copy"]
    assert copies == 6


def test_reshape_of_tensors(lower: Callable[..., Any]) -> None:
    counts = lower(CASES["reshape"].kernel("Developer"), "Developer").counts
    assert counts["tensor.collapse_shape"] == counts["tensor.expand_shape"] == 1


def _atomic(mode: str) -> T.PrimFunc:
    alloc = T.alloc_ub if mode == "Expert" else T.alloc_shared

    @T.prim_func
    def add(A: T.Tensor((64, 8), "float32"), R: T.Tensor((4, 2, 8, 8), "float32"), n: T.int32):
        with T.Kernel(8, is_npu=True) as (cid, _):
            a = alloc((8, 8), "float32")
            T.copy(A[cid * 8, 0], a)
            T.atomic_add(R[cid // 2, 0, 0:8, 0:8], a)
            T.npuir_atomic_addx4(R[0, 0, 0, 0], a, [n, 4])

    return add


@pytest.mark.parametrize("mode", MODES)
def test_atomic_add_is_a_store(mode: Any, lower: Callable[..., Any]) -> None:
    generated = lower(_atomic(mode), mode)
    lines = generated.lines("hivm.hir.store")
    assert len(lines) == 2
    assert generated.text.count("atomic = <add>") == 2


@pytest.mark.bishengir
@pytest.mark.parametrize("mode", MODES)
def test_real_compiler_verifies_atomic_add(
    mode: Any, lower: Callable[..., Any], bishengir_opt: Path
) -> None:
    verified(bishengir_opt, lower(_atomic(mode), mode).text)


def test_loops_carry_what_a_move_writes(lower: Callable[..., Any]) -> None:
    @T.prim_func
    def carried(A: T.Tensor((8, 16), "float32"), R: T.Tensor((8, 16), "float32")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_shared((8, 16), "float32")
            T.copy(A, a)
            for i in T.serial(4):
                T.cumsum(a, dim=1)
            T.copy(a, R)

    text = lower(carried, "Developer").text
    assert "iter_args" in text
    assert text.count("-> (tensor<8x16xf32>)") == 1


def test_the_compiler_puts_no_move_on_the_cube_core(lower: Callable[..., Any]) -> None:
    @T.prim_func
    def flip(A: T.Tensor((8, 16), "float16")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            with T.Scope("Cube"):
                a = T.alloc_L1((8, 16), "float16")
                T.copy(A, a)
                T.flip(a, a, 1)

    with pytest.raises(TLError, match="TL211"):
        lower(flip, "Expert")
