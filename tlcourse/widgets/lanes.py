"""The lanes of a timeline as data: what each pipe did, and what it waited for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tlcourse.records import Bubble, Instruction, Lane, Timeline
from tlcourse.widgets import palette
from tlcourse.widgets.labels import Language, label
from tlcourse.widgets.timeline_words import cause_words, word

Table = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]


@dataclass(frozen=True, kw_only=True)
class Row:
    """A lane of the figure: what the record says of the pipe, its work and its gaps."""

    agent: str
    pipe: str
    lane: Lane | None
    instructions: tuple[Instruction, ...]
    bubbles: tuple[Bubble, ...]

    @property
    def swatch(self) -> palette.Swatch:
        """Colour, hatch and name of the pipe."""
        return palette.pipe(self.pipe)

    @property
    def busy_cycles(self) -> int:
        """Cycles in which the pipe works, in the whole launch."""
        shown = sum(i.end_cycle - i.start_cycle for i in self.instructions)
        return self.lane.busy_cycles if self.lane else shown


def timeline_rows(timeline: Timeline, block: int | None = None) -> tuple[Row, ...]:
    """The lanes of one core group: the cores that ran `block` (default: the first block).

    Lanes follow the data: cube core, then vector cores; SCALAR, MTE2, ... MTE3. Pipes that
    did nothing are left out.
    """
    chosen = first_block(timeline) if block is None else block
    return _rows(timeline, [i for i in timeline.instructions if i.block == chosen])


def all_rows(timeline: Timeline) -> tuple[Row, ...]:
    """The lanes of all blocks that the record has, which ran one after the other."""
    return _rows(timeline, list(timeline.instructions))


def first_block(timeline: Timeline) -> int:
    """The lowest block that has instructions; 0 when there are none."""
    return min((i.block for i in timeline.instructions), default=0)


def timeline_table(
    timeline: Timeline, block: int | None = None, language: Language = "en"
) -> Table:
    """The figure as a table: column heads and one row of texts per lane."""
    return lane_table(timeline, timeline_rows(timeline, block), language)


def lane_table(timeline: Timeline, rows: tuple[Row, ...], language: Language = "en") -> Table:
    """A line for each lane: instructions, busy and waiting cycles, longest wait."""
    keys = ("lane", "instructions", "busy", "busy_share", "waiting", "main_wait")
    head = tuple(label(key, language) for key in keys)
    return head, tuple(_table_row(timeline, row, language) for row in rows)


def gap_table(
    timeline: Timeline, rows: tuple[Row, ...], most: int, language: Language = "en"
) -> Table:
    """A line for each of the longest gaps: where, when, how long, and what for."""
    keys = ("lane", "start", "length", "share", "cause")
    head = tuple(word(key, language) for key in keys)
    return head, tuple(
        (
            f"{row.agent} {row.swatch.label}",
            f"{gap.start_cycle:,}",
            f"{gap.end_cycle - gap.start_cycle:,}",
            f"{100 * (gap.end_cycle - gap.start_cycle) / max(timeline.cycles, 1):.1f}%",
            cause_words(gap.cause, language),
        )
        for row, gap in gaps(rows)[:most]
    )


def caption(timeline: Timeline, block: int | None = None, language: Language = "en") -> str:
    """One line: kernel, cycles, time, chip and the block that is drawn."""
    time = f"{timeline.cycles / timeline.clock_mhz:.2f} us"
    chosen = first_block(timeline) if block is None else block
    values = (timeline.kernel, timeline.cycles, time, timeline.chip, chosen)
    return label("timeline_of", language, *values)


def _rows(timeline: Timeline, work: list[Instruction]) -> tuple[Row, ...]:
    used = sorted({(i.agent, i.pipe) for i in work}, key=lambda k: (k[0], palette.lane_order(k[1])))
    return tuple(_row(timeline, agent, pipe, work) for agent, pipe in used)


def _row(timeline: Timeline, agent: str, pipe: str, work: list[Instruction]) -> Row:
    lanes = [lane for lane in timeline.lanes if (lane.agent, lane.pipe) == (agent, pipe)]
    lane = min(lanes, key=lambda lane: lane.core, default=None)
    mine = [i for i in work if (i.agent, i.pipe) == (agent, pipe)]
    start, end = min(i.start_cycle for i in work), max(i.end_cycle for i in work)
    return Row(
        agent=agent,
        pipe=pipe,
        lane=lane,
        instructions=tuple(sorted(mine, key=lambda i: (i.start_cycle, i.id))),
        bubbles=tuple(
            gap
            for gap in timeline.bubbles
            if lane is not None
            and gap.lane == lane.name
            and gap.start_cycle < end
            and gap.end_cycle > start
        ),
    )


def busy_share(timeline: Timeline, row: Row) -> str:
    """A pipe and its busy time as a share of the whole launch: `MTE2 58.1%`."""
    return f"{row.swatch.label} {100 * row.busy_cycles / max(timeline.cycles, 1):.1f}%"


def _table_row(timeline: Timeline, row: Row, language: Language) -> tuple[str, ...]:
    waits: Counter[str] = Counter()
    for bubble in row.bubbles:
        waits[cause_words(bubble.cause, language)] += bubble.end_cycle - bubble.start_cycle
    cause, cycles = waits.most_common(1)[0] if waits else ("", 0)
    share = busy_share(timeline, row).split(" ", 1)[1]
    return (
        f"{row.agent} {row.swatch.label}",
        f"{len(row.instructions):,}",
        f"{row.busy_cycles:,}",
        share,
        f"{sum(waits.values()):,}",
        f"{cause} ({cycles:,})" if cause else "",
    )


@dataclass(frozen=True, kw_only=True)
class Edge:
    """A set and the wait that belongs to it, between two instructions of a picture.

    Args:
        setter: the instruction after which the flag goes up.
        waiter: the instruction in front of which the pipe waits.
        stalls: the pipe stood still for it, and this setter came last.
        crosses: they belong to two cores.
    """

    setter: Instruction
    waiter: Instruction
    stalls: bool
    crosses: bool


def edges(rows: tuple[Row, ...]) -> tuple[Edge, ...]:
    """All set/wait pairs whose two ends are in the rows, by the start of the waiter."""
    known = {one.id: one for row in rows for one in row.instructions}
    ends = {
        (row.agent, row.pipe, gap.end_cycle)
        for row in rows
        for gap in row.bubbles
        if gap.cause != "issue" and not gap.cause.startswith("barrier")
    }
    found: list[Edge] = []
    for waiter in sorted(known.values(), key=lambda one: (one.start_cycle, one.id)):
        setters = [known[other] for other in waiter.waits_on if other in known]
        last = max(setters, key=lambda one: (one.end_cycle, one.id), default=None)
        stood = (waiter.agent, waiter.pipe, waiter.start_cycle) in ends
        found += [
            Edge(
                setter=setter,
                waiter=waiter,
                stalls=stood and setter is last,
                crosses=setter.agent != waiter.agent,
            )
            for setter in setters
        ]
    return tuple(found)


def gaps(rows: tuple[Row, ...]) -> tuple[tuple[Row, Bubble], ...]:
    """All gaps of the rows, the longest first."""
    found = [(row, gap) for row in rows for gap in row.bubbles]
    return tuple(sorted(found, key=lambda one: one[1].start_cycle - one[1].end_cycle))
