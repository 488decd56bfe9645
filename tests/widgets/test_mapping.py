"""Lines of IR know the learner's line that they come from, in every stage."""

from __future__ import annotations

import re

import pytest

from tlcourse.examples.course import COURSE, CourseKernel
from tlcourse.jit import compile as compile_kernel
from tlcourse.records import PassTrace, Snapshot
from tlcourse.widgets.carried import carried
from tlcourse.widgets.lines import Reader

OP = re.compile(r'\s*(?:%[^=]*=\s*)?"?([a-z_]\w*(?:\.\w+)+)')
FRAME = ("builtin.module", "func.func", "arith.constant")  # they stand for no line
SHARE = 0.95


def share(trace: PassTrace, snapshot: Snapshot, *, carry: bool) -> tuple[int, int]:
    """How many ops after a pass map to a line of the learner, and how many there are."""
    reader = Reader()
    bare, places = reader.split(trace.texts[snapshot.text_id])
    lines = reader.read(bare)
    mapped = [
        any(source in trace.sources for source, _ in found)
        for line, found in zip(lines, carried(lines, places) if carry else places, strict=True)
        if (op := OP.match(line.text)) and op[1] not in FRAME
    ]
    return sum(mapped), len(mapped)


@pytest.mark.parametrize("case", COURSE, ids=lambda case: case.name)
def test_ops_of_every_stage_map_to_a_line(case: CourseKernel) -> None:
    trace = compile_kernel(case.func, mode=case.mode).trace("embedded")
    assert len(trace.snapshots) > 30
    for snapshot in trace.snapshots:
        mapped, ops = share(trace, snapshot, carry=False)
        assert ops > 10
        assert mapped >= SHARE * ops, snapshot.pass_name


@pytest.mark.slow
@pytest.mark.usefixtures("bishengir_opt")
@pytest.mark.parametrize("case", COURSE, ids=lambda case: case.name)
def test_ops_of_every_real_stage_map_to_a_line(case: CourseKernel) -> None:
    trace = compile_kernel(case.func, mode=case.mode).trace("bishengir")
    assert sum(one.origin == "real" for one in trace.snapshots) > 50
    dropped = 0
    for snapshot in trace.snapshots:
        mapped, ops = share(trace, snapshot, carry=True)
        assert mapped >= SHARE * ops, snapshot.pass_name
        bare = share(trace, snapshot, carry=False)[0]
        dropped += bare < SHARE * ops
    assert dropped  # the compiler's own text does not reach it: what is carried counts
