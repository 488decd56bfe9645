"""`torch.accelerator` names the npu and answers for it."""

from __future__ import annotations

import torch


def test_what_there_is() -> None:
    assert torch.accelerator.is_available()
    assert (torch.accelerator.device_count(), torch.accelerator.current_device_index()) == (1, 0)
    assert torch.accelerator.current_accelerator() == torch.device("npu")


def test_waiting_and_memory() -> None:
    torch.accelerator.synchronize()
    torch.accelerator.empty_cache()
    torch.accelerator.reset_peak_memory_stats()
    assert torch.accelerator.memory_allocated() == torch.npu.memory_allocated()
    assert torch.accelerator.memory_reserved() == torch.npu.memory_reserved()
    assert torch.accelerator.get_memory_info() == torch.npu.mem_get_info()
