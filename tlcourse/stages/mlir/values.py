"""What a value holds while a function runs: a number, an array, or an address."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    AnyFloat,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    TensorType,
)
from xdsl.ir import Attribute

Array: TypeAlias = NDArray[np.generic]
# What unwritten memory holds: every float is a NaN, every integer a large one.
_POISON = 0xFF
_FLOATS: dict[type[AnyFloat], str] = {
    Float16Type: "float16",
    Float32Type: "float32",
    Float64Type: "float64",
}


@dataclass(frozen=True)
class Address:
    """A place in a piece of memory.

    Args:
        memory: all bytes of the piece.
        offset_bytes: how far behind its first byte the place is; may lie outside.
    """

    memory: NDArray[np.uint8]
    offset_bytes: int = 0

    def moved(self, count_bytes: int) -> Address:
        """The place so many bytes further on."""
        return Address(self.memory, self.offset_bytes + count_bytes)

    def bytes(self, count: int) -> NDArray[np.uint8] | None:
        """The bytes from here on; None where some of them lie outside."""
        end = self.offset_bytes + count
        inside = 0 <= self.offset_bytes and end <= self.memory.size
        return self.memory[self.offset_bytes : end] if inside else None


Value: TypeAlias = np.generic | Array | Address


def dtype(kind: Attribute) -> np.dtype[np.generic] | None:
    """How a number of a type is kept; None for a type that has no numbers here."""
    if isinstance(kind, IndexType):
        return np.dtype(np.int64)
    if isinstance(kind, IntegerType):
        return np.dtype("bool" if kind.width.data == 1 else f"int{kind.width.data}")
    for float_kind, name in _FLOATS.items():
        if isinstance(kind, float_kind):
            return np.dtype(name)
    return None


def element_dtype(kind: Attribute) -> np.dtype[np.generic] | None:
    """How the elements of a tensor or of a buffer are kept."""
    if isinstance(kind, (MemRefType, TensorType)):
        return dtype(cast("TensorType[Attribute]", kind).element_type)
    return dtype(kind)


def memory(size_bytes: int) -> NDArray[np.uint8]:
    """Memory that nobody has written yet."""
    return np.full(max(size_bytes, 0), _POISON, np.uint8)


def unwritten(shape: tuple[int, ...], kind: np.dtype[np.generic]) -> Array:
    """An array that nobody has written yet."""
    return memory(prod(shape) * kind.itemsize).view(kind).reshape(shape)


def address(value: Array) -> Address:
    """Where an array's elements lie; whoever writes there writes the array."""
    return Address(value.reshape(-1).view(np.uint8))
