"""Faults that people make with tensors and devices at a launch: a value or a coded error, always.

Each was reported against some kernel library, as a wrong result or as a message without help.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.jit import compile
from tlcourse.jit.kernel import Kernel


@pytest.fixture(autouse=True)
def _functional(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TLCOURSE_EXECUTION", "functional")
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path / "cache"))


@T.prim_func
def add(
    A: T.Tensor((8, 8), "float32"),
    B: T.Tensor((8, 8), "float32"),
    C: T.Tensor((8, 8), "float32"),
):
    with T.Kernel(1, is_npu=True):
        a = T.alloc_ub((8, 8), "float32")
        b = T.alloc_ub((8, 8), "float32")
        T.copy(A, a)
        T.copy(B, b)
        T.vadd(a, b, b)
        T.copy(b, C)


@pytest.fixture
def kernel() -> Kernel:
    return compile(add, out_idx=[2])


@pytest.fixture
def x() -> torch.Tensor:
    return torch.arange(64.0).view(8, 8).npu()


REFUSED: dict[str, tuple[Callable[[torch.Tensor], tuple[object, ...]], str]] = {
    "transposed": (lambda x: (x.t(), x), "TL406"),
    "every second column": (lambda x: (x.repeat(1, 2)[:, ::2], x), "TL406"),
    "transposed in place": (lambda x: (x.clone().t_(), x), "TL406"),
    "float64": (lambda x: (x.double(), x), "TL405"),
    "float16": (lambda x: (x.half(), x), "TL405"),
    "another shape": (lambda x: (x[:4], x), "TL407"),
    "another rank": (lambda x: (x.view(-1), x), "TL407"),
    "an argument too few": (lambda x: (x,), "TL401"),
    "None": (lambda x: (x, None), "TL402"),
    "a CPU tensor": (lambda x: (x, x.cpu()), "TL404"),
    "a NumPy array": (lambda x: (x, x.cpu().numpy()), "TL403"),
    "a list": (lambda x: (x, x.tolist()), "TL403"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore:warning.TL447")
def test_what_no_kernel_takes(name: str, kernel: Kernel, x: torch.Tensor) -> None:
    arguments, code = REFUSED[name]
    with pytest.raises(TLError) as caught:
        kernel(*arguments(x))
    assert caught.value.code == code
    assert caught.value.diagnostic.fix


TAKEN: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "a copy in order": lambda x: x.t().contiguous(),
    "rows of a bigger tensor": lambda x: torch.cat([x, x])[4:12],
    "resized in place": lambda x: torch.empty(0, device="npu").resize_(8, 8).copy_(x),
    "another tensor's data": lambda x: _with_data(torch.empty(1, device="npu"), x),
    "a parameter": lambda x: torch.nn.Parameter(x),
    "unsqueezed and back": lambda x: x.clone().unsqueeze_(0).squeeze_(0),
    "a channel of a batch": lambda x: torch.stack([x, x])[1],
}


def _with_data(tensor: torch.Tensor, data: torch.Tensor) -> torch.Tensor:
    tensor.data = data
    return tensor


@pytest.mark.parametrize("name", TAKEN)
def test_what_a_kernel_takes(name: str, kernel: Kernel, x: torch.Tensor) -> None:
    argument = TAKEN[name](x)
    out = kernel(argument, x)
    assert out.device.type == "npu"
    torch.testing.assert_close(out.cpu(), argument.detach().cpu() + x.cpu())


def test_float64_is_told_of_before_it_is_refused(kernel: Kernel) -> None:
    with pytest.warns(UserWarning, match="TL447"):
        x = torch.ones(8, 8, dtype=torch.float64).npu()
    with pytest.raises(TLError, match="float64"):
        kernel(x, x)


def test_integer_place_names_an_npu() -> None:
    assert str(torch.ones(1).to(0).device) == "npu:0"
    with pytest.raises(TLError, match="there is no device npu:3"):
        torch.ones(1).to(3)


def test_one_compilation_for_every_length() -> None:
    N = T.symbolic("N")

    @T.prim_func
    def double(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 256), is_npu=True) as (cid, _):
            a = T.alloc_ub((256,), "float32")
            n = T.min(256, N - cid * 256)
            T.copy(A[cid * 256 : cid * 256 + n], a[0:n])
            T.vadd(a, a, a)
            T.copy(a[0:n], B[cid * 256 : cid * 256 + n])

    kernel = compile(double, out_idx=[1])
    for length in (1000, 256, 1):
        x = torch.arange(float(length)).npu()
        assert torch.equal(kernel(x), x * 2)


def test_kernel_as_an_operation_of_torch(kernel: Kernel, x: torch.Tensor) -> None:
    @torch.library.custom_op("tests_of_launches::add", mutates_args=(), device_types="npu")
    def operation(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return kernel(a, b)

    operation.register_autograd(lambda _, slope: (slope, slope))
    a = x.clone().requires_grad_()
    operation(a, x).sum().backward()
    assert a.grad is not None
    assert torch.equal(a.grad, torch.ones_like(x))
