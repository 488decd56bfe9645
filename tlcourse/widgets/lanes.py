"""The lanes of a timeline as data: what each pipe did, and what it waited for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tlcourse.records import Bubble, Instruction, Lane, Timeline
from tlcourse.widgets import palette
from tlcourse.widgets.labels import Language, label


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
    work = [i for i in timeline.instructions if i.block == chosen]
    used = sorted({(i.agent, i.pipe) for i in work}, key=lambda k: (k[0], palette.lane_order(k[1])))
    return tuple(_row(timeline, agent, pipe, work) for agent, pipe in used)


def first_block(timeline: Timeline) -> int:
    """The lowest block that has instructions; 0 when there are none."""
    return min((i.block for i in timeline.instructions), default=0)


def timeline_table(
    timeline: Timeline, block: int | None = None, language: Language = "en"
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The figure as a table: column heads and one row of texts per lane."""
    keys = ("lane", "instructions", "busy", "busy_share", "waiting", "main_wait")
    head = tuple(label(key, language) for key in keys)
    return head, tuple(_table_row(timeline, row) for row in timeline_rows(timeline, block))


def caption(timeline: Timeline, block: int | None = None, language: Language = "en") -> str:
    """One line: kernel, cycles, time, chip and the block that is drawn."""
    time = f"{timeline.cycles / timeline.clock_mhz:.2f} us"
    chosen = first_block(timeline) if block is None else block
    values = (timeline.kernel, timeline.cycles, time, timeline.chip, chosen)
    return label("timeline_of", language, *values)


def _row(timeline: Timeline, agent: str, pipe: str, work: list[Instruction]) -> Row:
    lanes = [lane for lane in timeline.lanes if (lane.agent, lane.pipe) == (agent, pipe)]
    lane = min(lanes, key=lambda lane: lane.core, default=None)
    mine = [i for i in work if (i.agent, i.pipe) == (agent, pipe)]
    return Row(
        agent=agent,
        pipe=pipe,
        lane=lane,
        instructions=tuple(sorted(mine, key=lambda i: (i.start_cycle, i.id))),
        bubbles=tuple(b for b in timeline.bubbles if lane is not None and b.lane == lane.name),
    )


def busy_share(timeline: Timeline, row: Row) -> str:
    """A pipe and its busy time as a share of the whole launch: `MTE2 58.1%`."""
    return f"{row.swatch.label} {100 * row.busy_cycles / max(timeline.cycles, 1):.1f}%"


def _table_row(timeline: Timeline, row: Row) -> tuple[str, ...]:
    waits: Counter[str] = Counter()
    for bubble in row.bubbles:
        waits[bubble.cause] += bubble.end_cycle - bubble.start_cycle
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
