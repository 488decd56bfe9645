"""Cross-core flags: counters by direction, id and vector core.

A set by the cube core gives each vector core one raise of its own. A wait of the cube core
takes one raise of each vector core, so it ends when both have set the flag.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

CoreKind = Literal["cube", "vector"]
Slot = tuple[CoreKind, int, int]


@dataclass(kw_only=True)
class Flags:
    """The flags of one block.

    Args:
        pending: raises not yet taken, by kind of the waiting core, vector core and flag.
        raised: how often each (kind of the setting core, flag) was set.
        places: where each (kind of the waiting core, flag) was set last, a span position.
    """

    pending: Counter[Slot] = field(default_factory=lambda: Counter[Slot]())
    raised: Counter[tuple[CoreKind, int]] = field(
        default_factory=lambda: Counter[tuple[CoreKind, int]]()
    )
    places: dict[tuple[CoreKind, int], int] = field(
        default_factory=lambda: dict[tuple[CoreKind, int], int]()
    )

    def set(self, kind: CoreKind, vid: int, flag: int, place: int) -> None:
        """Raises a flag for the other kind of core."""
        receiver = other(kind)
        for vector in (0, 1) if kind == "cube" else (vid,):
            self.pending[receiver, vector, flag] += 1
        self.raised[kind, flag] += 1
        self.places[receiver, flag] = place

    def take(self, kind: CoreKind, vid: int, flag: int) -> bool:
        """Uses up one raise for a waiting core; False where it must wait on."""
        slots: list[Slot] = [(kind, v, flag) for v in ((0, 1) if kind == "cube" else (vid,))]
        if not all(self.pending[slot] for slot in slots):
            return False
        for slot in slots:
            self.pending[slot] -= 1
        return True

    def left(self) -> Iterator[tuple[CoreKind, int, int]]:
        """Flags that nobody waited for: kind of core that should have, flag, raises left."""
        most: defaultdict[tuple[CoreKind, int], int] = defaultdict(int)
        for (kind, _, flag), count in self.pending.items():
            most[kind, flag] = max(most[kind, flag], count)
        for (kind, flag), count in sorted(most.items()):
            if count:
                yield kind, flag, count


def other(kind: CoreKind) -> CoreKind:
    """The kind of core at the other end of a flag."""
    return "vector" if kind == "cube" else "cube"
