"""Bytes in use, counted when asked."""

from __future__ import annotations

import torch

from tlcourse.chips import DEFAULT_CHIP


def test_living_tensors_count_and_views_do_not_count_twice() -> None:
    before = torch.npu.memory_allocated()
    x = torch.zeros(1024, device="npu")
    views = [x[:512], x.view(32, 32), torch.nn.Parameter(x)]
    assert torch.npu.memory_allocated() - before == 4096
    assert torch.npu.memory_reserved() - before == 4096
    del x, views
    assert torch.npu.memory_allocated() == before


def test_free_and_all() -> None:
    torch.npu.reset_peak_memory_stats()
    free, total = torch.npu.mem_get_info()
    assert total == DEFAULT_CHIP.hbm_bytes
    assert free == total - torch.npu.memory_allocated("npu:0")
