"""Tensors with the memory behind them that the device's allocator rounds up to.

A kernel that leaves a tensor by a few elements runs on the device without a word, because
memory comes in blocks. With TLCOURSE_BOUNDS=device it runs here the same way, with a warning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import torch

Argument = torch.Tensor | int | float

BESIDE_WHY = (
    "the device's allocator rounds sizes up, so hardware goes on without a word; reads give what "
    "lies there, and a larger tensor would be harmed"
)
"""Why TL508 is a warning."""

# Source: the caching allocator of torch_npu asks for 32 bytes more than a tensor needs and
# rounds up to 512.
_MARGIN_BYTES = 32
_BLOCK_BYTES = 512
_POISON = 0x7B


@dataclass(frozen=True, kw_only=True)
class Slack:
    """Arguments of a launch in device blocks.

    Args:
        arguments: what the kernel runs on.
        capacity: elements of each tensor's block, by the parameter's name.
        originals: the caller's tensors, with the copies that stand for them.
    """

    arguments: list[Argument]
    capacity: Mapping[str, int]
    originals: tuple[tuple[torch.Tensor, torch.Tensor], ...]

    def give_back(self) -> None:
        """Copies what the kernel left into the caller's tensors."""
        for original, copy in self.originals:
            original.copy_(copy)


def with_slack(names: Sequence[str], arguments: Sequence[Argument]) -> Slack:
    """The arguments with each tensor at the start of a device block of its own.

    Args:
        names: of the parameters that the arguments stand for.
        arguments: contiguous tensors and numbers.
    """
    widened: list[Argument] = []
    capacity: dict[str, int] = {}
    originals: list[tuple[torch.Tensor, torch.Tensor]] = []
    for name, argument in zip(names, arguments, strict=True):
        if not isinstance(argument, torch.Tensor):
            widened.append(argument)
            continue
        memory = _memory(argument)
        capacity[name] = elements = _capacity(memory)
        block = torch.empty(elements * memory.element_size(), dtype=torch.uint8).fill_(_POISON)
        copy = block.view(memory.dtype)
        originals.append((memory, copy[: memory.numel()].copy_(memory)))
        widened.append(copy[: argument.numel()].view(argument.shape))
    return Slack(arguments=widened, capacity=capacity, originals=tuple(originals))


def stays_inside(
    capacity: int, offsets: Sequence[int], extents: Sequence[int], shape: Sequence[int]
) -> bool:
    """Whether a range of a row-major tensor stays inside the tensor's block.

    A single element must stay inside the tensor itself.
    """
    if min(extents) < 0:
        return False
    steps = [prod(shape[dim + 1 :]) for dim in range(len(shape))]
    first = sum(offset * step for offset, step in zip(offsets, steps, strict=True))
    last = first + sum((extent - 1) * step for extent, step in zip(extents, steps, strict=True))
    limit = prod(shape) if prod(extents) == 1 else capacity
    return first >= 0 and last < limit


def _memory(tensor: torch.Tensor) -> torch.Tensor:
    """All elements from the tensor's first one to the end of the caller's storage."""
    elements = tensor.untyped_storage().nbytes() // tensor.element_size()
    first = tensor.storage_offset()
    return tensor.as_strided((max(elements - first, tensor.numel()),), (1,), first)


def _capacity(tensor: torch.Tensor) -> int:
    size = tensor.numel() * tensor.element_size() + _MARGIN_BYTES
    return -(-size // _BLOCK_BYTES) * _BLOCK_BYTES // tensor.element_size()
