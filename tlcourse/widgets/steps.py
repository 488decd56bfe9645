"""The passes of a trace as the explorer shows them: bare texts, differences, counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tlcourse.records import PassTrace, Snapshot
from tlcourse.widgets.diff import Memo, Row, diff_read
from tlcourse.widgets.labels import Language, label


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


def steps(trace: PassTrace, memo: Memo | None = None) -> tuple[Step, ...]:
    """All passes of a trace with their differences; `memo` as in `diff_texts`."""
    memo = memo or Memo()
    bare = {key: memo.reader.split(text)[0] for key, text in trace.texts.items()}
    found: list[Step] = []
    before, counts = "", dict[str, int]()
    left = memo.read(before)
    for snapshot in trace.snapshots:
        after = bare.get(snapshot.text_id, before)
        right = left if before == after else memo.read(after)
        rows = diff_read(left, right, memo) if found and before != after else ()
        changes = _op_changes(counts, snapshot.op_counts) if found else {}
        found.append(
            Step(snapshot=snapshot, before=before, after=after, rows=rows, op_changes=changes)
        )
        before, counts, left = after, snapshot.op_counts, right
    return tuple(found)


def summary(trace: PassTrace, language: Language = "en") -> str:
    """One line: how many passes ran, changed the IR, failed."""
    statuses = [s.status for s in trace.snapshots[1:]]
    words = label("changed_of", language, statuses.count("changed"), len(statuses))
    failed = statuses.count("failed")
    return f"{words}, {label('failed_of', language, failed)}" if failed else words


def _op_changes(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    changes = {op: after.get(op, 0) - before.get(op, 0) for op in {*before, *after}}
    return {op: changes[op] for op in sorted(changes) if changes[op]}
