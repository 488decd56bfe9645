"""Every test here has the npu, an empty cache of its own and a plain environment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import tlcourse.language as T
from tlcourse import device
from tlcourse.language import PrimFunc

_VARIABLES = (
    "TILELANG_ASCEND_MODE",
    "TILELANG_ASCEND_DEVICE_NAME",
    "TILELANG_DISABLE_CACHE",
    "TLCOURSE_COMPILER",
    "TLCOURSE_EXECUTION",
    "TLCOURSE_CHECKS",
)


@pytest.fixture(autouse=True)
def _plain_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    device.install()
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def add() -> Callable[..., PrimFunc]:
    """Makes kernels that add two vectors, `block` elements a block."""
    return _add


@pytest.fixture
def doubled() -> PrimFunc:
    """A kernel for a vector whose length is known at the launch."""
    N = T.symbolic("N")

    @T.prim_func
    def doubled(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // 32, is_npu=True) as (cid, _):
            a = T.alloc_ub((32,), "float32")
            T.copy(A[cid * 32 : (cid + 1) * 32], a)
            T.vadd(a, a, a)
            T.copy(a, B[cid * 32 : (cid + 1) * 32])

    return doubled


def _add(size: int, block: int = 32, dtype: str = "float32") -> PrimFunc:
    @T.prim_func
    def add(
        A: T.Tensor((size,), dtype),
        B: T.Tensor((size,), dtype),
        C: T.Tensor((size,), dtype),
    ):
        with T.Kernel(size // block, is_npu=True) as (cid, _):
            a = T.alloc_ub((block,), dtype)
            b = T.alloc_ub((block,), dtype)
            T.copy(A[cid * block : (cid + 1) * block], a)
            T.copy(B[cid * block : (cid + 1) * block], b)
            T.vadd(a, b, b)
            T.copy(b, C[cid * block : (cid + 1) * block])

    return add
