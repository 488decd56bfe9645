"""The npu tensor as an object: text, copies, pickles, memory, gradients, modules."""

from __future__ import annotations

import copy
import io
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest
import torch

from tlcourse import device
from tlcourse.device.errors import DeviceTypeError, UnsupportedError
from tlcourse.device.tensor import NpuTensor


def test_wrap_and_unwrap_share_memory() -> None:
    host = torch.zeros(2, 3)
    here = device.wrap(host)
    here[0, 1] = 7
    assert host[0, 1] == 7
    assert device.unwrap(here).data_ptr() == host.data_ptr()
    assert device.wrap(here) is here
    assert device.unwrap(host) is host


def test_wrapped_tensor_keeps_its_own_shape() -> None:
    host = torch.zeros(2, 3)
    device.wrap(host).unsqueeze_(0)
    assert host.shape == (2, 3)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: torch.ones(2), "tensor([1., 1.], device='npu:0')"),
        (lambda: torch.ones(1).half(), "tensor([1.], device='npu:0', dtype=torch.float16)"),
        (lambda: torch.tensor(3), "tensor(3, device='npu:0')"),
        (lambda: torch.empty(0, 3), "tensor([], device='npu:0', size=(0, 3))"),
    ],
    ids=["plain", "dtype", "number", "empty"],
)
def test_text(make: Callable[[], torch.Tensor], text: str) -> None:
    assert repr(make().npu()) == text


def test_text_of_tensors_with_history() -> None:
    leaf = torch.ones(1, device="npu", requires_grad=True)
    assert repr(leaf) == "tensor([1.], device='npu:0', requires_grad=True)"
    assert repr(leaf * 2) == "tensor([2.], device='npu:0', grad_fn=<MulBackward0>)"


def test_text_of_a_parameter() -> None:
    parameter = torch.nn.Parameter(torch.ones(1).npu())
    assert repr(parameter) == (
        "Parameter containing:\ntensor([1.], device='npu:0', requires_grad=True)"
    )


def test_format_with_a_spec_is_for_numbers() -> None:
    with pytest.raises(TypeError, match="format string"):
        f"{torch.ones(2).npu():.2f}"


def test_numbers_come_out() -> None:
    x = torch.tensor([1.0, 2.5]).npu()
    assert (x.tolist(), x[1].item(), float(x.sum()), int(x[0])) == ([1.0, 2.5], 2.5, 3.5, 1)
    assert (f"{x[1]:.3f}", f"{x}") == ("2.500", repr(x))
    assert [number.item() for number in x] == [1.0, 2.5]


class TestMemory:
    """Nothing reads the memory that an npu tensor does not have."""

    def test_pointer_and_storage_are_those_of_the_numbers(self) -> None:
        x = torch.tensor([1.0, 2.0]).npu()
        assert x.data_ptr() == device.unwrap(x).data_ptr() != 0
        assert x.untyped_storage().data_ptr() == x.data_ptr()
        assert x.untyped_storage().nbytes() == 8

    @pytest.mark.parametrize(
        "ask",
        [
            lambda x: x.numpy(),
            lambda x: np.asarray(x),
            lambda x: np.array(x, copy=True),
            lambda x: np.exp(x),
            lambda x: np.from_dlpack(x),
            lambda x: x.__dlpack__(),
        ],
        ids=["numpy()", "np.asarray", "np.array", "np.exp", "np.from_dlpack", "__dlpack__"],
    )
    def test_host_memory_is_refused(self, ask: Callable[[torch.Tensor], object]) -> None:
        with pytest.raises(TypeError, match="can't convert npu:0") as caught:
            ask(torch.ones(2).npu())
        assert isinstance(caught.value, DeviceTypeError)
        assert caught.value.code == "TL441"

    def test_numpy_by_force_copies(self) -> None:
        x = torch.ones(2).npu()
        array = x.numpy(force=True)
        assert array.tolist() == [1.0, 1.0]

    def test_no_crash_behind_the_dispatcher(self) -> None:
        """Base class methods, called past the overrides, raise or answer: no dead process."""
        script = """
import torch
from tlcourse import device
device.install()
x = torch.ones(3).npu()
asks = [torch.Tensor.data_ptr, torch.Tensor.untyped_storage, torch.utils.dlpack.to_dlpack,
        lambda t: torch.Tensor.untyped_storage(t).data_ptr(), torch.Tensor.share_memory_,
        lambda t: torch.Tensor.untyped_storage(t)[0], lambda t: t.apply_(abs),
        lambda t: torch.UntypedStorage(8, device="npu"), lambda t: t.to_sparse_csr(),
        lambda t: t.cpu().untyped_storage().to(device="npu"), lambda t: t.map_(t, max),
        lambda t: torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(t)) + 1]
for ask in asks:
    try:
        ask(x)
    except Exception:
        pass
print("alive")
"""
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr

    def test_pinned_memory_is_ordinary_memory(self) -> None:
        there = torch.ones(2)
        assert there.pin_memory().tolist() == [1.0, 1.0]
        rows = torch.utils.data.TensorDataset(torch.arange(2.0))
        loader = torch.utils.data.DataLoader(rows, pin_memory=True)
        assert [row.npu(non_blocking=True).item() for (row,) in loader] == [0.0, 1.0]

    @pytest.mark.parametrize(
        "ask",
        [
            lambda x: x.pin_memory(),
            lambda x: x.to_sparse_csr(),
            lambda x: torch.nested.nested_tensor([x[0], x[1]], device="npu"),
        ],
        ids=["pin_memory", "sparse rows", "nested"],
    )
    @pytest.mark.filterwarnings("ignore:Sparse CSR:UserWarning", "ignore:The PyTorch API of nested")
    def test_what_it_cannot_hold(self, ask: Callable[[torch.Tensor], object]) -> None:
        with pytest.raises(RuntimeError, match="the simulated npu has no") as caught:
            ask(torch.eye(2).npu())
        assert isinstance(caught.value, UnsupportedError)
        assert caught.value.code == "TL444"


