"""A missing wait is one finding, however much it sets off."""

from __future__ import annotations

import pytest
import torch

# Rows of A pass through UB in four turns; the same flag serves a and b.
LOOP = """%a = hivm.hir.pointer_cast(%c0) : UB(64xf32)
%b = hivm.hir.pointer_cast(%c256) : UB(64xf32)
%c = hivm.hir.pointer_cast(%c512) : UB(64xf32)
set V MTE2 0
set MTE3 V 0
scf.for %k = %w0 to %w4 step %w1 : i32 {
wait V MTE2 0
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%a : UB(64xf32))
set MTE2 V 0
wait MTE2 V 0
wait MTE3 V 0
hivm.hir.vexp ins(%a : UB(64xf32)) outs(%c : UB(64xf32))
hivm.hir.pipe_barrier[<PIPE_MTE2>]
hivm.hir.load ins(%B1 : GM(64xf32)) outs(%b : UB(64xf32))
set MTE2 V 0
wait MTE2 V 0
hivm.hir.pipe_barrier[<PIPE_V>]
hivm.hir.vadd ins(%b, %c : UB(64xf32), UB(64xf32)) outs(%c : UB(64xf32))
set V MTE2 0
set V MTE3 0
wait V MTE3 0
hivm.hir.pipe_barrier[<PIPE_MTE3>]
hivm.hir.store ins(%c : UB(64xf32)) outs(%C1 : GM(64xf32))
set MTE3 V 0
}
wait V MTE2 0
wait MTE3 V 0"""


def _run(tiny, helpers, *without: int):
    lines = LOOP.splitlines()
    for number in without:
        lines[number - 1] = ""
    tensors = [helpers.tensor(name, "float32", 64) for name in "ABC"]
    buffers = [torch.ones(64), torch.ones(64), torch.zeros(64)]
    return tiny.run(tensors, buffers, vector="\n".join(lines))


def test_nothing_is_missing(tiny, helpers) -> None:
    assert _run(tiny, helpers).findings == ()


@pytest.mark.parametrize(
    ("wait", "lines"),
    [
        pytest.param(10, [12, 8], id="the first of two waits for one flag"),
        pytest.param(16, [18, 14], id="the second"),
        pytest.param(11, [12, 23], id="what is stored is overwritten"),
        pytest.param(21, [23, 18], id="what is stored is not there yet"),
    ],
)
def test_a_missing_wait_is_one_finding(tiny, helpers, wait: int, lines: list[int]) -> None:
    result = _run(tiny, helpers, wait)
    races = [found for found in result.findings if found.diagnostic.code == "TL521"]
    assert [helpers.lines(found) for found in races] == [lines]
    assert helpers.codes(result) == ["TL521"]


def test_two_missing_waits_are_two_findings(tiny, helpers) -> None:
    result = _run(tiny, helpers, 10, 21)
    assert helpers.codes(result) == ["TL521", "TL521"]
    assert sorted(helpers.lines(found) for found in result.findings) == [[12, 8], [23, 18]]
