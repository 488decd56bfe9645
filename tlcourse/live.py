"""What a compiled kernel tells of its passes while one looks: its switches, time and numbers.

A widget reads these records and asks the kernel to compile once more with other switches.
They hold a wall time, so they are never stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class SwitchState:
    """One switch of the passes and its value for a kernel.

    Args:
        name: upstream's name for it.
        config: its key in `pass_configs`.
        value: the value in upstream's sense: `true`, `false` or a number from 1 on.
        usual: the value where nobody gives one.
        is_followed: whether the back half that compiles has a pass that follows it.
    """

    name: str
    config: str
    value: str
    usual: str
    is_followed: bool = True

    @property
    def is_number(self) -> bool:
        """Whether it takes a number instead of on and off."""
        return self.usual.isdecimal()


@dataclass(frozen=True, kw_only=True)
class PassMeasure:
    """What a pass took and what it did to the numbers of one launch.

    Args:
        pass_name: upstream's name of the pass.
        seconds: wall time of the pass alone; None where nobody can tell.
        numbers: `unchanged` where the IR is, `same` where another IR gives the same numbers,
            `differs` where it does not; empty where it was not checked.
        worst: the largest absolute difference from the IR before.
    """

    pass_name: str
    seconds: float | None = None
    numbers: Literal["", "unchanged", "same", "differs"] = ""
    worst: float = 0.0
