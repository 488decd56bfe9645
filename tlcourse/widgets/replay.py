"""A replay as tables: at one step, every tile with its first elements, and the flags up then."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tlcourse.replay import Change, Replay, ReplayStep
from tlcourse.widgets import svg
from tlcourse.widgets.labels import Language, label

Rows = tuple[tuple[str, ...], ...]


def buffers_at(
    replay: Replay, step: int, language: Language = "en"
) -> tuple[tuple[str, ...], Rows]:
    """All tiles that were written up to a step, as a table; `*` marks what the step wrote."""
    latest: dict[tuple[str, str, str], tuple[int, Change]] = {}
    for one in replay.steps[: step + 1]:
        for change in one.changes:
            core = "" if change.memory == "GM" else one.agent
            latest[core, change.memory, change.tile] = (one.index, change)
    rows = tuple(
        (
            "*" if index == step else "",
            core,
            memory,
            tile,
            change.shape,
            change.before if index == step else "",
            change.after,
        )
        for (core, memory, tile), (index, change) in sorted(latest.items())
    )
    keys = ("", "core", "space", "buffer", "shape", "before", "after")
    return tuple(label(key, language) if key else "" for key in keys), rows


def steps_table(replay: Replay, language: Language = "en") -> tuple[tuple[str, ...], Rows]:
    """All steps as a table: number, core, pipe, instruction, loop turn, line, what it wrote."""
    keys = ("step", "core", "pipe", "instruction", "turn", "line", "writes", "flags_up")
    rows = tuple(
        (
            str(one.index),
            one.agent,
            one.pipe,
            one.op,
            ", ".join(map(str, one.iteration)),
            str(one.span.line) if one.span else "",
            "; ".join(f"{c.tile} = {c.after}" for c in one.changes),
            "; ".join(one.flags),
        )
        for one in replay.steps
    )
    return tuple(label(key, language) for key in keys), rows


@dataclass(frozen=True)
class ReplayView:
    """A replay at one step: shows itself in a notebook as tables, in a terminal as lines.

    Args:
        replay: the record.
        step: the step whose buffers and flags are shown.
        language: `en` or `zh`.
    """

    replay: Replay
    step: int
    language: Language = "en"

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.to_html()}

    def at(self, step: int) -> ReplayView:
        """The same replay at another step; steps beyond either end are the end."""
        last = len(self.replay.steps) - 1
        return ReplayView(self.replay, min(max(step, 0), last), self.language)

    def to_html(self) -> str:
        """The tables as HTML without a script."""
        head, rows = buffers_at(self.replay, self.step, self.language)
        flags = self._current().flags or (label("none", self.language),)
        listed = "".join(f"<li>{html.escape(flag)}</li>" for flag in flags)
        return (
            f"<p><b>{html.escape(self._title())}</b></p>{_table(head, rows)}"
            f"<p>{html.escape(label('flags_up', self.language))}</p><ul>{listed}</ul>"
            + svg.table_html(self._count(), *steps_table(self.replay, self.language))
        )

    def export_html(self, path: str | Path) -> Path:
        """Writes the tables as one HTML file; returns its path."""
        title = f"{self.replay.kernel}: {label('replay', self.language)}"
        return svg.write_page(path, title, self.to_html(), self.language)

    def _current(self) -> ReplayStep:
        return self.replay.steps[self.step]

    def _title(self) -> str:
        one = self._current()
        turn = f" [{', '.join(map(str, one.iteration))}]" if one.iteration else ""
        line = f", {label('line', self.language)} {one.span.line}" if one.span else ""
        return (
            f"{label('step', self.language)} {one.index} / {len(self.replay.steps) - 1}: "
            f"{one.agent} {one.pipe} {one.op}{turn}{line}"
        )

    def _count(self) -> str:
        left = self.replay.left_out
        return label("all_steps", self.language, len(self.replay.steps), left)

    def _lines(self) -> Iterator[str]:
        head, rows = buffers_at(self.replay, self.step, self.language)
        yield self._title()
        widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
        for row in (head, *rows):
            yield "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
        flags = "; ".join(self._current().flags) or label("none", self.language)
        yield f"{label('flags_up', self.language)}: {flags}"


def _table(head: tuple[str, ...], rows: Rows) -> str:
    cells = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    lines = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table>"
