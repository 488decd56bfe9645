"""How T.print shows a value."""

from __future__ import annotations

from typing import cast

import torch

_BITS = {8: torch.int8, 16: torch.int16, 32: torch.int32, 64: torch.int64}


def block_text(value: torch.Tensor | float, hexadecimal: bool) -> str:
    """A scalar behind a space, or a tile from the next line on."""
    if not isinstance(value, torch.Tensor):
        shown = hex(value) if hexadecimal and isinstance(value, int) else value
        return f" {shown}"
    if hexadecimal:
        return "\n" + _hexadecimal(value)
    shown = value.float() if value.dtype == torch.bfloat16 else value
    return f"\n{shown.numpy()}"


def _hexadecimal(value: torch.Tensor) -> str:
    """The stored bits, row by row."""
    bits = value.element_size() * 8
    numbers = value.contiguous().view(_BITS[bits])
    rows = cast(list[list[int]], numbers.reshape(-1, numbers.shape[-1]).tolist())
    digits = bits // 4
    return "\n".join(
        " ".join(f"0x{number & ((1 << bits) - 1):0{digits}x}" for number in row) for row in rows
    )