class TestCopies:
    def test_deepcopy_is_independent(self) -> None:
        x = torch.ones(2).npu()
        twin = copy.deepcopy(x)
        x.zero_()
        assert (type(twin), twin.tolist()) == (NpuTensor, [1.0, 1.0])

    def test_deepcopy_keeps_one_tensor_one(self) -> None:
        x = torch.ones(2).npu()
        first, second = copy.deepcopy([x, x])
        assert first is second

    def test_deepcopy_keeps_views_views(self) -> None:
        x = torch.arange(4.0).npu()
        base, view = copy.deepcopy([x, x[2:]])
        view.zero_()
        assert base.tolist() == [0.0, 1.0, 0.0, 0.0]
        assert x.tolist() == [0.0, 1.0, 2.0, 3.0]

    def test_deepcopy_keeps_gradients(self) -> None:
        x = torch.ones(2, device="npu", requires_grad=True)
        x.sum().backward()
        twin = copy.deepcopy(x)
        assert twin.requires_grad
        assert twin.grad is not None
        assert twin.grad is not x.grad
        assert twin.grad.tolist() == [1.0, 1.0]

    def test_deepcopy_of_a_result_is_refused_as_by_torch(self) -> None:
        with pytest.raises(RuntimeError, match="graph leaves"):
            copy.deepcopy(torch.ones(2, device="npu", requires_grad=True) * 2)

    def test_deepcopy_of_a_module(self) -> None:
        module = torch.nn.Linear(2, 2).npu()
        twin = copy.deepcopy(module)
        twin.weight.data.zero_()
        assert isinstance(twin.weight, torch.nn.Parameter)
        assert twin.weight.requires_grad
        assert module.weight.abs().sum().item() > 0

    def test_pickle(self) -> None:
        x = torch.tensor([1.0, 2.0], device="npu", requires_grad=True)
        back = pickle.loads(pickle.dumps(x))
        assert (str(back.device), back.tolist(), back.requires_grad) == ("npu:0", [1.0, 2.0], True)

    def test_pickle_of_a_module(self) -> None:
        module = torch.nn.Linear(2, 2).npu()
        back = pickle.loads(pickle.dumps(module))
        assert isinstance(back.weight, torch.nn.Parameter)
        torch.testing.assert_close(back.weight, module.weight)

    @pytest.mark.parametrize(("place", "kind"), [(None, "npu"), ("cpu", "cpu")])
    def test_save_and_load(self, place: str | None, kind: str) -> None:
        file = io.BytesIO()
        torch.save({"x": torch.arange(3).npu()}, file)
        file.seek(0)
        back = torch.load(file, map_location=place, weights_only=True)["x"]
        assert (back.device.type, back.tolist()) == (kind, [0, 1, 2])


