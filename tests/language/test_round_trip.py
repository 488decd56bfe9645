"""Tile IR of many kernels: its text reads back, every op has a place, runs agree."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

import tlcourse.language as T
from tlcourse.dialects.locations import located
from tlcourse.dialects.text import from_text, to_text
from tlcourse.examples import minicv


def vector_add_expert() -> T.PrimFunc:
    @T.prim_func
    def vector_add(
        A: T.Tensor((1024,), "float32"),
        B: T.Tensor((1024,), "float32"),
        C: T.Tensor((1024,), "float32"),
    ):
        with T.Kernel(8, is_npu=True) as (cid, _):
            a = T.alloc_ub((128,), "float32")
            b = T.alloc_ub((128,), "float32")
            with T.rs("PIPE_MTE2"):
                T.copy(A[cid * 128], a)
                T.copy(B[cid * 128], b)
                T.set_flag("PIPE_V", 0)
            with T.rs("PIPE_V"):
                T.wait_flag("PIPE_MTE2", 0)
                T.npuir_add(a, b, a)
                T.pipe_barrier("PIPE_V")
                T.set_flag("PIPE_MTE3", 0)
            with T.rs("PIPE_MTE3"):
                T.wait_flag("PIPE_V", 0)
                T.copy(a, C[cid * 128])

    return vector_add


def vector_add_developer() -> T.PrimFunc:
    @T.prim_func
    def vector_add(
        A: T.Tensor((1024,), "float16"),
        B: T.Tensor((1024,), "float16"),
        C: T.Tensor((1024,), "float16"),
    ):
        with T.Kernel(8, is_npu=True) as (cid, _):
            a = T.alloc_shared((128,), "float16")
            b = T.alloc_shared((128,), "float16")
            T.copy(A[cid * 128 : (cid + 1) * 128], a)
            T.copy(B[cid * 128 : (cid + 1) * 128], b)
            T.vadd(a, b, a)
            T.copy(a, C[cid * 128 : (cid + 1) * 128])

    return vector_add


def exp_chain() -> T.PrimFunc:
    """A dynamic 2-D grid with tails and a chain of vector ops."""
    M, N = T.dynamic("M, N")

    @T.prim_func
    def exp_chain(A: T.Tensor((M, N), "bfloat16"), B: T.Tensor((M, N), "bfloat16"), s: T.float32):
        with T.Kernel(T.ceildiv(M, 64), T.ceildiv(N, 64), is_npu=True) as (bx, by, _):
            rows = T.min(64, M - bx * 64)
            cols = T.min(64, N - by * 64)
            a = T.alloc_ub((64, 64), "bfloat16")
            row, col = bx * 64, by * 64
            T.copy(A[row : row + rows, col : col + cols], a[0:rows, 0:cols])
            T.vmul(a, s, a)
            T.vexp(a, a)
            T.vadd(a, a[0, 0], a)
            T.copy(a[0:rows, 0:cols], B[row : row + rows, col : col + cols])

    return exp_chain


@T.macro
def scaled(tile, factor):
    T.vmul(tile, factor, tile)


def everything_else(double: bool = True) -> T.PrimFunc:
    @T.prim_func
    def everything_else(
        A: T.Tensor((64, 32), "float32"),
        K: T.Tensor((64,), "int32"),
        B: T.Tensor((64, 32), "float32"),
    ):
        """A docstring is no statement."""
        with T.Kernel(2, is_npu=True) as (cid, _):
            a_1 = T.alloc_shared((32, 32), "float32")
            index = T.alloc_shared((32,), "int32")
            half = T.alloc_fragment((32, 32), "float16")
            T.copy(A[cid * 32, 0], a_1, size=[32, 32])
            T.copy(K[cid * 32 : cid * 32 + 32], index)
            if double:
                scaled(a_1, 2.0)
            for i in range(4, 32):
                k = index[i]
                if (k > 0 and not k == 7) or cid >= 1:
                    a_1[i, 0] = a_1[k, 1] / 3 + T.cast(k, "float32")
                elif 0 <= k < 3:
                    a_1[i, 0] += T.exp(a_1[i, 1])
                else:
                    T.fill(a_1[i, 0:4], -T.infinity("float32"))
            for i, j in T.Parallel(32, 32):
                a_1[i, j] = T.max(a_1[i, j] * 0.1, T.if_then_else(i < j, 1.0, a_1[i, j]))
            T.vcast(a_1, half, round_mode="round")
            T.vcast(half, a_1)
            T.clear(half)
            T.print(a_1[0:1, 0:4], "row")
            T.print(cid)
            for step in T.Pipelined(2, num_stages=2):
                T.copy(a_1[step * 16 : step * 16 + 16, :], B[cid * 32 + step * 16, 0])

    return everything_else


KERNELS: dict[str, Callable[[], T.PrimFunc]] = {
    "vector_add_expert": vector_add_expert,
    "vector_add_developer": vector_add_developer,
    "exp_chain": exp_chain,
    "everything_else": everything_else,
    "minicv_developer": lambda: minicv.minicv_developer(512, 512, 256, 128, 256, 64),
    "minicv_expert": lambda: minicv.minicv_expert(512, 512, 256, 128, 256, 64),
}


@pytest.mark.parametrize("locations", [False, True])
@pytest.mark.parametrize("name", KERNELS)
def test_text_reads_back(name: str, locations: bool) -> None:
    text = to_text(KERNELS[name]().module, locations=locations)
    read = from_text(text)
    read.verify()
    assert to_text(read, locations=locations) == text


@pytest.mark.parametrize("name", KERNELS)
def test_every_op_has_a_place_in_the_kernels_text(name: str) -> None:
    kernel = KERNELS[name]()
    assert all(located(op) for op in kernel.module.walk())
    assert set(kernel.sources) <= {
        "tests/language/test_round_trip.py",
        "tlcourse/examples/minicv.py",
    }


@pytest.mark.parametrize("name", KERNELS)
def test_twenty_readings_give_one_text(name: str) -> None:
    texts = {to_text(KERNELS[name]().module, locations=True) for _ in range(20)}
    assert len(texts) == 1


@pytest.mark.parametrize("name", KERNELS)
def test_the_script_names_what_the_kernel_names(name: str) -> None:
    kernel = KERNELS[name]()
    script = kernel.script()
    assert script.startswith(f"@T.prim_func\ndef {kernel.name}(")
    assert "with T.Kernel(" in script
    assert "tl." not in script


def digest() -> str:
    """One hash over the Tile IR of all kernels."""
    texts = [to_text(make().module, locations=True) for make in KERNELS.values()]
    return hashlib.sha256("".join(texts).encode()).hexdigest()


@pytest.mark.parametrize("seed", ["4711"])
def test_the_hash_seed_changes_nothing(seed: str) -> None:
    program = (
        "import importlib.util, sys\n"
        "import tlcourse\n"
        f"spec = importlib.util.spec_from_file_location('kernels', {__file__!r})\n"
        "module = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(module)\n"
        "print(module.digest())\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    found = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == digest()
