"""What the timeline viewer shows, as plain data, and its one-file page.

Instructions are columns of numbers for each lane: times as distances from the one before, all
words in tables. Nothing here needs Jupyter.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tlcourse.diagnostics import SourceFile, SourceMap, Span
from tlcourse.records import Timeline
from tlcourse.widgets import svg
from tlcourse.widgets.labels import Language, label
from tlcourse.widgets.lanes import (
    Row,
    all_rows,
    busy_share,
    caption,
    edges,
    gap_table,
    lane_table,
    timeline_rows,
)
from tlcourse.widgets.timeline_words import cause_words, table, word

_FOLDER = Path(__file__).parent
_EXPORT_LINE = "export default { render };"
_AGENTS = ("aic", "aiv0", "aiv1")
GAPS_LISTED = 12


@dataclass(frozen=True, kw_only=True)
class Track:
    """One timeline as shown.

    Args:
        title: what tells it from the other one; empty where it is alone.
        timeline: the record.
        block: the block that is shown; None for all that the record has.
        sources: texts that its places point into.
    """

    title: str
    timeline: Timeline
    block: int | None = None
    sources: SourceMap = field(default_factory=lambda: dict[str, SourceFile]())


def timeline_state(tracks: Sequence[Track], language: Language = "en") -> str:
    """The whole state of the viewer: JSON, gzip, base64. Equal records give equal text."""
    text = json.dumps(_state(tracks, language), separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def page(tracks: Sequence[Track], language: Language = "en", twin: str = "") -> str:
    """The text of a page that needs no server, no kernel and no network.

    `twin` is markup for readers without a script.

    `FILE#1200-3400` opens it on these cycles, `FILE#1200-3400;0.17` with instruction 17 of the
    first timeline chosen.
    """
    script = viewer_script().removesuffix(_EXPORT_LINE) + _read("timeline_page.js")
    state = json.dumps({"data": timeline_state(tracks, language), "view": ""})
    heading = f"<h1>{html.escape(title_of(tracks, language))}</h1>"
    return (
        f'<!doctype html>\n<html lang="{language}">\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{html.escape(title_of(tracks, language))}</title>\n"
        f"<style>{style()}</style>\n"
        f'<body class="tl-page"><main id="timeline">{heading}{twin}</main>\n'
        f'<script type="module">\nconst STATE = {state};\n{script}</script>\n</body>\n</html>\n'
    )


def viewer_script() -> str:
    """The viewer as one ES module: no import, no request at run time."""
    names = ("common.js", "timeline_parts.js", "timeline_draw.js", "timeline.js")
    script = "\n".join(_read(name) for name in names).rstrip()
    assert script.endswith(_EXPORT_LINE), "the page replaces the module's last line"
    return script


def style() -> str:
    """The style sheet of the viewer."""
    return _read("timeline.css")


def title_of(tracks: Sequence[Track], language: Language) -> str:
    """One line for the whole picture."""
    if len(tracks) == 1:
        return label("timeline", language, tracks[0].timeline.kernel)
    names = [track.timeline.kernel for track in tracks]
    if len({*names}) == 1:
        return word("timeline_twice", language, names[0], *(track.title for track in tracks))
    return word("timeline_pair", language, *names)


def comparison(tracks: Sequence[Track], language: Language) -> str:
    """How the second timeline compares with the first one; empty where there is one only."""
    if len(tracks) < 2:
        return ""
    before, after = (t.timeline.cycles / t.timeline.clock_mhz for t in tracks)
    if before == after:
        verdict = word("as_fast", language)
    elif after < before:
        verdict = word("faster", language, before / after)
    else:
        verdict = word("slower", language, after / before)
    return word("from_to", language, before, after, verdict)


def tables(tracks: Sequence[Track], language: Language) -> list[str]:
    """Lanes and longest gaps of each track as HTML tables."""
    found: list[str] = []
    for track in tracks:
        rows = rows_of(track)
        head = f"<h3>{html.escape(track.title)}</h3>" if track.title else ""
        lanes = svg.grid_html(*lane_table(track.timeline, rows, language))
        longest = svg.grid_html(*gap_table(track.timeline, rows, GAPS_LISTED, language))
        found.append(f"{head}{lanes}<h3>{word('gap_table', language)}</h3>{longest}")
    return found


def rows_of(track: Track) -> tuple[Row, ...]:
    """The lanes of a track: of its block, or of all blocks."""
    if track.block is None:
        return all_rows(track.timeline)
    return timeline_rows(track.timeline, track.block)


def _state(tracks: Sequence[Track], language: Language) -> dict[str, object]:
    rows = [rows_of(track) for track in tracks]
    swatches = {row.swatch.key: row.swatch for group in rows for row in group}
    patterns = "".join([*map(svg.pattern, swatches.values()), svg.wait_pattern()])
    return {
        "labels": table(language),
        "title": title_of(tracks, language),
        "comparison": comparison(tracks, language),
        "patterns": patterns,
        "table_title": label("as_table", language),
        "tables": "".join(tables(tracks, language)),
        "tracks": [_track(t, group, language) for t, group in zip(tracks, rows, strict=True)],
    }


def _track(track: Track, rows: tuple[Row, ...], language: Language) -> dict[str, object]:
    timeline = track.timeline
    ops: dict[str, int] = {}
    causes: dict[str, int] = {}
    places: dict[Span | None, int] = {None: 0}
    lanes = [_lane(timeline, row, ops, causes, places, language) for row in rows]
    places.pop(None)
    return {
        "title": track.title,
        "caption": _caption(track, language),
        "clock": timeline.clock_mhz,
        "lanes": lanes,
        "ops": list(ops),
        "causes": list(causes),
        "places": [_place(span, track.sources) for span in places if span],
        "edges": _edges(rows),
    }


def _caption(track: Track, language: Language) -> str:
    """Kernel, cycles, time, chip, and the blocks that are shown."""
    blocks = sorted({one.block for one in track.timeline.instructions})
    if track.block is not None or len(blocks) < 2:
        return caption(track.timeline, track.block, language)
    timeline = track.timeline
    time = timeline.cycles / timeline.clock_mhz
    several = ", ".join(map(str, blocks[:6])) + (" ..." if len(blocks) > 6 else "")
    return word("several", language, timeline.kernel, timeline.cycles, time, timeline.chip, several)


def _lane(
    timeline: Timeline,
    row: Row,
    ops: dict[str, int],
    causes: dict[str, int],
    places: dict[Span | None, int],
    language: Language,
) -> dict[str, object]:
    """A lane: columns of ids, gaps before, lengths, ops, places, bytes, blocks."""
    starts = [one.start_cycle for one in row.instructions]
    ends = [0, *(one.end_cycle for one in row.instructions)]
    return {
        "core": label(row.agent, language) if row.agent in _AGENTS else row.agent,
        "pipe": row.swatch.label,
        "key": row.swatch.key,
        "colour": row.swatch.fill,
        "about": row.swatch.chinese if language == "zh" else row.swatch.english,
        "share": busy_share(timeline, row).split(" ", 1)[1],
        "ids": _distances([one.id for one in row.instructions]),
        "skips": [start - end for start, end in zip(starts, ends, strict=False)],
        "lengths": [one.end_cycle - one.start_cycle for one in row.instructions],
        "ops": [ops.setdefault(one.op, len(ops)) for one in row.instructions],
        "places": [places.setdefault(one.span, len(places)) - 1 for one in row.instructions],
        "bytes": [one.bytes for one in row.instructions],
        "blocks": _distances([one.block for one in row.instructions]),
        "gaps": [
            [
                gap.start_cycle,
                gap.end_cycle - gap.start_cycle,
                causes.setdefault(cause_words(gap.cause, language), len(causes)),
            ]
            for gap in row.bubbles
        ],
    }


def _distances(values: list[int]) -> list[int]:
    """Each value by its distance from the one before."""
    return [value - before for value, before in zip(values, [0, *values], strict=False)]


def _place(span: Span, sources: SourceMap) -> tuple[str, int, str, str]:
    """Title of the text, line, the line's words where they are known, and the text's id."""
    source = sources.get(span.source)
    if source is None:
        return span.source, span.line, "", span.source
    lines = source.text.splitlines()
    words = lines[span.line - 1].strip() if span.line <= len(lines) else ""
    return source.title, span.line, words, span.source


def _edges(rows: tuple[Row, ...]) -> list[list[int]]:
    """Pairs as [setter, waiter, 1 stalls + 2 crosses], flat numbers for the viewer."""
    return [
        [edge.setter.id, edge.waiter.id, edge.stalls + 2 * edge.crosses] for edge in edges(rows)
    ]


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
