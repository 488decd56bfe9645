"""The caller's number of threads comes back, whatever happens inside."""

from __future__ import annotations

import pytest
import torch

from tlcourse.threads import torch_threads


@pytest.mark.parametrize("count", [1, 3])
def test_the_callers_threads_are_back_even_after_a_failure(count: int) -> None:
    seen: list[int] = []

    def fail() -> None:
        seen.append(torch.get_num_threads())
        raise KeyError

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    with pytest.raises(KeyError), torch_threads(count):
        fail()
    assert [*seen, torch.get_num_threads()] == [count, 2]
    torch.set_num_threads(before)
