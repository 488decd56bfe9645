"""Flags and counters: the n-th wait of a flag takes down the n-th raise.

Inside a core a flag belongs to a pair of pipes. Between cores it belongs to a sender, a
receiver and an id: a set of the cube core raises the flag of each vector core, and a wait of
the cube core needs a raise from each of them. Which set belongs to which wait follows from
the order in which each core issues them, so it does not depend on the order of the pipes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tlcourse.simulator.instruction import Instruction

Mode = Literal["INTRA", "SUBBLOCK", "BLOCK"]


@dataclass(frozen=True, kw_only=True, slots=True)
class FlagKey:
    """Which flag: inside a core `set_pipe` and `wait_pipe` are given, between cores empty."""

    sender: int
    receiver: int
    flag: int
    set_pipe: str = ""
    wait_pipe: str = ""

    @property
    def is_between_cores(self) -> bool:
        """Whether it is a counter between cores."""
        return not self.set_pipe


class Token:
    """One raise of a flag and the wait that takes it down."""

    __slots__ = ("clock", "flag", "index", "setter", "waiter")

    def __init__(self, flag: Flag | None, index: int) -> None:
        self.flag = flag
        self.index = index
        self.setter: Instruction | None = None
        self.waiter: Instruction | None = None
        self.clock: list[int] = []

    @property
    def is_set(self) -> bool:
        """Whether the raise has been executed."""
        return self.setter is not None and self.setter.done


class Flag:
    """All raises of one flag in a block."""

    def __init__(self, key: FlagKey) -> None:
        self.key = key
        self.tokens: list[Token] = []
        self.sets = 0
        self.waits = 0

    def next_set(self, instruction: Instruction) -> Token:
        """The token of the next set in issue order."""
        token = self._token(self.sets)
        token.setter = instruction
        self.sets += 1
        return token

    def next_wait(self, instruction: Instruction) -> Token:
        """The token of the next wait in issue order."""
        token = self._token(self.waits)
        token.waiter = instruction
        self.waits += 1
        return token

    def _token(self, index: int) -> Token:
        if index == len(self.tokens):
            self.tokens.append(Token(self, index))
        return self.tokens[index]


class Flags:
    """The flags of a machine, made when they are first used."""

    def __init__(self) -> None:
        self.all: dict[FlagKey, Flag] = {}

    def get(self, key: FlagKey) -> Flag:
        """The flag of a key."""
        flag = self.all.get(key)
        if flag is None:
            flag = self.all[key] = Flag(key)
        return flag
