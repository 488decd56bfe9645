from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tlcourse.bench.back_halves import PEAK_LIMIT, Pair, run_half
from tlcourse.examples.course import COURSE

pytestmark = pytest.mark.bishengir


def test_both_back_halves_give_the_same_numbers_in_as_little_memory(course_pairs):
    assert [pair.kernel.name for pair in course_pairs if not pair.same_numbers] == []
    findings = {
        pair.kernel.name: (pair.embedded.findings, pair.real.findings) for pair in course_pairs
    }
    assert set(findings.values()) == {((), ())}, findings
    ratios = {pair.kernel.name: pair.peak_ratios for pair in course_pairs}
    assert max(max(one.values()) for one in ratios.values()) <= PEAK_LIMIT, ratios
    assert all(pair.passed for pair in course_pairs)


def test_other_numbers_a_finding_or_more_memory_do_not_pass(course_pairs):
    pair: Pair = course_pairs[0]
    wrong = replace(pair.embedded, outputs=tuple(one + 1 for one in pair.embedded.outputs))
    assert not replace(pair, embedded=wrong).passed
    assert not replace(pair, real=replace(pair.real, findings=("TL510",))).passed
    larger = replace(pair.embedded.figures, peak_bytes={"ub": 1200})
    assert not replace(pair, embedded=replace(pair.embedded, figures=larger)).passed


def test_an_output_that_is_not_torchs_does_not_agree():
    kernel = COURSE[0]
    off = replace(kernel, wanted=lambda inputs: (torch.zeros_like(inputs[0]),))
    assert run_half(kernel, "embedded").agrees
    assert not run_half(off, "embedded").agrees
