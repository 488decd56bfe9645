"""What a simulated launch can be told: how much to check, which order, how long to go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Checks = Literal["off", "class", "all"]


@dataclass(frozen=True, kw_only=True)
class Params:
    """Choices of one run.

    Args:
        checks: `all` checks every block; `class` checks one block of each class in full and
            compares what all blocks touch in GM; `off` checks bounds and deadlocks alone.
        seed: which legal order of the pipes is run. 0: every transfer lands as late as its
            flags allow; another number draws another order.
        trace: keep the instructions of all blocks of the shown core group, not those of one
            block of each class.
        replay: the block whose instructions are written down one by one; -1 is none.
        step_limit: steps of a launch before it is given up, see `tlcourse.work`.
    """

    checks: Checks = "class"
    seed: int = 0
    trace: bool = False
    replay: int = -1
    step_limit: int = 10**8

    def __post_init__(self) -> None:
        if self.checks not in ("off", "class", "all"):
            raise ValueError(f"checks is off, class or all, not {self.checks!r}")