class TestData:
    def test_assigning_takes_over_memory_and_shape(self) -> None:
        x, y = torch.ones(2).npu(), torch.arange(3.0).npu()
        x.data = y
        y[0] = 9
        assert x.tolist() == [9.0, 1.0, 2.0]
        assert (x + 1).tolist() == [10.0, 2.0, 3.0]

    def test_reading_has_no_history_and_counts_its_own_writes(self) -> None:
        x = torch.ones(2, device="npu", requires_grad=True)
        y = x * x
        x.data.mul_(2)
        y.sum().backward()
        assert not x.data.requires_grad
        assert x.tolist() == [2.0, 2.0]


class TestGradients:
    def test_of_a_sum(self) -> None:
        x = torch.tensor([1.0, 2.0], device="npu", requires_grad=True)
        (x * x).sum().backward()
        assert x.grad is not None
        assert (x.grad.device.type, x.grad.tolist()) == ("npu", [2.0, 4.0])

    def test_through_a_write_to_a_view(self) -> None:
        x = torch.ones(4, device="npu", requires_grad=True)
        y = x * 2
        y.view(2, 2)[0].mul_(3)
        y.sum().backward()
        assert x.grad is not None
        assert x.grad.tolist() == [6.0, 6.0, 2.0, 2.0]

    def test_through_an_in_place_transpose(self) -> None:
        x = torch.ones(2, 3, device="npu", requires_grad=True)
        y = x * 2
        y.t_()
        (y * torch.arange(6.0).npu().view(3, 2)).sum().backward()
        assert x.grad is not None
        assert x.grad.tolist() == [[0.0, 4.0, 8.0], [2.0, 6.0, 10.0]]

    def test_twice(self) -> None:
        x = torch.ones(1, device="npu", requires_grad=True)
        (slope,) = torch.autograd.grad(x.pow(3), x, create_graph=True)
        (bend,) = torch.autograd.grad(slope, x)
        assert (slope.item(), bend.item()) == (3.0, 6.0)

    def test_in_another_thread(self) -> None:
        x = torch.ones(2, device="npu", requires_grad=True)
        thread = threading.Thread(target=lambda: (x * 3).sum().backward())
        thread.start()
        thread.join()
        assert x.grad is not None
        assert x.grad.tolist() == [3.0, 3.0]


class TestModules:
    def test_buffers_and_meta_modules(self) -> None:
        module = torch.nn.BatchNorm1d(2).npu()
        assert {buffer.device.type for buffer in module.buffers()} == {"npu"}
        empty = torch.nn.Linear(2, 2, device="meta").to_empty(device="npu")
        assert empty.weight.device.type == "npu"
        assert torch.nn.Linear(2, 2, device="npu").weight.device.type == "npu"

    def test_tied_weights_stay_tied(self) -> None:
        layer = torch.nn.Linear(2, 2)
        both = torch.nn.Sequential(layer, layer).npu()
        assert both[0].weight is both[1].weight

    def test_moving_there_and_back(self) -> None:
        module = torch.nn.Linear(2, 2)
        expected = module(torch.ones(1, 2))
        module.npu()
        assert isinstance(module.weight, torch.nn.Parameter)
        torch.testing.assert_close(module(torch.ones(1, 2).npu()).cpu(), expected)
        module.cpu()
        assert type(module.weight) is torch.nn.Parameter

    def test_change_of_dtype_reaches_the_numbers(self) -> None:
        module = torch.nn.Linear(2, 2).npu().half()
        assert module.weight.dtype == torch.half
        assert device.unwrap(module.weight).dtype == torch.half
        assert module(torch.ones(1, 2).npu().half()).dtype == torch.half

    def test_training_is_the_same_as_on_the_cpu(self) -> None:
        def losses(place: str) -> list[float]:
            torch.manual_seed(0)
            module = torch.nn.Sequential(
                torch.nn.Conv2d(1, 2, 3),
                torch.nn.BatchNorm2d(2),
                torch.nn.Flatten(),
                torch.nn.Linear(8, 2),
            ).to(place)
            x = torch.randn(3, 1, 4, 4).to(place)
            optimizer = torch.optim.AdamW(module.parameters(), lr=0.1)
            found: list[float] = []
            for _ in range(3):
                loss = module(x).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                found.append(loss.item())
            return found

        assert losses("npu") == pytest.approx(losses("cpu"), rel=1e-5)
        assert losses("npu")[2] < losses("npu")[0]
