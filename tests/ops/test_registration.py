"""Registered operators: under every name, traced whole, on the CPU and the npu, recorded."""

from __future__ import annotations

import importlib

import pytest
import torch
import torch_npu

from tlcourse.diagnostics import TLError
from tlcourse.ops import Operator, recorded, register


def x() -> torch.Tensor:
    return torch.randn(13, 1024, generator=torch.Generator().manual_seed(2)).half()


def wanted(value: torch.Tensor) -> torch.Tensor:
    return (torch.relu(value.float()) ** 2).half()


def test_the_operator_has_three_names(installed: str) -> None:
    package = importlib.import_module(installed)
    namespaced = getattr(torch.ops, installed)
    for function in (getattr(package, installed), getattr(namespaced, installed)):
        torch.testing.assert_close(function(x()), wanted(x()))
    on_npu = getattr(torch_npu, installed)(x().npu())
    assert on_npu.device.type == "npu"
    torch.testing.assert_close(on_npu.cpu(), wanted(x()))


def test_torch_checks_and_traces_it(installed: str) -> None:
    importlib.import_module(installed)
    operator = getattr(getattr(torch.ops, installed), installed)
    torch.library.opcheck(operator.default, (x(),))
    compiled = torch.compile(lambda v: operator(v) + 1, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(x()), wanted(x()) + 1)


def test_launches_are_recorded_where_somebody_asks(installed: str) -> None:
    package = importlib.import_module(installed)
    with recorded() as calls:
        getattr(package, installed)(x())
    getattr(package, installed)(x())
    (call,) = calls
    assert (call.package, call.operator, call.variant) == (installed, installed, "M-N1024-float16")
    assert call.shapes == ((13, 1024), (13, 1024))
    assert call.bytes == 2 * 13 * 1024 * 2


def test_a_name_is_given_once(installed: str) -> None:
    importlib.import_module(installed)
    twice = Operator(name=installed, schema="(Tensor x) -> Tensor", run=wanted, fake=wanted)
    with pytest.raises(TLError, match="TL488"):
        register(installed, [twice])


def test_gradients_come_from_the_given_function() -> None:
    def keep(
        ctx: torch.autograd.function.FunctionCtx, inputs: tuple[torch.Tensor], output: object
    ) -> None:
        ctx.save_for_backward(inputs[0])

    def back(ctx: torch.autograd.function.FunctionCtx, grad: torch.Tensor) -> torch.Tensor:
        (kept,) = ctx.saved_tensors  # type: ignore[attr-defined]
        return grad * 3 * kept**2

    cube = Operator(
        name="cube",
        schema="(Tensor x) -> Tensor",
        run=lambda v: v**3,
        fake=torch.empty_like,
        backward=back,
        setup=keep,
    )
    register("opsgrad", [cube])
    value = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    torch.ops.opsgrad.cube(value).sum().backward()
    assert value.grad is not None
    assert value.grad.tolist() == [3.0, 12.0, 27.0]
    torch.library.opcheck(torch.ops.opsgrad.cube.default, (value,))
