"""What T.print writes: who prints, the value, and an end where a loop prints without end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

import torch

MOST_PRINTS = 64
"""Of one T.print so many are shown in a launch; the others are counted."""

_BITS = {8: torch.int8, 16: torch.int16, 32: torch.int32, 64: torch.int64}
# As numpy does: larger tiles are cut down to their edges.
_MOST_ELEMENTS, _EDGE = 1000, 3


@dataclass(kw_only=True)
class Prints:
    """Counts what the T.print statements of one launch write."""

    counts: dict[str, int] = field(default_factory=lambda: dict[str, int]())

    def show(
        self,
        message: str,
        value: torch.Tensor | float,
        *,
        block: int,
        core: str,
        hexadecimal: bool = False,
    ) -> None:
        """Prints for T.print: block, core, message, value; counts it alone where it is too much.

        Args:
            message: the text of the statement, which tells it from others.
            value: a scalar or a tile.
            block: the logical block that prints.
            core: `cube core`, or `vector core` with its sub-block id.
            hexadecimal: show the stored bits.
        """
        count = self.counts[message] = self.counts.get(message, 0) + 1
        if count <= MOST_PRINTS:
            print(f"[block {block}, {core}] {message}{value_text(value, hexadecimal)}")

    def finish(self) -> None:
        """Tells at the end of a launch what was left out."""
        for message, count in self.counts.items():
            if count > MOST_PRINTS:
                print(f"[all blocks] {message}: {count - MOST_PRINTS:,} of {count:,} not shown")


def value_text(value: torch.Tensor | float, hexadecimal: bool) -> str:
    """A scalar behind a space, or a tile from the next line on; a large one cut."""
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
    rows = numbers.reshape(-1, numbers.shape[-1] if numbers.dim() else 1)
    is_cut = rows.numel() > _MOST_ELEMENTS
    return "\n".join(_row(row, bits, is_cut) for row in _edges(rows, is_cut))


def _row(row: torch.Tensor | None, bits: int, is_cut: bool) -> str:
    if row is None:
        return "..."
    cells = (None if cell is None else cast(int, cell.item()) for cell in _edges(row, is_cut))
    mask, digits = (1 << bits) - 1, bits // 4
    return " ".join("..." if cell is None else f"0x{cell & mask:0{digits}x}" for cell in cells)


def _edges(parts: torch.Tensor, is_cut: bool) -> Iterator[torch.Tensor | None]:
    """All parts, or the first and the last ones with None between."""
    if not is_cut or len(parts) <= 2 * _EDGE:
        yield from parts
        return
    yield from parts[:_EDGE]
    yield None
    yield from parts[-_EDGE:]
