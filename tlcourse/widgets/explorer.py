"""What the pass explorer shows, as plain data, and its one-file page.

A text of IR is a list of stretches in one table of lines, and a line is a template filled
with value names. Neighbouring passes share most of both, so the state of a long trace
stays small. Nothing here needs Jupyter.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tlcourse.records import PassTrace, Snapshot
from tlcourse.widgets import palette
from tlcourse.widgets.diff import Row, Words, diff_texts
from tlcourse.widgets.labels import Language, label, table
from tlcourse.widgets.lines import VALUE, Line, Place, split_places

_KINDS = {"same": 0, "removed": 1, "added": 2, "changed": 3, "renamed": 4, "moved": 5}
_FOLDER = Path(__file__).parent
_VALUE_MARK = "\x7f"
_EXPORT_LINE = "export default { render };"


@dataclass(frozen=True, kw_only=True)
class Step:
    """One pass as shown.

    Args:
        snapshot: the record of the pass.
        before: IR before it, without locations.
        after: IR after it, without locations.
        rows: the difference, empty where the texts are equal or there is no text before.
        op_changes: op name to difference in number, zeros left out.
    """

    snapshot: Snapshot
    before: str
    after: str
    rows: tuple[Row, ...]
    op_changes: dict[str, int]

    @property
    def status(self) -> Literal["input", "changed", "unchanged", "failed", "skipped"]:
        """What the list says of the pass; the first snapshot is the input."""
        if self.snapshot.index == 0 and self.snapshot.status in ("changed", "unchanged"):
            return "input"
        return self.snapshot.status


@dataclass(slots=True)
class _LineTable:
    """Every different line once, with its places in the learner's source."""

    numbers: dict[tuple[str, tuple[int, ...]], int] = field(
        default_factory=lambda: dict[tuple[str, tuple[int, ...]], int]()
    )

    def stretches(self, text: str, places: list[tuple[int, ...]]) -> list[int]:
        """A text as (first, count) pairs into the table, flat."""
        flat: list[int] = []
        for key in zip(text.splitlines(), places, strict=True):
            number = self.numbers.setdefault(key, len(self.numbers))
            if flat and flat[-2] + flat[-1] == number:
                flat[-1] += 1
            else:
                flat += [number, 1]
        return flat

    def templates(self) -> tuple[list[str], list[str]]:
        """Templates, and for each line the number of its template and the names in it."""
        numbers: dict[str, int] = {}
        filled: list[str] = []
        for text, _ in self.numbers:
            template = VALUE.sub(_VALUE_MARK, text)
            number = numbers.setdefault(template, len(numbers))
            filled.append(" ".join([str(number), *(n[1:] for n in VALUE.findall(text))]))
        return list(numbers), filled


def steps(trace: PassTrace) -> tuple[Step, ...]:
    """All passes of a trace with their differences."""
    bare = {key: split_places(text)[0] for key, text in trace.texts.items()}
    memo: dict[str, Line] = {}
    found: list[Step] = []
    before, counts = "", dict[str, int]()
    for snapshot in trace.snapshots:
        after = bare.get(snapshot.text_id, before)
        rows = diff_texts(before, after, memo) if found and before != after else ()
        changes = _op_changes(counts, snapshot.op_counts) if found else {}
        found.append(
            Step(snapshot=snapshot, before=before, after=after, rows=rows, op_changes=changes)
        )
        before, counts = after, snapshot.op_counts
    return tuple(found)


def summary(trace: PassTrace, language: Language = "en") -> str:
    """One line: how many passes ran, changed the IR, failed."""
    statuses = [s.status for s in trace.snapshots[1:]]
    words = label("changed_of", language, statuses.count("changed"), len(statuses))
    failed = statuses.count("failed")
    return f"{words}, {label('failed_of', language, failed)}" if failed else words


