"""Transfers that share a way: each gets its fair part of L2, of HBM, of the port of L1.

Each resource is dealt out from the smallest wish to the largest: who wants less than an even
part gets what it wants, the others share what is left. A transfer runs at the least of its
port and its parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tlcourse.chips import Chip
from tlcourse.simulator.cycles.costs import UNIT, Cost
from tlcourse.simulator.cycles.stream import Stream

# From this part of writes on, HBM has the rate that published mixed streams reach.
_MIXED_PART = 0.25


@dataclass(frozen=True, kw_only=True)
class Pools:
    """What the cores of one stream may use, in 1/1024 byte a cycle.

    Args:
        l2_read: their part of L2's reads.
        l2_write: their part of L2's writes.
        hbm: their part of HBM.
        l1: the port of L1 of each cube core.
        aiv: their part of what all vector cores move to and from GM, both directions.
    """

    l2_read: int
    l2_write: int
    hbm: int
    l1: int
    aiv: int
    known: dict[tuple[tuple[int, int], ...], list[int]] = field(
        default_factory=lambda: dict[tuple[tuple[int, int], ...], list[int]]()
    )

    def rates(self, active: Sequence[tuple[int, int]], costs: Sequence[Cost]) -> list[int]:
        """The rate of each active transfer.

        Args:
            active: core and shape of each.
            costs: the cost of each shape.
        """
        key = tuple(active)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._dealt(active, costs)
        return found

    def _dealt(self, active: Sequence[tuple[int, int]], costs: Sequence[Cost]) -> list[int]:
        those = [costs[shape] for _, shape in active]
        rates = [cost.port for cost in those]
        whole = [UNIT] * len(those)
        _limit(rates, [i for i, c in enumerate(those) if c.l2 == "r"], self.l2_read, whole)
        _limit(rates, [i for i, c in enumerate(those) if c.l2 == "w"], self.l2_write, whole)
        _limit(rates, [i for i, c in enumerate(those) if c.both], self.aiv, whole)
        missing = [c.missing for c in those]
        _limit(rates, [i for i, part in enumerate(missing) if part], self.hbm, missing)
        for core in sorted({core for core, _ in active}):
            own = [i for i, (owner, _) in enumerate(active) if owner == core]
            _limit(rates, [i for i in own if those[i].l1], self.l1, whole)
        return rates


def pools_of(chip: Chip, streams: int, *, written: float, crowd: float = 1.0) -> Pools:
    """The part of one of several streams that run at the same time.

    Args:
        chip: constants.
        streams: how many there are.
        written: of what goes over HBM, the part that is written.
        crowd: of the streams, those that move at a time; the others leave their part to them.
    """
    timing = chip.timing
    read, mixed = timing.hbm_read_bytes_per_cycle, timing.hbm_mixed_bytes_per_cycle
    hbm = read - (read - mixed) * min(1.0, written / _MIXED_PART)
    sharers = max(1.0, streams * crowd)
    return Pools(
        l2_read=_part(timing.l2_read_bytes_per_cycle, sharers),
        l2_write=_part(timing.l2_write_bytes_per_cycle, sharers),
        hbm=_part(hbm, sharers),
        l1=_part(timing.l1_port_bytes_per_cycle, 1),
        aiv=_part(timing.vector_gm_bytes_per_cycle, sharers),
    )


def least_cycles(stream: Stream, costs: Sequence[Cost], even: Pools) -> int:
    """The cycles in which a stream can move its bytes with an even part of each resource.

    Args:
        stream: what its cores issue.
        costs: the cost of each shape.
        even: its parts when all streams move all the time.
    """
    moved = {"l2_read": 0, "l2_write": 0, "hbm": 0, "aiv": 0}
    for core in stream.cores:
        for work in core.works:
            cost = costs[work.shape]
            if cost.l2:
                moved["l2_read" if cost.l2 == "r" else "l2_write"] += cost.bytes * UNIT
                moved["hbm"] += cost.bytes * cost.missing
                moved["aiv"] += cost.bytes * UNIT if cost.both else 0
    return max(-(-size // int(getattr(even, name))) for name, size in moved.items())


def _part(rate: float, streams: float) -> int:
    return max(1, round(rate * UNIT / streams))


def _limit(rates: list[int], users: list[int], capacity: int, shares: Sequence[int]) -> None:
    """Lowers the rates of the users of a resource until it carries them all.

    Args:
        rates: the rate of every transfer.
        users: places of those that use the resource.
        capacity: what it carries.
        shares: of 1024 bytes of every transfer, those that go over it.
    """
    wishes = {i: rates[i] * shares[i] // UNIT for i in users}
    if sum(wishes.values()) <= capacity:
        return
    left = capacity
    ordered = sorted(users, key=lambda i: (wishes[i], i))
    for place, i in enumerate(ordered):
        given = min(wishes[i], left // (len(ordered) - place))
        left -= given
        rates[i] = max(1, min(rates[i], given * UNIT // shares[i]))
