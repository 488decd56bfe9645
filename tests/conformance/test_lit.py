"""Suite lit: RUN lines, what is judged, verdicts and the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tlcourse.conformance import Settings, run_suite
from tlcourse.conformance.filecheck_run import check_text, compares
from tlcourse.conformance.lit_judge import judge
from tlcourse.conformance.lit_page import page_of
from tlcourse.conformance.run_lines import Job, jobs
from tlcourse.diagnostics import TLError

RIGHT = """// CHECK-LABEL: func.func @k
// CHECK: %[[A:.*]] = arith.muli %arg0, %arg0 : i32
// CHECK: arith.addi %[[A]], %[[A]] : i32
func.func @k(%x: i32) -> i32 {
  %a = arith.muli %x, %x : i32
  %b = arith.muli %x, %x : i32
  %c = arith.addi %a, %b : i32
  return %c : i32
}
"""
WRONG = RIGHT.replace("arith.addi %[[A]]", "arith.subi %[[A]]")
NAME_ONLY = "// CHECK-LABEL: func.func @k\nfunc.func @k() {\n  return\n}\n"
UNREADABLE = "// CHECK: nothing\nnothing\n"
RUN = "// RUN: bishengir-opt %s -cse -split-input-file | FileCheck %s\n"


def _job(line: str) -> Job:
    (found,) = jobs(f"// RUN: {line}\n")
    return found


def test_a_run_line_becomes_a_pipeline() -> None:
    found = _job(
        'bishengir-opt -allow-unregistered-dialect %s -hivm-plan-memory="mem-plan-mode=x" --cse '
        "-split-input-file -verify-diagnostics -mlir-print-op-generic "
        "| FileCheck %s --check-prefixes=A,B"
    )
    assert found == Job(
        pipeline="hivm-plan-memory{mem-plan-mode=x},cse",
        split=True,
        verify=True,
        generic=True,
        prefixes=("A", "B"),
    )


def test_a_pipeline_option_and_a_line_in_two_parts() -> None:
    text = (
        '// RUN: bishengir-opt %s -pass-pipeline="builtin.module(func.func(cse),cse)" \\\n'
        "// RUN:   | FileCheck %s --check-prefix C\n// RUN: bishengir-compile %s\n"
    )
    (found,) = jobs(text)
    assert found == Job(pipeline="builtin.module(func.func(cse),cse)", prefixes=("C",))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            "bishengir-opt %s -cse -hfusion-auto-schedule | FileCheck %s",
            "not embedded: hfusion-auto-schedule",
        ),
        ("bishengir-opt %s -Simplify | FileCheck %s", "not embedded: Simplify"),
        ("bishengir-opt %s -cse | mlir-cpu-runner | FileCheck %s", "needs mlir-cpu-runner"),
        ("bishengir-opt %s -cse --debug-only=x | FileCheck %s", "needs --debug-only"),
        ("bishengir-opt %s | FileCheck %s", "no pass: it only reads and prints"),
        ("bishengir-opt %s -cse 2>&1 | FileCheck %s", "gives 2>&1 to the tool"),
        ("not bishengir-opt %s -cse", "needs not"),
        ("bishengir-opt %s -pass-pipeline='a{' | FileCheck %s", "cannot read its pipeline"),
        ("bishengir-opt %s 'x", "cannot read its RUN line: No closing quotation"),
    ],
)
def test_what_is_not_run(line: str, why: str) -> None:
    assert _job(line).cannot == why


def test_verdicts_of_a_split_file() -> None:
    text = "\n// -----\n".join([RUN, RIGHT, WRONG, NAME_ONLY, UNREADABLE])
    found = list(judge(text))
    assert [one.module for one in found] == [1, 2, 3, 4]
    assert [one.cannot for one in found] == [False, False, True, False]
    assert found[0].reason == ""
    assert found[1].reason.startswith("CHECK mismatch: Couldn't match")
    assert found[3].reason == "cannot be read: there is no operation nothing"


def test_an_announced_error() -> None:
    run = "// RUN: bishengir-opt %s -cse -verify-diagnostics | FileCheck %s\n"
    right = "// expected-error@+1 {{no operation nothing}}\nnothing\n"
    assert [one.reason for one in judge(run + right)] == [""]
    (wrong,) = judge(run + right.replace("nothing}}", "other}}"))
    assert wrong.reason.startswith("other error: An error came that is not expected")


def test_a_missing_option_and_an_own_error() -> None:
    (option,) = judge(RUN.replace("-cse", '-cse="x=1"') + RIGHT)
    assert option.reason == "pass lacks an option: cse has no option x"
    ub = "memref<99999999xf32, #hivm.address_space<ub>>"
    large = (
        f"// CHECK: x\nfunc.func @k() {{\n  %a = memref.alloc() : {ub}\n"
        f"  hivm.hir.vexp ins(%a : {ub}) outs(%a : {ub})\n  return\n}}\n"
    )
    (own,) = judge(RUN.replace("-cse", "-hivm-plan-memory") + large)
    assert own.reason.startswith("TL301: ")


def test_the_suite_and_its_page(tmp_path: Path) -> None:
    folder = tmp_path / "bishengir" / "test" / "Dialect"
    folder.mkdir(parents=True)
    (folder / "a.mlir").write_text("\n// -----\n".join([RUN, RIGHT, WRONG, NAME_ONLY]))
    (folder / "b.mlir").write_text(RUN.replace("-cse", "-unknown") + RIGHT)
    report = run_suite(Settings(suite="lit", folder=tmp_path))
    assert [(case.name, case.outcome) for case in report.cases] == [
        ("Dialect/a.mlir:1:1", "passed"),
        ("Dialect/a.mlir:1:2", "failed"),
        ("Dialect/a.mlir:1:3", "cannot"),
        ("Dialect/b.mlir:1:1", "cannot"),
    ]
    only = run_suite(Settings(suite="lit", folder=tmp_path, only="a.mlir:1:2"))
    assert [case.name for case in only.cases] == ["Dialect/a.mlir:1:2"]
    page = page_of(report)
    assert "1 of 2 modules pass (50 %)." in page
    assert "| Dialect/a.mlir | 2 | 1 | 1 |" in page
    assert "| 1 | CHECK mismatch |" in page
    assert "b.mlir" not in page


def test_without_filecheck_nothing_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bishengir" / "test").mkdir(parents=True)
    monkeypatch.setattr("tlcourse.conformance.filecheck_run.find_spec", lambda name: None)
    with pytest.raises(TLError) as raised:
        run_suite(Settings(suite="lit", folder=tmp_path))
    assert raised.value.code == "TL716"


def test_comparing() -> None:
    assert check_text("// A: one\n", "one\n", ("A",)) == ""
    assert not compares("// CHECK-LABEL: one\n")
    assert compares("// CHECK-NOT: one\n")
    assert not compares("// CHECK: one\n", ("A",))
