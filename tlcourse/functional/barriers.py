"""Barriers: cores of one kind wait until each of them has come as often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from tlcourse.functional.flags import CoreKind

Scope = Literal["block", "subblock"]
Member = tuple[int, CoreKind, int]


class Barrier(NamedTuple):
    """A core's wait at a barrier.

    Args:
        flag: the barrier's id.
        place: span position of the statement.
        iteration: loop turns around it.
        scope: `block` joins all blocks, `subblock` the cores of one block.
    """

    flag: int
    place: int
    iteration: tuple[int, ...]
    scope: Scope

    @property
    def call(self) -> str:
        """The T function."""
        return f"T.{self.scope}_barrier"


@dataclass(kw_only=True)
class Barriers:
    """Who has come to which barrier how often.

    Args:
        members: the cores that run: block, kind, vector core.
        arrivals: how often a core has come, by barrier.
    """

    members: Sequence[Member] = ()
    arrivals: Counter[tuple[Scope, int, Member]] = field(
        default_factory=lambda: Counter[tuple[Scope, int, Member]]()
    )

    def arrive(self, member: Member, scope: Scope, flag: int) -> None:
        """A core has come to a barrier."""
        self.arrivals[scope, flag, member] += 1

    def passed(self, member: Member, barrier: Barrier) -> bool:
        """Whether all that the barrier joins have come as often as this core."""
        return not self.missing(member, barrier)

    def missing(self, member: Member, barrier: Barrier) -> list[Member]:
        """Those that a core at a barrier waits for."""
        scope, flag = barrier.scope, barrier.flag
        wanted = self.arrivals[scope, flag, member]
        return [
            other
            for other in self.members
            if other[1] == member[1]
            and (scope == "block" or other[0] == member[0])
            and self.arrivals[scope, flag, other] < wanted
        ]
