"""Random numbers of the npu: seeds, a generator of its own, the CPU left alone."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable

import pytest
import torch

from tlcourse.device.generator import cpu_draws_from_npu


def test_same_seed_gives_the_same_numbers_on_both_devices() -> None:
    torch.manual_seed(3)
    there, here = torch.randn(4), torch.randn(4, device="npu")
    assert there.tolist() == here.tolist()


def test_generator_for_the_npu() -> None:
    generator = torch.Generator(device="npu").manual_seed(3)
    first = torch.randn(3, device="npu", generator=generator)
    second = torch.randn(3, device="npu", generator=generator)
    assert str(generator.device) == "npu:0"
    assert first.tolist() == torch.randn(3, generator=torch.Generator().manual_seed(3)).tolist()
    assert first.tolist() != second.tolist()


def test_other_generators_are_torchs_own() -> None:
    assert torch.Generator().device.type == "cpu"
    assert isinstance(torch.default_generator, torch.Generator)
    assert isinstance(torch.Generator("npu"), torch.Generator)
    assert not isinstance(3, torch.Generator)


def test_npu_draws_leave_the_cpu_alone() -> None:
    torch.manual_seed(5)
    expected = torch.randn(3).tolist()
    torch.manual_seed(5)
    x = torch.randn(2, device="npu")
    torch.rand_like(x)
    torch.nn.functional.dropout(x, training=True)
    assert torch.randn(3).tolist() == expected


def test_cpu_draws_leave_the_npu_alone() -> None:
    torch.npu.manual_seed(5)
    expected = torch.nn.functional.dropout(torch.ones(64).npu()).tolist()
    torch.npu.manual_seed(5)
    torch.randn(3)
    assert torch.nn.functional.dropout(torch.ones(64).npu()).tolist() == expected


def test_state_can_be_kept() -> None:
    state = torch.npu.get_rng_state()
    first = torch.randn(3, device="npu").tolist()
    torch.npu.set_rng_state(state)
    assert torch.randn(3, device="npu").tolist() == first


def test_fork_rng_puts_the_state_back() -> None:
    torch.manual_seed(1)
    with torch.random.fork_rng(devices=[0], device_type="npu"):
        inside = torch.randn(3, device="npu").tolist()
    assert torch.randn(3, device="npu").tolist() == inside


@pytest.mark.parametrize(
    "copied",
    [
        lambda generator: generator.clone_state(),
        copy.deepcopy,
        lambda generator: pickle.loads(pickle.dumps(generator)),
    ],
    ids=["clone_state", "deepcopy", "pickle"],
)
def test_copies_go_on_with_the_same_numbers(
    copied: Callable[[torch.Generator], torch.Generator],
) -> None:
    generator = torch.Generator("npu").manual_seed(4)
    torch.randn(3, device="npu", generator=generator)
    twin = copied(generator)
    assert twin.device.type == "npu"
    expected = torch.randn(3, device="npu", generator=generator)
    assert torch.randn(3, device="npu", generator=twin).tolist() == expected.tolist()


@pytest.mark.parametrize(
    "draw",
    [
        lambda generator: torch.randn(3, device="npu", generator=generator),
        lambda generator: torch.ones(3).npu().normal_(generator=generator),
        lambda generator: torch.multinomial(torch.ones(3).npu(), 1, generator=generator),
    ],
    ids=["factory", "in place", "multinomial"],
)
def test_generator_of_the_cpu_is_refused(draw: Callable[[torch.Generator], torch.Tensor]) -> None:
    assert draw(torch.Generator("npu")).device.type == "npu"
    with pytest.raises(RuntimeError, match="Expected a 'npu' device type for generator") as caught:
        draw(torch.Generator())
    assert caught.value.code == "TL445"


def test_generator_of_a_device_that_is_not_there() -> None:
    with pytest.raises(RuntimeError, match="npu:1") as caught:
        torch.Generator("npu:1")
    assert caught.value.code == "TL442"


def test_default_generator_can_be_given() -> None:
    torch.npu.manual_seed(3)
    expected = torch.randn(2, device="npu").tolist()
    (generator,) = torch.npu.default_generators
    generator.manual_seed(3)
    assert torch.randn(2, device="npu", generator=generator).tolist() == expected


def test_only_one_thread_lends_the_numbers() -> None:
    entered = threading.Event()

    def lend() -> None:
        with cpu_draws_from_npu():
            entered.set()

    thread = threading.Thread(target=lend)
    with cpu_draws_from_npu():
        thread.start()
        assert not entered.wait(0.1)
    assert entered.wait(10)
    thread.join()
