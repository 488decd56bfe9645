"""Tiles of one instruction that do not fit each other."""

from __future__ import annotations

import pytest
import torch

LINES = """%u = hivm.hir.pointer_cast(%c0) : UB(4x16xf32)
%A2 = memref.reinterpret_cast %A to offset: [0], sizes: [4, 16], strides: [16, 1] : GM(?xf32) to \
GM(4x16xf32)
hivm.hir.load ins(%A2 : GM(4x16xf32)) outs(%u : UB(4x16xf32))
%s = memref.subview %u[0, 0] [%iROWS, %iCOLUMNS] [1, 1] : UB(4x16xf32) to UB(?x?xf32, \
strided<[16, 1]>)
hivm.hir.pipe_barrier[<PIPE_ALL>]
hivm.hir.OP ins(%u : UB(4x16xf32)) outs(%s : UB(?x?xf32, strided<[16, 1]>))"""


@pytest.mark.parametrize(
    ("op", "rows", "columns", "found"),
    [
        pytest.param("vexp", 4, 16, [], id="equal"),
        pytest.param("vexp", 3, 16, ["TL505"], id="fewer rows"),
        pytest.param("copy", 4, 8, ["TL505"], id="fewer columns"),
        pytest.param("vreduce <sum>", 4, 1, [], id="reduced"),
    ],
)
def test_extents(tiny, helpers, op: str, rows: int, columns: int, found: list[str]) -> None:
    vector = LINES.replace("ROWS", str(rows)).replace("COLUMNS", str(columns))
    vector = vector.replace("OP", op)
    if "vreduce" in op:
        vector = vector.replace("strided<[16, 1]>))", "strided<[16, 1]>)) reduce_dims = [1]")
    result = tiny.run([helpers.tensor("A", "float32", 4, 16)], [torch.ones(4, 16)], vector=vector)
    assert helpers.codes(result) == found
    for finding in result.findings:
        assert f"({rows}, {columns})" in finding.diagnostic.what
        assert helpers.lines(finding) == [6]