def explorer_state(trace: PassTrace, language: Language = "en") -> str:
    """The whole state of the explorer: JSON, gzip, base64. Equal traces give equal text."""
    data = json.dumps(_state(trace, language), separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(gzip.compress(data.encode(), 9, mtime=0)).decode()


def export_html(trace: PassTrace, path: str | Path, language: Language = "en") -> Path:
    """Writes the explorer as one file that needs no server, no kernel and no network.

    `FILE#pass=N` opens it at pass N. Returns the path written.
    """
    target = Path(path)
    target.write_text(page(trace, language), encoding="utf-8")
    return target


def page(trace: PassTrace, language: Language = "en") -> str:
    """The text of the one-file page."""
    script = viewer_script().removesuffix(_EXPORT_LINE) + _read("page.js")
    state = json.dumps({"data": explorer_state(trace, language), "index": -1})
    return (
        f'<!doctype html>\n<html lang="{language}">\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "script-src 'unsafe-inline'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{html.escape(trace.kernel)}: {html.escape(summary(trace, language))}</title>\n"
        f"<style>{_read('passes.css')}</style>\n"
        '<body class="tl-page"><main id="explorer"></main>\n'
        f'<script type="module">\nconst STATE = {state};\n{script}</script>\n</body>\n</html>\n'
    )


def viewer_script() -> str:
    """The viewer as one ES module: no import, no request at run time."""
    script = "\n".join(_read(name) for name in ("common.js", "passes_parts.js", "passes.js"))
    assert script.rstrip().endswith(_EXPORT_LINE), "the page replaces the module's last line"
    return script.rstrip()


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _state(trace: PassTrace, language: Language) -> dict[str, object]:
    all_steps = steps(trace)
    ids = list(trace.sources)
    lines = _LineTable()
    numbers: dict[str, int] = {}
    texts: list[list[int]] = []
    for step in all_steps:
        text_id = step.snapshot.text_id
        if text_id in trace.texts and text_id not in numbers:
            bare, places = split_places(trace.texts[text_id])
            numbers[text_id] = len(texts)
            texts.append(lines.stretches(bare, [_numbered(p, ids) for p in places]))
    templates, filled = lines.templates()
    return {
        "kernel": trace.kernel,
        "mode": trace.mode,
        "target": trace.target,
        "summary": summary(trace, language),
        "labels": table(language),
        "colours": {s.key: s.fill for s in [*palette.PIPES.values(), *palette.MEMORIES.values()]},
        "templates": templates,
        "lines": "\n".join(filled),
        "places": [list(p) for _, p in lines.numbers] if any(p for _, p in lines.numbers) else [],
        "texts": texts,
        "sources": [[s.title, s.text] for s in trace.sources.values()],
        "passes": _passes(all_steps, numbers),
    }


def _passes(all_steps: tuple[Step, ...], numbers: dict[str, int]) -> list[dict[str, object]]:
    passes: list[dict[str, object]] = []
    before = -1
    for step in all_steps:
        snapshot = step.snapshot
        after = numbers.get(snapshot.text_id, before)
        passes.append(
            {
                "name": snapshot.pass_name,
                "phase": snapshot.phase,
                "status": step.status,
                "origin": snapshot.origin,
                "options": " ".join(f"{k}={v}" for k, v in sorted(snapshot.options.items())),
                "notes": list(snapshot.notes),
                "ops": sorted(step.op_changes.items()),
                "texts": [before, after],
                "rows": _packed(step.rows),
            }
        )
        before = after
    return passes


def _packed(rows: tuple[Row, ...]) -> list[list[int]]:
    """Rows as [kind, count] runs; a changed row as [kind, 4 numbers a stretch].

    Kinds: same, removed, added, changed, renamed, moved away, moved here. The four numbers
    are: equal columns before it, columns on the left, on the right, renamed or not.
    In a renamed row all that differs is value names, so its stretches can be found again.
    """
    packed: list[list[int]] = []
    for row in rows:
        kind = _KINDS[row.kind] + (row.kind == "moved" and row.before is None)
        if row.kind == "changed":
            packed.append([kind, *_stretches(row.words)])
        elif packed and packed[-1][0] == kind:
            packed[-1][1] += 1
        else:
            packed.append([kind, 1])
    return packed


def _stretches(found: tuple[Words, ...]) -> list[int]:
    flat: list[int] = []
    column = 0
    for words in found:
        left, right = words.before_end - words.before_start, words.after_end - words.after_start
        flat += [words.before_start - column, left, right, int(words.renamed)]
        column = words.before_end
    return flat


def _numbered(places: tuple[Place, ...], ids: list[str]) -> tuple[int, ...]:
    """Places as flat (source number, line) pairs; texts that are not known are left out."""
    known = [(ids.index(source), line) for source, line in places if source in ids]
    return tuple(number for pair in known for number in pair)


def _op_changes(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    changes = {op: after.get(op, 0) - before.get(op, 0) for op in {*before, *after}}
    return {op: changes[op] for op in sorted(changes) if changes[op]}
