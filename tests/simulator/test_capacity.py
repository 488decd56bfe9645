"""Buffers that do not fit into their memory."""

from __future__ import annotations

import torch


def test_buffer_behind_the_end_of_ub(tiny, helpers) -> None:
    vector = """%a_ub = hivm.hir.pointer_cast(%c0) : UB(32768xf32)
%b_ub = hivm.hir.pointer_cast(%c131072) : UB(32768xf32)
hivm.hir.vexp ins(%a_ub : UB(32768xf32)) outs(%b_ub : UB(32768xf32))"""
    result = tiny.run([], [], vector=vector)
    assert helpers.codes(result) == ["TL527"]
    found = result.findings[0].diagnostic
    assert "ends at byte 262,144 of UB, which holds 196,608" in found.what
    assert "a_ub: 0 to 131,071; b_ub: 131,072 to 262,143" in found.why
    assert helpers.lines(result.findings[0]) == [2]


def test_buffer_that_just_fits(tiny, helpers) -> None:
    vector = """%u = hivm.hir.pointer_cast(%c131072) : UB(16384xf32)
hivm.hir.load ins(%A1 : GM(16384xf32)) outs(%u : UB(16384xf32))"""
    tensors = [helpers.tensor("A", "float32", 16384)]
    assert tiny.run(tensors, [torch.ones(16384)], vector=vector).findings == ()


def test_product_in_l1_and_l0c(tiny, helpers) -> None:
    cube = """%l = hivm.hir.pointer_cast(%c500000) : L1(16x16x16x16xf16)
%c = hivm.hir.pointer_cast(%c0) : L0C(16x16x16x16xf32)
%t = arith.constant true
hivm.hir.mmadL1 ins(%l, %l, %t, %i16, %i16, %i16 : L1(16x16x16x16xf16), L1(16x16x16x16xf16), i1, \
index, index, index) outs(%c : L0C(16x16x16x16xf32))"""
    result = tiny.run([], [], cube=cube)
    assert helpers.codes(result) == ["TL527", "TL527"]
    assert [f.agent for f in result.findings] == ["aic", "aic"]
