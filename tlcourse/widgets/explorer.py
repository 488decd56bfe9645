"""The state of the pass explorer, as plain data, and its one-file page. Nothing needs Jupyter."""

from __future__ import annotations

import base64
import gc
import gzip
import html
import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tlcourse.records import PassTrace
from tlcourse.widgets import palette
from tlcourse.widgets.encoding import Texts, packed_rows
from tlcourse.widgets.exhibit import Exhibit, Track, exhibit
from tlcourse.widgets.labels import Language, spoken, table
from tlcourse.widgets.pagefile import write_text
from tlcourse.widgets.steps import Step, summary
from tlcourse.widgets.switches import meaning

_FOLDER = Path(__file__).parent
_SCRIPTS = (
    "common.js",
    "passes_parts.js",
    "passes_rows.js",
    "passes_list.js",
    "passes_board.js",
    "passes.js",
)
_EXPORT_LINE = "export default { render };"


def explorer_state(shown: Exhibit) -> str:
    """The whole state of the explorer: JSON, gzip, base64. Equal exhibits give equal text."""
    with without_collection():
        data = json.dumps(_state(shown), separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(gzip.compress(data.encode(), 9, mtime=0)).decode()


@contextmanager
def without_collection() -> Generator[None, None, None]:
    """Spares Python's search for cycles: millions of small records are made, and none has any."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def export_html(
    shown: PassTrace | Exhibit, path: str | Path, language: Language | None = None
) -> Path:
    """Writes the explorer as one file that needs no server, no kernel and no network.

    `FILE#pass=N` opens it at pass N. Returns the path written.
    """
    made = exhibit(shown, spoken(language)) if isinstance(shown, PassTrace) else shown
    return write_text(path, page(made))


def page(shown: Exhibit) -> str:
    """The text of the one-file page."""
    trace, language = shown.trace, shown.language
    script = viewer_script().removesuffix(_EXPORT_LINE) + _read("page.js")
    state = json.dumps({"data": explorer_state(shown), "index": -1})
    title = html.escape(f"{trace.kernel}: {summary(trace, language)}")
    return (
        f'<!doctype html>\n<html lang="{language}">\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "script-src 'unsafe-inline'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{title}</title>\n"
        f"<style>{_read('passes.css')}</style>\n"
        f'<body class="tl-page"><main id="explorer"><h1>{title}</h1></main>\n'
        f'<script type="module">\nconst STATE = {state};\n{script}</script>\n</body>\n</html>\n'
    )


def viewer_script() -> str:
    """The viewer as one ES module: no import, no request at run time."""
    script = "\n".join(_read(name) for name in _SCRIPTS)
    assert script.rstrip().endswith(_EXPORT_LINE), "the page replaces the module's last line"
    return script.rstrip()


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _state(shown: Exhibit) -> dict[str, object]:
    trace = shown.trace
    texts = Texts(sources=list(trace.sources), reader=shown.tracks[0].memo.reader)
    tracks = [_track(track, texts, shown.language) for track in shown.tracks]
    return {
        "kernel": trace.kernel,
        "mode": trace.mode,
        "target": trace.target,
        "labels": table(shown.language),
        "colours": {s.key: s.fill for s in [*palette.PIPES.values(), *palette.MEMORIES.values()]},
        "source_ids": list(trace.sources),
        "sources": [[s.title, s.text] for s in trace.sources.values()],
        "tracks": tracks,
        "pairs": [[pair.first, pair.second, packed_rows(pair.rows)] for pair in shown.pairs],
        "switches": _switches(shown),
        "shown": shown.first_shown,
        "failure": shown.failure,
        "notes": list(shown.notes),
        **texts.packed(),
    }


def _track(track: Track, texts: Texts, language: Language) -> dict[str, object]:
    passes: list[dict[str, object]] = []
    before = -1
    for step in track.steps:
        text, known = track.trace.texts.get(step.snapshot.text_id), len(texts.texts)
        after = before if text is None else texts.number(text, before, step.rows)
        passes.append(_pass(step, before, after))
        if after < known or before < 0:  # else the text holds the same rows
            passes[-1]["rows"] = packed_rows(step.rows)
        before = after
    for measured, place in zip(track.measures, _places(track), strict=True):
        if place is not None:
            passes[place] |= {"seconds": measured.seconds, "numbers": measured.numbers}
            passes[place] |= {"worst": measured.worst} if measured.worst else {}
    title, words = track.title, summary(track.trace, language)
    return {"title": title, "summary": words, "passes": passes}


def _places(track: Track) -> list[int | None]:
    """Where in the trace each measured pass stands; they come in the order of the passes."""
    names = [step.snapshot.pass_name for step in track.steps]
    found: list[int | None] = []
    start = 1
    for measured in track.measures:
        here = measured.pass_name in names[start:]
        found.append(names.index(measured.pass_name, start) if here else None)
        start = (found[-1] or 0) + 1 if here else start
    return found


def _pass(step: Step, before: int, after: int) -> dict[str, object]:
    snapshot = step.snapshot
    return {
        "name": snapshot.pass_name,
        "phase": snapshot.phase,
        "status": step.status,
        "origin": snapshot.origin,
        "options": " ".join(f"{k}={v}" for k, v in sorted(snapshot.options.items())),
        "notes": list(snapshot.notes),
        "ops": sorted(step.op_changes.items()),
        "texts": [before, after],
    }


def _switches(shown: Exhibit) -> list[dict[str, object]]:
    return [
        {
            "name": now.name,
            "config": now.config,
            "original": original.value,
            "value": now.value,
            "number": now.is_number,
            "followed": now.is_followed,
            "meaning": meaning(now.config, shown.language),
        }
        for original, now in shown.switches
    ]
