"""A call like one before is bound without a second look, and only then."""

from __future__ import annotations

import pytest
import torch

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.jit import Kernel, compile

M = T.symbolic("M")


@pytest.fixture
def kernel() -> Kernel:
    @T.prim_func
    def double(A: T.Tensor((M, 16), "float32"), B: T.Tensor((M, 16), "float32")):
        with T.Kernel(T.ceildiv(M, 4), is_npu=True) as (cid, _):
            a = T.alloc_ub((4, 16), "float32")
            T.copy(A[cid * 4, 0], a)
            T.vadd(a, a, a)
            T.copy(a, B[cid * 4, 0])

    return compile(double, mode="Expert")


def npu(rows: int, columns: int = 16) -> torch.Tensor:
    return torch.ones(rows, columns).npu()


def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of rows of each call that `bind` looks at."""
    from tlcourse.jit import binding

    seen: list[int] = []

    def noted(
        signature: object, arguments: tuple[torch.Tensor, ...], *rest: object, **more: object
    ):
        seen.append(arguments[0].shape[0])
        return binding.bind(signature, arguments, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("tlcourse.jit.rebinding.bind", noted)
    return seen


def test_each_shape_is_looked_at_once(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = looks(monkeypatch)
    for rows in (8, 8, 12, 8, 12):
        b = npu(rows) * 0
        kernel.launch(npu(rows), b, execution="functional")
        assert b.cpu().unique().tolist() == [2.0]
    assert seen == [8, 12]


def test_faults_are_told_behind_a_good_call(kernel: Kernel) -> None:
    a, b = npu(8), npu(8)
    kernel.launch(a, b, execution="functional")
    wrong = [
        ("TL409", (a, a)),
        ("TL404", (a.cpu(), b)),
        ("TL405", (a.half(), b)),
        ("TL406", (npu(16, 8).T, b)),
        ("TL407", (npu(8, 15), b)),
        ("TL401", (a,)),
    ]
    for code, arguments in wrong:
        with pytest.raises(TLError) as raised:
            kernel.launch(*arguments, execution="functional")
        assert raised.value.diagnostic.code == code


def test_what_the_bounds_of_the_device_let_pass_is_not_kept(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = looks(monkeypatch)
    monkeypatch.setenv("TLCOURSE_BOUNDS", "device")
    kernel.launch(npu(8), npu(8), execution="functional")
    monkeypatch.delenv("TLCOURSE_BOUNDS")
    for _ in range(3):
        kernel.launch(npu(8), npu(8), execution="functional")
    assert seen == [8, 8]
