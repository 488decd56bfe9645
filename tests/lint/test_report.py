"""Every rule of the lint finds what it is for, at the right place, and nothing else."""

from __future__ import annotations

import itertools
import linecache
import warnings

import pytest

import tlcourse.language as T
from tests.lint.cases import CASES, Case, kernel_text
from tlcourse.diagnostics import Diagnostic
from tlcourse.examples.course import COURSE, CourseKernel
from tlcourse.jit import compile as compile_kernel
from tlcourse.jit.differences import differences
from tlcourse.jit.report import KernelWarning
from tlcourse.lint import CODE, RULES, WARNED, LintReport
from tlcourse.records import Mode, from_json, to_json

NUMBERS = itertools.count()


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch):
    """Lints a kernel's text, or a kernel, in a mode."""

    def report(kernel: str | T.PrimFunc, mode: Mode) -> LintReport:
        monkeypatch.setenv("TILELANG_ASCEND_MODE", mode)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KernelWarning)
            return differences(compile_kernel(read(kernel) if isinstance(kernel, str) else kernel))

    return report


def read(text: str) -> T.PrimFunc:
    file = f"<lint {next(NUMBERS)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict[str, object] = {"T": T, "extents": [8, 64]}
    exec(compile(text, file, "exec"), scope)
    kernel = scope["k"]
    assert isinstance(kernel, T.PrimFunc)
    return kernel


def underlined(diagnostic: Diagnostic, text: str) -> str:
    span = diagnostic.labels[0].span
    line = text.splitlines()[span.line - 1]
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    return line[span.column - 1 : end]


def named(cases: tuple[Case, ...]) -> list[str]:
    return [f"{case.rule}-{number}" for number, case in enumerate(cases)]


@pytest.mark.parametrize("case", CASES, ids=named(CASES))
def test_rule_finds_its_difference_and_points_at_it(case: Case, report) -> None:
    text = kernel_text(case.bad, case.mode, case.head)
    found = [one for one in report(text, case.mode).differences if one.rule == case.rule]
    assert len(found) == 1
    diagnostic = found[0].diagnostic
    assert underlined(diagnostic, text).startswith(case.caret)
    assert diagnostic.severity == "warning"
    assert all((diagnostic.what, diagnostic.why, diagnostic.fix))


@pytest.mark.parametrize("case", CASES, ids=named(CASES))
def test_what_means_the_same_in_both_is_not_reported(case: Case, report) -> None:
    assert report(kernel_text(case.good, case.mode), case.mode).differences == ()


@pytest.mark.parametrize("rule", ["developer-slice", "not-carried", "reshape-kept", "scalar-exp"])
def test_rule_of_one_mode_is_silent_in_the_other(rule: str, report) -> None:
    case = next(case for case in CASES if case.rule == rule)
    other: Mode = "Expert" if case.mode == "Developer" else "Developer"
    assert report(kernel_text(case.bad, other), other).differences == ()


def test_every_rule_has_a_case() -> None:
    assert {case.rule for case in CASES} == {rule.id for rule in RULES} | set(WARNED)
    assert len({rule.id for rule in RULES}) == len(RULES)


def test_rules_share_one_code_and_name_themselves_at_the_caret(report) -> None:
    found = report(kernel_text("T.fill(a, 1.0)", "Expert"), "Expert").differences
    assert [one.diagnostic.code for one in found] == [CODE] == ["TL140"]
    assert found[0].diagnostic.labels[0].text == "fill-number"
    assert found[0].diagnostic.what == "`T.fill(a, 1.0)` fills with a Python number"


@pytest.mark.parametrize("kernel", COURSE, ids=lambda kernel: kernel.name)
def test_kernels_of_the_course_rely_on_no_difference(kernel: CourseKernel, report) -> None:
    assert report(kernel.func, kernel.mode).differences == ()


def test_differences_come_in_the_order_of_the_text_and_once(report) -> None:
    lines = "T.vfloor(a, b)\nfor x in range(2):\n    T.fill(a, 1.0)\n"
    lines += "T.vclamp(a[0:8, :], b[0:8, :], 0, 6)"
    found = report(kernel_text(lines, "Expert"), "Expert").differences
    assert [one.rule for one in found] == ["floor", "fill-number", "clamp-slice"]


def test_statement_in_a_macro_is_reported_once_in_the_macro(report) -> None:
    macro = "@T.macro\ndef one(tile):\n    T.fill(tile, 1.0)\n\n"
    text = macro + kernel_text("one(a)\none(b)", "Expert")
    found = report(text, "Expert").differences
    assert [one.diagnostic.labels[0].span.line for one in found] == [3]


def test_call_over_several_lines_is_shown_by_its_first(report) -> None:
    text = kernel_text("T.fill(\n    a,\n    1.0,\n)", "Expert")
    found = report(text, "Expert").differences
    assert found[0].diagnostic.what == "`T.fill( ..` fills with a Python number"
    assert underlined(found[0].diagnostic, text) == "T.fill("


def test_statement_whose_text_is_unknown_is_named_by_its_op(report) -> None:
    text = kernel_text("T.vfloor(a, b)", "Expert")
    found = report(text, "Expert")
    kernel = read(text)
    kernel.sources.clear()
    bare = report(kernel, "Expert").differences
    assert [one.rule for one in bare] == [one.rule for one in found.differences]
    assert bare[0].diagnostic.what == "`tl.vfloor` rounds a tile down"


def test_report_is_a_record(report) -> None:
    found = report(kernel_text("T.vfloor(a, b)", "Expert"), "Expert")
    assert (found.kernel, found.mode) == ("k", "Expert")
    assert from_json(LintReport, to_json(found)) == found
