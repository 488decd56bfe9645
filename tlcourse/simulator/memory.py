"""Memories as bytes: poison, dtypes, and where a caller's tensor joins in.

An on-chip memory of a core is one flat buffer, because planned buffers of different dtypes
overlap in it. A tensor in GM is a flat byte view of the caller's own storage. Fresh memory
is poison: each half word is 0x7FFF, which is NaN in every float dtype and 32767 in int16.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from tlcourse.simulator.tile import Tile

POISON = 0x7FFF
GRANULE_BYTES = 32

DTYPES: dict[str, torch.dtype] = {
    name: getattr(torch, name)
    for name in (
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "bool",
    )
}

WIDTH_BYTES: dict[str, int] = {name: dtype.itemsize for name, dtype in DTYPES.items()}

BIT = "bit"
"""The dtype of bool tiles on chip: one bit for each element. In GM a bool takes a byte."""


class Memory:
    """Bytes that tiles view: one memory of a core, or one tensor in GM.

    Args:
        name: the parameter's name; for an on-chip memory its everyday name, for example UB.
        space: address space as HIVM spells it: `gm`, `ub`, `cbuf`, `cc`.
        data: flat `uint8` tensor.
        unit_bytes: what races are told apart by, 32 bytes on chip and one element in GM.
        share_bytes: of the compiler's workspace, the bytes of one block; 0 of all others.

    `own_bytes` are those of the tensor; what stands behind them is memory that the device's
    allocator rounded up to, and only there with TLCOURSE_BOUNDS=device.
    """

    def __init__(
        self,
        *,
        name: str,
        space: str,
        data: torch.Tensor,
        unit_bytes: int = GRANULE_BYTES,
        share_bytes: int = 0,
    ) -> None:
        self.name = name
        self.space = space
        self.data = data
        self.unit_bytes = unit_bytes
        self.share_bytes = share_bytes
        self.size_bytes = data.numel()
        self.own_bytes = self.size_bytes
        # Tiles of the planned buffers, which each block and each turn of a loop asks for again.
        self.buffers: dict[Hashable, Tile] = {}
        self._typed: dict[str, torch.Tensor] = {}

    def typed(self, dtype: str) -> torch.Tensor:
        """The whole memory as a flat tensor of a dtype."""
        flat = self._typed.get(dtype)
        if flat is None:
            width = WIDTH_BYTES[dtype]
            flat = self.data[: self.size_bytes // width * width].view(DTYPES[dtype])
            self._typed[dtype] = flat
        return flat

    def poison(self, start: int = 0, size: int = -1) -> None:
        """Fills the memory, or `size` bytes from `start` on, with poison: whole half words."""
        stop = self.size_bytes if size < 0 else start + size
        start -= start % 2
        self.data[start : stop - (stop - start) % 2].view(torch.int16).fill_(POISON)


def on_chip(name: str, space: str, size_bytes: int) -> Memory:
    """A fresh memory of a core."""
    memory = Memory(name=name, space=space, data=torch.empty(size_bytes, dtype=torch.uint8))
    memory.poison()
    return memory


def in_gm(name: str, tensor: torch.Tensor, capacity: int = 0) -> Memory:
    """A caller's contiguous tensor as bytes of the same storage.

    Args:
        name: the parameter's name.
        tensor: its elements.
        capacity: elements of the device's block that starts with the tensor; 0: none is known.
    """
    own = tensor.detach().reshape(-1)
    whole = own.as_strided((capacity,), (1,)) if capacity else own
    width = tensor.element_size()
    memory = Memory(name=name, space="gm", data=whole.view(torch.uint8), unit_bytes=width)
    memory.own_bytes = own.numel() * width
    return memory
