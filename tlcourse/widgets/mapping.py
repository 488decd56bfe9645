"""How many ops of each stage of a trace come from a line of the learner."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tlcourse.records import PassTrace, Snapshot
from tlcourse.widgets.carried import carried
from tlcourse.widgets.lines import Reader

_OP = re.compile(r'\s*(?:%[^=]*=\s*)?"?([a-z_]\w*(?:\.\w+)+)')
_FRAME = ("builtin.module", "func.func", "arith.constant")  # they stand for no line


@dataclass(frozen=True, kw_only=True)
class Mapped:
    """The ops after one pass.

    Args:
        pass_name: the pass.
        ops: all of them, but for constants, functions and modules.
        own: those whose own location is a line of the learner.
        near: those with a line once places are carried from neighbours.
    """

    pass_name: str
    ops: int
    own: int
    near: int


def mapped(trace: PassTrace) -> tuple[Mapped, ...]:
    """The counts after every pass of a trace."""
    reader, known = Reader(), dict[str, tuple[int, int, int]]()
    found: list[Mapped] = []
    for snapshot in trace.snapshots:
        if snapshot.text_id not in known:
            known[snapshot.text_id] = _counts(trace, snapshot, reader)
        ops, own, near = known[snapshot.text_id]
        found.append(Mapped(pass_name=snapshot.pass_name, ops=ops, own=own, near=near))
    return tuple(found)


def _counts(trace: PassTrace, snapshot: Snapshot, reader: Reader) -> tuple[int, int, int]:
    bare, own = reader.split(trace.texts[snapshot.text_id])
    lines = reader.read(bare)
    ops = [bool((op := _OP.match(line.text)) and op[1] not in _FRAME) for line in lines]
    own_count, near_count = (
        sum(
            is_op and any(source in trace.sources for source, _ in places)
            for is_op, places in zip(ops, found, strict=True)
        )
        for found in (own, carried(lines, own))
    )
    return sum(ops), own_count, near_count
