"""Recurrent layers on the npu, built from matrix products.

torch would hand their cells to fused kernels that only other devices have.
"""

from __future__ import annotations

import torch
from torch.nn import functional

from tlcourse.device.torch_internals import recurrent_layers

Optional = torch.Tensor | None


def register(library: torch.library.Library) -> None:
    """Registers layers and cells where gradients are still recorded."""
    for name in ("lstm.input", "lstm.data", "gru.input", "gru.data"):
        library.impl(name, _layer(name), "AutogradPrivateUse1")
    library.impl("lstm_cell", _lstm_cell, "AutogradPrivateUse1")
    library.impl("gru_cell", _gru_cell, "AutogradPrivateUse1")


def _layer(name: str) -> object:
    def layer(*args: object, **kwargs: object) -> object:
        return recurrent_layers()[name](*args, **kwargs)

    return layer


def _lstm_cell(
    x: torch.Tensor,
    state: list[torch.Tensor],
    w_x: torch.Tensor,
    w_h: torch.Tensor,
    b_x: Optional = None,
    b_h: Optional = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    hidden, cell = state
    gates = functional.linear(x, w_x, b_x) + functional.linear(hidden, w_h, b_h)
    take, keep, new, out = gates.chunk(4, 1)
    cell = keep.sigmoid() * cell + take.sigmoid() * new.tanh()
    return out.sigmoid() * cell.tanh(), cell


def _gru_cell(
    x: torch.Tensor,
    hidden: torch.Tensor,
    w_x: torch.Tensor,
    w_h: torch.Tensor,
    b_x: Optional = None,
    b_h: Optional = None,
) -> torch.Tensor:
    reset_x, keep_x, new_x = functional.linear(x, w_x, b_x).chunk(3, 1)
    reset_h, keep_h, new_h = functional.linear(hidden, w_h, b_h).chunk(3, 1)
    keep = (keep_x + keep_h).sigmoid()
    new = (new_x + (reset_x + reset_h).sigmoid() * new_h).tanh()
    return keep * hidden + (1 - keep) * new
