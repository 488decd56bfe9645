"""Operations on npu tensors: values against the CPU, and the device's rules."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
import torch
from torch.nn import functional

from tlcourse import device
from tlcourse.device.errors import DeviceError
from tlcourse.diagnostics import TLError

OPERATIONS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "add": lambda a, b: a + b,
    "matmul with a transpose": lambda a, b: a @ b.T,
    "einsum": lambda a, b: torch.einsum("ik,jk->ij", a, b),
    "softmax": lambda a, b: torch.softmax(a, -1),
    "attention": lambda a, b: functional.scaled_dot_product_attention(a[None], b[None], b[None]),
    "layer norm": lambda a, b: functional.layer_norm(a, (8,)),
    "linear": lambda a, b: functional.linear(a, b),
    "cat": lambda a, b: torch.cat([a, b]),
    "stack": lambda a, b: torch.stack([a, b]),
    "where": lambda a, b: torch.where(a > 0, a, b),
    "max over a dim": lambda a, b: a.max(dim=1).values,
    "topk": lambda a, b: torch.topk(a, 2).values,
    "sort": lambda a, b: a.sort(dim=1)[0],
    "bool mask": lambda a, b: a[a > 0],
    "index by a tensor": lambda a, b: a[torch.argsort(b[:, 0])],
    "transpose, contiguous, view": lambda a, b: a.t().contiguous().view(2, -1),
    "split": lambda a, b: a.split(2)[1],
    "integer matmul": lambda a, b: (a * 9).int() @ (b * 9).int().T,
    "convolution": lambda a, b: functional.conv1d(a[None], b[:, :4, None]),
    "svd": lambda a, b: torch.linalg.svd(a).S,
    "fft": lambda a, b: torch.fft.fft(a).abs(),
    "mixed dtypes with a number": lambda a, b: a.half() + 2.5,
}


@pytest.fixture
def pair() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(11)
    return torch.randn(4, 8, generator=generator), torch.randn(4, 8, generator=generator)


@pytest.mark.parametrize("name", OPERATIONS)
def test_result_stays_on_the_npu_and_equals_the_cpu(
    name: str, pair: tuple[torch.Tensor, torch.Tensor]
) -> None:
    a, b = pair
    result = OPERATIONS[name](a.npu(), b.npu())
    expected = OPERATIONS[name](a, b)
    assert result.device.type == "npu"
    assert (result.dtype, result.shape, result.stride()) == (
        expected.dtype,
        expected.shape,
        expected.stride(),
    )
    torch.testing.assert_close(result.cpu(), expected, rtol=0, atol=0)


def test_cpu_copies() -> None:
    here = torch.ones(2).npu()
    there = here.cpu()
    here.zero_()
    assert (type(there), there.tolist()) == (torch.Tensor, [1.0, 1.0])


@pytest.mark.parametrize("place", ["npu", "npu:0", 0])
def test_moving_to_where_it_is_returns_the_tensor(place: str | int) -> None:
    here = torch.ones(2).npu()
    assert here.to(place) is here


def test_result_goes_where_it_is_asked_for() -> None:
    here = torch.ones(2).npu()
    assert torch.empty_like(here, device="cpu").device.type == "cpu"
    assert here.to("cpu", torch.half).dtype == torch.half
    assert here.to("meta").device.type == "meta"
    assert here.to(torch.half).device.type == "npu"


class TestWrites:
    def test_write_through_a_view(self) -> None:
        base = torch.zeros(2, 2).npu()
        base.view(-1)[0] = 5
        assert base.tolist() == [[5.0, 0.0], [0.0, 0.0]]

    def test_assignments(self) -> None:
        z = torch.zeros(3, 3, device="npu")
        z[1:3, :] = 1
        z[0] = torch.full((3,), 2.0)
        z[torch.tensor([1]), torch.tensor([1])] = torch.tensor([7.0]).npu()
        z[z == 1] = -1
        assert z.tolist() == [[2.0, 2.0, 2.0], [-1.0, 7.0, -1.0], [-1.0, -1.0, -1.0]]

    def test_in_place_returns_the_same_tensor(self) -> None:
        z = torch.ones(2).npu()
        assert z.add_(1) is z
        assert z.tolist() == [2.0, 2.0]

    def test_copy_between_devices_both_ways(self) -> None:
        here, there = torch.zeros(2).npu(), torch.zeros(2)
        assert here.copy_(torch.ones(2)) is here
        assert there.copy_(here) is there
        assert there.tolist() == [1.0, 1.0]

    @pytest.mark.parametrize(
        ("change", "shape", "values"),
        [
            (lambda z: z.t_(), (3, 2), [[0, 3], [1, 4], [2, 5]]),
            (lambda z: z.transpose_(0, 1), (3, 2), [[0, 3], [1, 4], [2, 5]]),
            (lambda z: z.unsqueeze_(0), (1, 2, 3), [[[0, 1, 2], [3, 4, 5]]]),
            (lambda z: z.unsqueeze_(0).squeeze_(0), (2, 3), [[0, 1, 2], [3, 4, 5]]),
            (lambda z: z.resize_(3), (3,), [0, 1, 2]),
            (lambda z: z.set_(torch.ones(1).npu()), (1,), [1]),
        ],
        ids=["t_", "transpose_", "unsqueeze_", "squeeze_", "resize_", "set_"],
    )
    def test_in_place_change_of_shape(
        self,
        change: Callable[[torch.Tensor], torch.Tensor],
        shape: tuple[int, ...],
        values: list[object],
    ) -> None:
        z = torch.arange(6.0).reshape(2, 3).npu()
        assert change(z) is z
        assert (z.shape, z.tolist()) == (shape, values)
        assert z.stride() == device.unwrap(z).stride()
        assert (z + 1).shape == shape

    def test_out_argument_is_resized(self) -> None:
        out = torch.empty(0, device="npu")
        assert torch.add(torch.ones(2).npu(), 1, out=out) is out
        assert out.tolist() == [2.0, 2.0]

    def test_results_that_are_no_arguments_are_new(self) -> None:
        x, mean, var = torch.randn(4, 3).npu(), torch.zeros(3).npu(), torch.ones(3).npu()
        y = functional.batch_norm(x, mean, var, training=True)
        expected = functional.batch_norm(x.cpu(), torch.zeros(3), torch.ones(3), training=True)
        torch.testing.assert_close(y.cpu(), expected)
        assert mean.abs().sum() > 0


class TestMixing:
    @pytest.mark.parametrize(
        "mix",
        [
            lambda here: here + here.cpu(),
            lambda here: here.cpu() + here,
            lambda here: here.cpu() + here[0],
            lambda here: torch.cat([here, here.cpu()]),
            lambda here: here.add_(here.cpu()),
            lambda here: here.masked_fill_(here.cpu() > 0, 0),
        ],
        ids=["npu + cpu", "cpu + npu", "cpu + npu number", "in a list", "in place", "mask"],
    )
    def test_is_refused(self, mix: Callable[[torch.Tensor], torch.Tensor]) -> None:
        with pytest.raises(RuntimeError, match=r"Expected all tensors .* same device") as caught:
            mix(torch.ones(2).npu())
        assert isinstance(caught.value, TLError)
        assert caught.value.code == "TL440"
        assert ".npu()" in caught.value.diagnostic.fix

    def test_single_cpu_numbers_may_come_along(self) -> None:
        assert (torch.ones(2).npu() + torch.tensor(2.0)).tolist() == [3.0, 3.0]

    def test_cpu_indices_may_come_along(self) -> None:
        assert torch.arange(3.0).npu()[torch.tensor([2])].tolist() == [2.0]


@pytest.mark.parametrize(
    "ask",
    [
        lambda: torch.ones(2).to("npu:3"),
        lambda: torch.ones(2).to(3),
        lambda: torch.ones(2).npu(1),
        lambda: torch.zeros(2, device="npu:3"),
        lambda: torch.ones(2).npu().to("npu:1"),
    ],
    ids=["to(npu:3)", "to(3)", "npu(1)", "factory", "from npu to npu"],
)
def test_device_that_is_not_there(ask: Callable[[], torch.Tensor]) -> None:
    with pytest.raises(DeviceError) as caught:
        ask()
    assert caught.value.code == "TL442"


class TestComparing:
    def test_equal_tensors(self) -> None:
        x = torch.arange(4.0).npu()
        torch.testing.assert_close(x, x.clone())
        assert torch.equal(x, x.clone())
        assert bool((x == x).all())

    def test_different_numbers_are_counted(self) -> None:
        x = torch.arange(4.0).npu()
        with pytest.raises(AssertionError, match="Mismatched elements: 4 / 4"):
            torch.testing.assert_close(x, x + 1)

    def test_different_devices_are_told(self) -> None:
        x = torch.arange(4.0).npu()
        with pytest.raises(AssertionError, match="npu:0 != cpu"):
            torch.testing.assert_close(x, x.cpu())


class TestOwnKernels:
    """Operations that a package defines for the npu get npu tensors, as on hardware."""

    def test_of_a_library(self) -> None:
        places: list[str] = []

        def fill(source: torch.Tensor, target: torch.Tensor) -> None:
            places.append(f"{source.device} {target.device}")
            target.copy_(source + 1)

        with torch.library._scoped_library("tests_of_own_kernels", "DEF") as library:
            library.define("fill(Tensor source, Tensor(a!) target) -> ()")
            library.impl("fill", fill, "PrivateUse1")
            target = torch.zeros(2).npu()
            torch.ops.tests_of_own_kernels.fill(torch.ones(2).npu(), target)
        assert places == ["npu:0 npu:0"]
        assert target.tolist() == [2.0, 2.0]

    @pytest.mark.parametrize("types", ["npu", None])
    def test_of_a_custom_operation_with_a_gradient(self, types: str | None) -> None:
        name = f"tests_of_own_kernels::twice_{types}"
        places: list[str] = []

        @torch.library.custom_op(name, mutates_args=(), device_types=types)
        def twice(x: torch.Tensor) -> torch.Tensor:
            places.append(str(x.device))
            return x * 2

        twice.register_autograd(lambda _, slope: slope * 2)
        x = torch.ones(2, device="npu", requires_grad=True)
        twice(x).sum().backward()
        assert places == ["npu:0"]
        assert x.grad is not None
        assert x.grad.tolist() == [2.0, 2.0]


def test_operation_without_a_kernel_says_so() -> None:
    x = torch.ones(2, 2).npu()
    with pytest.raises(NotImplementedError, match="no aten::_thnn_fused_gru_cell") as caught:
        torch.ops.aten._thnn_fused_gru_cell(x.repeat(1, 3), x.repeat(1, 3), x)
    assert isinstance(caught.value, TLError)
    assert caught.value.code == "TL444"


def test_operations_in_many_threads() -> None:
    """Draws change a state that all threads share: none is lost, and the CPU's stays."""
    x = torch.ones(64).npu()

    def draw() -> None:
        for _ in range(50):
            functional.dropout(x, training=True)

    state = torch.get_rng_state()
    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert torch.equal(torch.get_rng_state(), state)


def test_half_and_float_together_give_the_first_ones_dtype() -> None:
    half, single = torch.randn(3, 4).half(), torch.randn(4, 5)
    product = half.npu() @ single.npu()
    assert product.dtype == torch.float16
    torch.testing.assert_close(product.cpu(), (half.float() @ single).half())
    with pytest.raises(RuntimeError, match=r"same dtype|expected scalar type"):
        half.npu() @ single.npu().int()
