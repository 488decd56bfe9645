"""Compiled code looks for inf and NaN in what it has written."""

from __future__ import annotations

import math

import pytest
import torch

import tlcourse.language as T
from tests.codegen.native.test_native import own_cache
from tlcourse.functional import compiled
from tlcourse.functional.compiled import find_compiler
from tlcourse.jit import Kernel, compile
from tlcourse.jit.dtypes import TORCH_DTYPES
from tlcourse.nonfinite import is_left_in

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C compiler on this machine")
__all__ = ["own_cache"]


def copier(dtype: str, rows: int) -> Kernel:
    @T.prim_func
    def copied(A: T.Tensor((rows, 64), dtype), B: T.Tensor((rows, 64), dtype)):
        with T.Kernel(rows // 4, is_npu=True) as (cid, _):
            a = T.alloc_ub((4, 64), dtype)
            T.copy(A[cid * 4 : cid * 4 + 4, :], a)
            T.copy(a, B[cid * 4 : cid * 4 + 4, :])

    return compile(copied, mode="Expert")


def state(kernel: Kernel, a: torch.Tensor) -> int:
    """What the C code gives back."""
    program = kernel.program("functional")
    library = compiled.library_of(program, "native")
    assert library is not None
    grid = (a.shape[0] // 4,)
    return compiled.run_compiled(library, program, (a, torch.zeros_like(a)), grid, 1)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan, None])
def test_each_number_of_a_small_output_is_seen(dtype: str, number: float | None) -> None:
    a = torch.full((8, 64), torch.finfo(TORCH_DTYPES[dtype]).max, dtype=TORCH_DTYPES[dtype])
    if number is not None:
        a[7, 63] = number
    wanted = compiled.FINITE if number is None else compiled.NOT_FINITE
    assert state(copier(dtype, 8), a) == wanted


@pytest.mark.parametrize("at", [0, 499, 500, 4112, 8224 * 63, -1])
def test_a_large_output_is_looked_at_as_python_does(at: int) -> None:
    a = torch.zeros(8224, 64)
    a.view(-1)[at] = math.nan
    seen = state(copier("float32", 8224), a) == compiled.NOT_FINITE
    assert seen == is_left_in(a) == (at in (0, 499, 8224 * 63))


def test_python_names_the_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    @T.prim_func
    def logarithm(A: T.Tensor((8, 64), "float32"), B: T.Tensor((8, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (_, _):
            a = T.alloc_ub((8, 64), "float32")
            T.copy(A, a)
            T.vln(a, a)
            T.copy(a, B)

    monkeypatch.setenv("TLCOURSE_ENGINE", "native")
    kernel = compile(logarithm, mode="Expert")
    for number, codes in ((1.0, []), (-1.0, ["TL509"])):
        given = torch.full((8, 64), number).npu(), torch.zeros(8, 64).npu()
        launch = kernel.launch(*given, execution="functional")
        assert [one.diagnostic.code for one in launch.findings] == codes
