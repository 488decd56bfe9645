"""Messages as a learner reads them."""

from __future__ import annotations

import torch

from tlcourse.diagnostics import SourceFile, Span, render_text
from tlcourse.records import Program
from tlcourse.simulator.findings import FindingLog

RACE = """error[TL521]: vadd reads b in UB while load may still be writing it in block 0
  --> this cell, line 7
   |
 7 | hivm.hir.vadd ins(%a, %b : UB(64xf32), UB(64xf32)) outs(%a : UB(64xf32))
   | ^^^^^^^^^^^^^ vadd on V
  --> this cell, line 4
   |
 4 | hivm.hir.load ins(%B1 : GM(64xf32)) outs(%b : UB(64xf32))
   | ^^^^^^^^^^^^^ load on MTE2
  = why: MTE2 and V work side by side; only a flag makes one wait for the other, and no flag does \
so here
  = fix: raise a flag behind line 4, T.set_flag("PIPE_V", id) in T.rs("PIPE_MTE2"), and wait \
for it in front of line 7, T.wait_flag("PIPE_MTE2", id) in T.rs("PIPE_V"); or let the compiler do \
it (pass config npuir.disable_hivm_auto_inject_sync: False)
  = see: docs/errors.md#TL521"""


def test_a_race_shows_both_lines(tiny, helpers, vadd_lines: str) -> None:
    lines = vadd_lines.splitlines()
    lines[4] = lines[5] = ""
    tensors = [helpers.tensor(name, "float32", 64) for name in "ABC"]
    a = torch.ones(64)
    text = "\n".join(lines)
    program = tiny.program(tensors, vector=text)
    result = tiny.run(tensors, [a, a, a.clone()], vector=text)
    finding = result.findings[0]
    assert render_text(finding.diagnostic, program.sources) == RACE
    assert finding.other_span == finding.diagnostic.labels[1].span


def test_spans_come_from_the_program(tiny, helpers, vadd_lines: str) -> None:
    tensors = [helpers.tensor(name, "float32", 64) for name in "ABC"]
    program: Program = tiny.program(tensors, vector=vadd_lines)
    assert program.sources["k"] == SourceFile(id="k", text=vadd_lines, title="this cell")
    found = [span.line for span in program.spans if span is not None]
    assert sorted(found) == [3, 4, 5, 6, 7, 8, 9, 10]


def test_places_without_a_span_are_left_out() -> None:
    place = Span(source="k", line=1, column=1, end_line=1, end_column=2)
    log = FindingLog((place,))
    assert (log.span(0), log.span(-1), log.span(5)) == (place, None, None)
    assert len(log) == 0
    assert log.findings() == ()
