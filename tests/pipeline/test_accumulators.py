"""Developer kernels that read an accumulator while it is still being summed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import tlcourse.language as T
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects.signature import signature, stamp
from tlcourse.functional import generate as functional_generate
from tlcourse.functional import run as functional_run
from tlcourse.pipeline import compile_module
from tlcourse.records import Backend
from tlcourse.simulator.generate import generate
from tlcourse.simulator.run import run
from tlcourse.tolerance import tolerance

SIZE, PARTS, SUM = 32, 4, 128
A_TYPE, B_TYPE = T.Tensor((SIZE, SUM), "float16"), T.Tensor((SUM, SIZE), "float16")
P_TYPE, C_TYPE = T.Tensor((PARTS, SIZE, SIZE), "float32"), T.Tensor((SIZE, SIZE), "float32")


@T.prim_func
def stored_each_turn(A: A_TYPE, B: B_TYPE, P: P_TYPE, C: C_TYPE):
    with T.Kernel(1, is_npu=True):
        a = T.alloc_shared((SIZE, SIZE), "float16")
        b = T.alloc_shared((SIZE, SIZE), "float16")
        c = T.alloc_fragment((SIZE, SIZE), "float32")
        for k in T.serial(PARTS):
            T.copy(A[0:SIZE, k * SIZE : k * SIZE + SIZE], a)
            T.copy(B[k * SIZE : k * SIZE + SIZE, 0:SIZE], b)
            T.gemm(a, b, c, initC=(k == 0))
            T.copy(c, P[k, 0:SIZE, 0:SIZE])
        T.copy(c, C)


@T.prim_func
def computed_each_turn(A: A_TYPE, B: B_TYPE, P: P_TYPE, C: C_TYPE):
    with T.Kernel(1, is_npu=True):
        a = T.alloc_shared((SIZE, SIZE), "float16")
        b = T.alloc_shared((SIZE, SIZE), "float16")
        c = T.alloc_fragment((SIZE, SIZE), "float32")
        twice = T.alloc_fragment((SIZE, SIZE), "float32")
        for k in T.serial(PARTS):
            T.copy(A[0:SIZE, k * SIZE : k * SIZE + SIZE], a)
            T.copy(B[k * SIZE : k * SIZE + SIZE, 0:SIZE], b)
            T.gemm(a, b, c, initC=(k == 0))
            T.vadd(c, c, twice)
            T.copy(twice, P[k, 0:SIZE, 0:SIZE])
        T.copy(c, C)


@T.prim_func
def stored_in_an_if(A: A_TYPE, B: B_TYPE, P: P_TYPE, C: C_TYPE):
    with T.Kernel(1, is_npu=True):
        a = T.alloc_shared((SIZE, SIZE), "float16")
        b = T.alloc_shared((SIZE, SIZE), "float16")
        c = T.alloc_fragment((SIZE, SIZE), "float32")
        for k in T.serial(PARTS):
            T.copy(A[0:SIZE, k * SIZE : k * SIZE + SIZE], a)
            T.copy(B[k * SIZE : k * SIZE + SIZE, 0:SIZE], b)
            T.gemm(a, b, c, initC=(k == 0))
            if k == 2:
                T.copy(c, P[k, 0:SIZE, 0:SIZE])
        T.copy(c, C)


@T.prim_func
def summed_in_an_if(A: A_TYPE, B: B_TYPE, P: P_TYPE, C: C_TYPE):
    with T.Kernel(1, is_npu=True):
        a = T.alloc_shared((SIZE, SIZE), "float16")
        b = T.alloc_shared((SIZE, SIZE), "float16")
        c = T.alloc_fragment((SIZE, SIZE), "float32")
        for k in T.serial(PARTS):
            T.copy(A[0:SIZE, k * SIZE : k * SIZE + SIZE], a)
            T.copy(B[k * SIZE : k * SIZE + SIZE, 0:SIZE], b)
            if k < 2:
                T.gemm(a, b, c, initC=(k == 0))
        T.copy(c, C)


@T.prim_func
def stored_between_two_loops(A: A_TYPE, B: B_TYPE, P: P_TYPE, C: C_TYPE):
    with T.Kernel(1, is_npu=True):
        a = T.alloc_shared((SIZE, SIZE), "float16")
        b = T.alloc_shared((SIZE, SIZE), "float16")
        c = T.alloc_fragment((SIZE, SIZE), "float32")
        for i in T.serial(2):
            for j in T.serial(2):
                k = i * 2 + j
                T.copy(A[0:SIZE, k * SIZE : k * SIZE + SIZE], a)
                T.copy(B[k * SIZE : k * SIZE + SIZE, 0:SIZE], b)
                T.gemm(a, b, c, initC=(k == 0))
            T.copy(c, P[i, 0:SIZE, 0:SIZE])
        T.copy(c, C)


# What each kernel leaves in P and C, as (factor, number of parts summed).
Sums = list[tuple[int, int]]
KERNELS: dict[str, tuple[T.PrimFunc, Sums, int]] = {
    "stored each turn": (stored_each_turn, [(1, 1), (1, 2), (1, 3), (1, 4)], 4),
    "computed each turn": (computed_each_turn, [(2, 1), (2, 2), (2, 3), (2, 4)], 4),
    "stored in an if": (stored_in_an_if, [(0, 0), (0, 0), (1, 3), (0, 0)], 4),
    "summed in an if": (summed_in_an_if, [(0, 0)] * 4, 2),
    "stored between two loops": (stored_between_two_loops, [(1, 2), (1, 4), (0, 0), (0, 0)], 4),
}


def _check(name: str, start: Callable[[T.PrimFunc, list[torch.Tensor]], list[str]]) -> None:
    func, partial, parts = KERNELS[name]
    torch.manual_seed(0)
    a, b = (torch.randn(SIZE, SUM) / SUM**0.5).half(), torch.randn(SUM, SIZE).half()
    p, c = torch.zeros(PARTS, SIZE, SIZE), torch.zeros(SIZE, SIZE)
    sums = [a[:, : n * SIZE].float() @ b[: n * SIZE].float() for n in range(PARTS + 1)]
    assert start(func, [a, b, p, c]) == []
    limit = tolerance("float32")
    expected = torch.stack([factor * sums[n] for factor, n in partial])
    torch.testing.assert_close(p, expected, rtol=limit, atol=limit)
    torch.testing.assert_close(c, sums[parts], rtol=limit, atol=limit)


def _simulated(backend: Backend) -> Callable[[T.PrimFunc, list[torch.Tensor]], list[str]]:
    def start(func: T.PrimFunc, tensors: list[torch.Tensor]) -> list[str]:
        done = compile_module(func.module, func.sources, mode="Developer", backend=backend)
        launch = signature(done.tile, func.sources)
        program = generate(done.executable, launch, func.sources, DEFAULT_CHIP)
        found = run(program, tensors, symbols={}, checks="all", chip=DEFAULT_CHIP)
        return [finding.diagnostic.what for finding in found.findings]

    return start


@pytest.mark.parametrize("name", KERNELS)
def test_the_simulator_agrees_with_torch(name: str) -> None:
    _check(name, _simulated("embedded"))


# The real compiler refuses an accumulator that two nested loops carry: TL351.
@pytest.mark.bishengir
@pytest.mark.parametrize("name", [name for name in KERNELS if "two loops" not in name])
def test_the_real_back_half_agrees_with_torch(name: str, bishengir_opt: Path) -> None:
    _check(name, _simulated("bishengir"))


@pytest.mark.parametrize("name", KERNELS)
def test_the_functional_executor_agrees_with_torch(name: str) -> None:
    def start(func: T.PrimFunc, tensors: list[torch.Tensor]) -> list[str]:
        module = func.module.clone()
        stamp(module, mode="Developer", target="npuir", out_idx=(), pass_configs={})
        program = functional_generate.generate(module, func.sources)
        found = functional_run.run(program, tensors, symbols={})
        return [finding.diagnostic.what for finding in found.findings]

    _check(name, start)
