"""Random numbers of the npu: seeds, a generator of its own, the CPU left alone."""

from __future__ import annotations

import torch


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
