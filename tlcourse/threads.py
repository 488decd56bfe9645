"""How many threads torch uses for a while."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def torch_threads(count: int = 1) -> Generator[None]:
    """So many threads inside, the caller's setting afterwards.

    Args:
        count: how many; one is the fastest for work of a tile's size.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
