"""An online softmax in torch and five broken copies of it, for questions about their symptoms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import cast

import torch

Softmax = Callable[[torch.Tensor, torch.Tensor, int], torch.Tensor]

TEXT = """\
def attend(x, v, block):  # x: (M, N), v: (N, D); softmax of the rows of x, times v
    m = torch.full((len(x), 1), -torch.inf)
    total = torch.zeros(len(x), 1)
    out = torch.zeros(len(x), v.shape[1])
    for start in range(0, x.shape[1], block):
        part = x[:, start : start + block]
        new = torch.maximum(m, part.amax(1, keepdim=True))
        factor = torch.exp(m - new)
        weights = torch.exp(part - new)
        total = total * factor + weights.sum(1, keepdim=True)
        out = out * factor + weights @ v[start : start + block]
        m = new
    return out / total
"""
"""The right one; the faults change one line of it."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A change of one line.

    Args:
        cause: its name in the list of causes.
        before: what stands in the line.
        after: what stands there instead.
    """

    cause: str
    before: str
    after: str

    def text(self) -> str:
        """The whole function with the fault."""
        return TEXT.replace(self.before, self.after)

    def line(self) -> int:
        """The number of the line, counted from 1."""
        pairs = zip(TEXT.splitlines(), self.text().splitlines(), strict=True)
        return next(number for number, (one, other) in enumerate(pairs, 1) if one != other)


FAULTS: dict[str, Fault] = {
    "A": Fault(cause="sum", before="total * factor + weights", after="total + weights"),
    "B": Fault(cause="start", before="(len(x), 1), -torch.inf", after="(len(x), 1), 0.0"),
    "C": Fault(cause="inverted", before="exp(m - new)", after="exp(new - m)"),
    "D": Fault(cause="output", before="out * factor + weights", after="out + weights"),
    "E": Fault(
        cause="own block",
        before="torch.maximum(m, part.amax(1, keepdim=True))",
        after="part.amax(1, keepdim=True)",
    ),
}
"""The broken copies by letter."""


def numbered() -> str:
    """The right text with a number before each line."""
    return "\n".join(f"{n:2}  {line}" for n, line in enumerate(TEXT.splitlines(), 1))


@cache
def softmax(letter: str = "") -> Softmax:
    """The right function, or the broken copy of a letter."""
    text = FAULTS[letter].text() if letter else TEXT
    names: dict[str, object] = {"torch": torch}
    exec(compile(text, f"copy {letter}".strip(), "exec"), names)
    return cast("Softmax", names["attend"])


def planted(letter: str) -> str:
    """Line and cause of a fault, as the exercise asks for them."""
    return f"{FAULTS[letter].line()}, {FAULTS[letter].cause}"


PROBES: dict[str, tuple[torch.Tensor, int]] = {
    "one block": (torch.tensor([[1.0, 3, 2, 0]]), 4),
    "maximum in the first block": (torch.tensor([[3.0, 2, 1, 0]]), 2),
    "maximum in the last block": (torch.tensor([[1.0, 0, 3, 2]]), 2),
    "all near -300": (torch.tensor([[-299.0, -301, -300, -302]]), 2),
    "from +300 down to -300": (torch.tensor([[300.0, 299, -299, -300]]), 2),
}
"""Rows, each with the size of a block."""


def symptoms() -> dict[str, dict[str, float]]:
    """What each copy makes of each probe where v is all ones, so that 1 is right."""
    return {
        probe: {
            letter: softmax(letter)(row, torch.ones(row.shape[1], 1), block).item()
            for letter in FAULTS
        }
        for probe, (row, block) in PROBES.items()
    }
