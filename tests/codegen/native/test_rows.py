"""Statements that share a loop over rows: which buffers need no memory of their own."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
from tests.codegen.native.test_native import check, own_cache
from tlcourse.examples.softmax import softmax
from tlcourse.functional.compiled import find_compiler
from tlcourse.jit import Kernel, compile
from tlcourse.language import PrimFunc

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C compiler on this machine")
__all__ = ["own_cache"]
SHAPE = (8, 48)


def drawn() -> torch.Tensor:
    return torch.randn(SHAPE, generator=torch.Generator().manual_seed(0))


def stores(kernel: Kernel, name: str) -> int:
    """How many statements of the C text store to a buffer of this name."""
    text = str(kernel.program("functional").options["native"])
    return len(re.findall(rf"^ *{name}_\d+\[.*\] = |memmove\(&{name}_", text, re.MULTILINE))


def test_a_buffer_stands_in_the_tensor_that_it_ends_in() -> None:
    kernel = compile(softmax(16, 300, 4), mode="Developer")
    assert stores(kernel, "x") == 0
    check(kernel, [torch.randn(16, 300), torch.empty(16, 300)])


def written_behind() -> PrimFunc:
    @T.prim_func
    def behind(A: T.Tensor(SHAPE, "float32"), B: T.Tensor(SHAPE, "float32")):
        with T.Kernel(1, is_npu=True) as (_, _):
            x = T.alloc_ub(SHAPE, "float32")
            y = T.alloc_ub(SHAPE, "float32")
            T.copy(A, x)
            T.vadd(x, 1.0, x)
            T.copy(x, B)
            T.vadd(x, 1.0, x)
            T.vadd(x, 1.0, y)

    return behind


def read_later() -> PrimFunc:
    @T.prim_func
    def later(A: T.Tensor(SHAPE, "float32"), B: T.Tensor(SHAPE, "float32")):
        with T.Kernel(1, is_npu=True) as (_, _):
            x = T.alloc_ub(SHAPE, "float32")
            T.copy(A, x)
            T.vadd(x, 1.0, x)
            T.copy(x, B)
            for _ in T.serial(2):
                T.vadd(x, x, x)
            T.copy(x, A)

    return later


def in_place() -> PrimFunc:
    @T.prim_func
    def place(A: T.Tensor(SHAPE, "float32")):
        with T.Kernel(1, is_npu=True) as (_, _):
            x = T.alloc_ub(SHAPE, "float32")
            T.copy(A, x)
            T.vadd(x, 1.0, x)
            T.vmul(x, x, x)
            T.copy(x, A)

    return place


def not_filled() -> PrimFunc:
    @T.prim_func
    def poisoned(A: T.Tensor(SHAPE, "float32"), B: T.Tensor(SHAPE, "float32")):
        with T.Kernel(1, is_npu=True) as (_, _):
            x = T.alloc_ub(SHAPE, "float32")
            y = T.alloc_ub(SHAPE, "float32")
            T.copy(A, y)
            T.vadd(x, y, x)
            T.copy(x, B)

    return poisoned


@pytest.mark.parametrize("make", [written_behind, read_later, in_place, not_filled])
def test_other_buffers_keep_their_memory(make: Callable[[], PrimFunc]) -> None:
    kernel = compile(make(), mode="Expert")
    assert stores(kernel, "x") > 0
    check(kernel, [drawn() for _ in kernel.launch_signature.parameters])
