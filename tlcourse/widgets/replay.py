"""A replay: buffers and flags before and after each instruction of a block."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tlcourse.diagnostics import SourceFile, SourceMap
from tlcourse.replay import Change, Replay, ReplayStep
from tlcourse.widgets import standalone, svg
from tlcourse.widgets.labels import Language
from tlcourse.widgets.pagefile import write_text
from tlcourse.widgets.replay_state import TileKey, counted, replay_data, said, tile_of
from tlcourse.widgets.replay_words import flag_words, tile_words, up_words, word

_SCRIPTS = ("replay.js",)
Rows = tuple[tuple[str, ...], ...]
Table = tuple[tuple[str, ...], Rows]


def buffers_at(replay: Replay, step: int, language: Language = "en") -> Table:
    """All tiles that were written up to a step; the first cell says what the step did to one."""
    latest: dict[TileKey, tuple[int, Change]] = {}
    for one in replay.steps[: step + 1]:
        latest |= {tile_of(one, change): (one.index, change) for change in one.changes}
    rows: list[tuple[str, ...]] = []
    for (core, memory, tile), (index, change) in sorted(latest.items()):
        written = index == step
        is_read = tile in replay.steps[step].reads and core in ("", replay.steps[step].agent)
        sign = word("written" if written else "read", language) if written or is_read else ""
        before = change.before if written else change.after
        name = tile_words(tile, language)
        rows.append((sign, core, memory, name, change.shape, before, change.after))
    keys = ("this_step", "core", "memory", "buffer", "shape", "before", "after")
    return tuple(word(key, language) for key in keys), tuple(rows)


def flags_at(replay: Replay, step: int, language: Language = "en") -> Table:
    """All flags that are up before or after a step; the first cell says which of them it moved."""
    before = counted(replay.steps[step - 1].flags if step else ())
    after = counted(replay.steps[step].flags)
    rows: list[tuple[str, ...]] = []
    for flag in sorted({*before, *after}):
        was, now = before[flag], after[flag]
        sign = "" if was == now else word("raised" if now > was else "lowered", language)
        states = (up_words(count, language) for count in (was, now))
        rows.append((sign, flag_words(flag, language), *states))
    keys = ("this_step", "flag", "before", "after")
    return tuple(word(key, language) for key in keys), tuple(rows)


def steps_table(replay: Replay, language: Language = "en") -> Table:
    """All steps as a table: number, core, pipe, instruction, loop turn, line, what it wrote."""
    keys = ("step", "core", "pipe", "instruction", "turn", "line", "writes", "flags_up")
    stop = "；" if language == "zh" else "; "
    rows = tuple(
        (
            str(one.index),
            one.agent,
            one.pipe,
            one.op,
            ", ".join(map(str, one.iteration)),
            str(one.span.line) if one.span else "",
            stop.join(f"{tile_words(c.tile, language)} = {c.after}" for c in one.changes),
            stop.join(flag_words(flag, language) for flag in one.flags),
        )
        for one in replay.steps
    )
    return tuple(word(key, language) for key in keys), rows


@dataclass(frozen=True)
class ReplayView:
    """A replay at one step: a viewer in a notebook, tables elsewhere, lines in a terminal.

    Args:
        replay: the record.
        step: the step whose buffers and flags are shown first.
        language: `en` or `zh`.
        sources: texts that the places in the record point into.
    """

    replay: Replay
    step: int
    language: Language = "en"
    sources: SourceMap = field(default_factory=lambda: dict[str, SourceFile](), compare=False)

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_mimebundle_(self, **_: object) -> dict[str, object]:
        return {**self._viewer(), "text/plain": repr(self), "text/html": self.to_html()}

    def at(self, step: int) -> ReplayView:
        """The same replay at another step; steps beyond either end are the end."""
        last = len(self.replay.steps) - 1
        return ReplayView(self.replay, min(max(step, 0), last), self.language, self.sources)

    def state(self) -> str:
        """The whole state of the viewer."""
        data = replay_data(self.replay, self.step, self.language, self.sources)
        table = steps_table(self.replay, self.language)
        return standalone.packed({**data, "table": table, "count": self._count()})

    def to_html(self) -> str:
        """The tables as HTML without a script."""
        language, one = self.language, self._current()
        flags = flags_at(self.replay, self.step, language)
        listed = svg.grid_html(*flags) if flags[1] else f"<p>{word('no_flags', language)}</p>"
        return (
            f"<p><b>{html.escape(self._title())}</b>: {html.escape(said(one, language))}</p>"
            f"<p>{word('buffers', language)}</p>"
            + svg.grid_html(*buffers_at(self.replay, self.step, language))
            + f"<p>{word('flags', language)}</p>{listed}"
            + svg.table_html(self._count(), *steps_table(self.replay, language))
        )

    def export_html(self, path: str | Path) -> Path:
        """Writes the viewer as one HTML file that works from disk; returns its path.

        `FILE#12` opens it at step 12.
        """
        title = word("title", self.language, self.replay.kernel, self.replay.block)
        text = standalone.page(_SCRIPTS, self.state(), title, self.language, self.to_html())
        return write_text(path, text)

    def _viewer(self) -> dict[str, object]:
        try:
            from tlcourse.widgets.viewers import viewer_handle
        except ImportError:
            return {}
        return viewer_handle(_SCRIPTS, self.state(), f"ReplayView({self._title()})")

    def _current(self) -> ReplayStep:
        return self.replay.steps[self.step]

    def _title(self) -> str:
        one, language = self._current(), self.language
        turn = f" [{', '.join(map(str, one.iteration))}]" if one.iteration else ""
        line = f", {word('at_line', language, one.span.line)}" if one.span else ""
        place = word("at_step", language, one.index, len(self.replay.steps) - 1)
        return f"{place}: {one.agent} {one.pipe} {one.op}{turn}{line}"

    def _count(self) -> str:
        count, left = len(self.replay.steps), self.replay.left_out
        key = "all_steps" if left else "all_steps_kept"
        return word(key, self.language, count, left)

    def _lines(self) -> Iterator[str]:
        head, rows = buffers_at(self.replay, self.step, self.language)
        yield self._title()
        widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
        for row in (head, *rows):
            yield "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
        flags = "; ".join(self._current().flags) or word("none", self.language)
        yield f"{word('flags_up', self.language)}: {flags}"
