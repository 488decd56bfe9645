"""Lines of IR know the learner's line that they come from, in every stage."""

from __future__ import annotations

import re

import pytest

from tlcourse.examples.course import COURSE, CourseKernel
from tlcourse.jit import compile as compile_kernel
from tlcourse.widgets.lines import split_places

OP = re.compile(r'\s*(?:%[^=]*=\s*)?"?([a-z_]\w*(?:\.\w+)+)')
FRAME = ("builtin.module", "func.func", "arith.constant")  # they stand for no line
SHARE = 0.95


@pytest.mark.parametrize("case", COURSE, ids=lambda case: case.name)
def test_ops_of_every_stage_map_to_a_line(case: CourseKernel) -> None:
    trace = compile_kernel(case.func, mode=case.mode).trace("embedded")
    assert len(trace.snapshots) > 30
    for snapshot in trace.snapshots:
        bare, places = split_places(trace.texts[snapshot.text_id])
        mapped = [
            any(source in trace.sources for source, _ in found)
            for line, found in zip(bare.splitlines(), places, strict=True)
            if (op := OP.match(line)) and op[1] not in FRAME
        ]
        assert len(mapped) > 10
        assert sum(mapped) >= SHARE * len(mapped), snapshot.pass_name
