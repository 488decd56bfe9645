"""Passes on a text: result, errors with their line, split files, what a listener hears."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tlcourse.diagnostics import TLError
from tlcourse.dialects.notes import leave_notes
from tlcourse.pipeline.dumping import Dumps
from tlcourse.pipeline.expected import verify_diagnostics
from tlcourse.pipeline.opt import Done, Form, run_opt, split_pieces
from tlcourse.pipeline.registry import read_passes

UB = "memref<64xf32, #hivm.address_space<ub>>"
TEXT = f"""func.func @k() attributes {{hacc.function_kind = #hacc.function_kind<DEVICE>}} {{
  %a = memref.alloc() : {UB}
  %b = memref.alloc() : {UB}
  hivm.hir.vexp ins(%a : {UB}) outs(%b : {UB})
  return
}}
"""
TOO_LARGE = TEXT.replace("64xf32", "64000xf32").replace("vexp", "vabs")
PLAN = read_passes("hivm-plan-memory")


def _place(problem: TLError) -> tuple[str, int, int]:
    span = problem.diagnostic.labels[0].span
    return span.source, span.line, span.column


def test_a_pass_runs_and_the_result_is_text_again() -> None:
    text = run_opt(TEXT, PLAN)
    assert text.count("hivm.hir.pointer_cast(%c0_i64)") == 2
    assert run_opt(text, ()) == text


def test_generic_form_is_read_and_written() -> None:
    generic = run_opt(TEXT, (), form=Form(generic=True))
    assert '"hivm.hir.vexp"' in generic
    assert run_opt(generic, ()) == run_opt(TEXT, ())


def test_ops_know_their_line_in_the_file_and_keep_what_they_say_themselves() -> None:
    text = TEXT.replace(f"outs(%b : {UB})", f'outs(%b : {UB}) loc("k.py":7:9)')
    shown = run_opt(text, (), name="f.mlir", form=Form(locations=True))
    assert f'%b = memref.alloc() : {UB} loc("f.mlir":3:3)' in shown
    assert 'loc("k.py":7:9)' in shown
    assert '  return loc("f.mlir":5:3)' in shown


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "column"),
    [
        ("return", "retrn", "TL322", 5, 3),
        ("%b : ", "%nothing : ", "TL322", 4, TEXT.splitlines()[3].index("%b") + 1),
        ("alloc() : memref<64", "alloc() : memref<6#4", "TL322", 2, 33),
        ("ins(%a", "ins(%a, %a", "TL322", 4, None),
        ("  return\n", "", "TL323", 4, 3),
    ],
)
def test_a_text_with_a_fault(old: str, new: str, code: str, line: int, column: int | None) -> None:
    with pytest.raises(TLError) as raised:
        run_opt(TEXT.replace(old, new, 1), (), name="f.mlir")
    source, at, where = _place(raised.value)
    assert (raised.value.code, source, at) == (code, "f.mlir", line)
    assert column in (None, where)


def test_an_unknown_operation_is_named() -> None:
    with pytest.raises(TLError, match="there is no operation retrn"):
        run_opt(TEXT.replace("return", "retrn"), ())


def test_an_error_of_a_pass_points_into_the_file() -> None:
    with pytest.raises(TLError) as raised:
        run_opt(TEXT.replace("64xf32", "64000xf32"), PLAN, name="f.mlir")
    assert raised.value.code == "TL301"
    assert _place(raised.value)[:2] == ("f.mlir", 2)
    assert "%a = memref.alloc()" in str(raised.value)


@dataclass(frozen=True)
class _Breaks(ModulePass):
    name = "breaks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise KeyError("lost")


@dataclass(frozen=True)
class _Spoils(ModulePass):
    name = "spoils"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        inner = next(one for one in op.walk() if one.name == "func.return")
        inner.detach()
        inner.erase()


@dataclass(frozen=True)
class _Talks(ModulePass):
    name = "talks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        leave_notes(op, ["two copies dropped"])


def test_a_pass_that_breaks_down() -> None:
    with pytest.raises(TLError, match="The pass breaks broke down") as raised:
        run_opt(TEXT, (_Breaks(),), name="f.mlir")
    assert raised.value.code == "TL310"
    assert "KeyError: 'lost'" in raised.value.diagnostic.why


def test_a_pass_that_leaves_what_does_not_verify() -> None:
    with pytest.raises(TLError, match="against the rules") as raised:
        run_opt(TEXT, (_Spoils(),), name="f.mlir")
    assert raised.value.code == "TL310"


def test_pieces_of_a_split_file_stand_on_their_lines() -> None:
    first, second = split_pieces("a\nb\n// -----\nc\n")
    assert first == "a\nb\n"
    assert second == "\n\n\nc\n"


def test_split_modules_are_apart() -> None:
    text = f"{TEXT}\n// -----\n{TEXT}"
    assert run_opt(text, PLAN, split=True).count("// -----") == 1
    with pytest.raises(TLError) as raised:
        run_opt(f"{TEXT}// -----\n{TEXT.replace('return', 'retrn')}", (), split=True)
    assert _place(raised.value)[1] == 12


def test_a_listener_hears_of_every_pass() -> None:
    heard: list[Done] = []
    passes = (*PLAN, _Talks())
    run_opt(f"{TEXT}// -----\n{TEXT}", passes, split=True, listener=heard.append)
    assert [(done.index, done.one.name) for done in heard] == [
        (0, "hivm-plan-memory"),
        (1, "talks"),
        (2, "hivm-plan-memory"),
        (3, "talks"),
    ]
    assert heard[1].notes == ("two copies dropped",)
    assert all(done.seconds >= 0 for done in heard)


def test_dumps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dumps = Dumps(form=Form(), after_change=True, folder=tmp_path / "d", timing=True)
    run_opt(TEXT, (*PLAN, *PLAN, _Talks()), listener=dumps.after)
    said = capsys.readouterr().err
    assert said.count("IR Dump After") == 1
    assert "// -----// IR Dump After HivmPlanMemoryPass (hivm-plan-memory) //----- //" in said
    assert "// talks: two copies dropped" in said
    assert sorted(path.name for path in (tmp_path / "d").iterdir()) == [
        "000_hivm-plan-memory.mlir",
        "001_hivm-plan-memory.mlir",
        "002_talks.mlir",
    ]
    assert "pointer_cast" in (tmp_path / "d" / "000_hivm-plan-memory.mlir").read_text()
    assert [line.split()[-1] for line in dumps.timing_lines()] == [
        "pass",
        "hivm-plan-memory",
        "hivm-plan-memory",
        "talks",
        "total",
    ]


def test_dumps_after_all_show_what_did_not_change_too(capsys: pytest.CaptureFixture[str]) -> None:
    run_opt(TEXT, (*PLAN, *PLAN), listener=Dumps(form=Form(), after_all=True).after)
    assert capsys.readouterr().err.count("IR Dump After") == 2


def test_expected_errors() -> None:
    comment = "  // expected-error@+1 {{need 256,000 B of UB}}\n  %a ="
    right = TOO_LARGE.replace("  %a =", comment, 1)
    verify_diagnostics(f"{TEXT}// -----\n{right}", PLAN, split=True)
    for wrong in (
        right.replace("@+1", ""),
        right.replace("256,", "257,"),
        TOO_LARGE,
        right.replace("64000", "64"),
    ):
        with pytest.raises(TLError) as raised:
            verify_diagnostics(wrong, PLAN)
        assert raised.value.code == "TL324"
    verify_diagnostics(right.replace("@+1", "@unknown"), PLAN)


@pytest.mark.parametrize("text", ["", "\n", "// only a comment\n"])
def test_nothing_is_an_empty_module(text: str) -> None:
    assert run_opt(text, ()) == "module {\n}\n"
    pieces = run_opt(f"{text}// -----\nfunc.func @k() {{\n  return\n}}\n", (), split=True)
    assert pieces.startswith("module {\n}\n\n// -----\n\nmodule {\n  func.func @k()")
