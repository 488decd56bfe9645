"""Exercises that ask for words, IR or a pass: honest, empty, wrong and cheating hand-ins."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects import arith
from xdsl.pattern_rewriter import RewritePattern

from tlcourse.diagnostics import TLError
from tlcourse.grading import handed
from tlcourse.grading.hand_in import grade_notebook
from tlcourse.grading.report import as_text
from tlcourse.records import Verdict

ROOT = Path(__file__).parents[2]


def is_solution(cell: dict[str, Any]) -> bool:
    return bool(cell["metadata"].get("nbgrader", {}).get("solution"))


@pytest.fixture
def graded(tmp_path: Path) -> Callable[[str, str], Verdict]:
    """Grades an exercise, `day1/where_it_lands`, with another text in its solution cell."""

    def grade(name: str, text: str) -> Verdict:
        notebook = json.loads((ROOT / "exercises" / f"{name}.ipynb").read_text("utf-8"))
        for cell in filter(is_solution, notebook["cells"]):
            cell["source"] = text
        path = tmp_path / "hand_in.ipynb"
        path.write_text(json.dumps(notebook), encoding="utf-8")
        return grade_notebook(path)

    return grade


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (7, "it returns a int, not a dictionary"),
        ({"a": 1}, "its dictionary holds something that is no string"),
    ],
)
def test_an_answer_is_a_table_of_words(value: object, reason: str) -> None:
    with pytest.raises(TLError) as caught:
        handed.text_of("answer", "places", lambda: value)
    assert caught.value.diagnostic.code == "TL608"
    assert reason in caught.value.diagnostic.what


def test_ir_is_a_text_of_a_function() -> None:
    assert handed.text_of("ir", "lowered", lambda: "func.func @f") == "func.func @f"
    for wrong in (lambda: 3, "func.func @f", dict):
        with pytest.raises(TLError) as caught:
            handed.text_of("ir", "lowered", wrong)
        assert caught.value.diagnostic.code == "TL608"


MODULE = "func.func @f(%a: f32) -> f32 {\n  %b = arith.addf %a, %a : f32\n  func.return %b : f32\n}"


class Endless(RewritePattern):
    """Says of every op that it has changed."""

    def match_and_rewrite(self, op: Any, rewriter: Any, /) -> None:
        rewriter.handle_operation_modification(op)


class NotInserted(RewritePattern):
    """Builds an op that another one uses, and leaves it out."""

    def match_and_rewrite(self, op: Any, rewriter: Any, /) -> None:
        if op.name == "arith.addf":
            product = arith.MulfOp(op.lhs, op.rhs)
            rewriter.replace(op, arith.SubfOp(product.result, op.rhs))


class TakenOut(RewritePattern):
    """Takes out an op whose result is still used."""

    def match_and_rewrite(self, op: Any, rewriter: Any, /) -> None:
        if op.name == "arith.addf":
            op.detach()


class Breaking(RewritePattern):
    """Leaves an op in front of what it uses."""

    def match_and_rewrite(self, op: Any, rewriter: Any, /) -> None:
        if op.name == "func.return":
            op.detach()


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (int, "int is no class of RewritePattern or ModulePass"),
        (Endless, "it still changes ops after 10,000 tries"),
        (Breaking, "what it leaves does not verify"),
        (
            NotInserted,
            "arith.subf uses the result of an arith.mulf, which was built but never inserted",
        ),
        (TakenOut, "func.return uses the result of an arith.addf, which was taken out"),
    ],
)
def test_a_pass_ends_and_leaves_a_module_that_verifies(kind: object, reason: str) -> None:
    with pytest.raises(TLError) as caught:
        handed.rewritten("Pattern", kind, MODULE)
    assert caught.value.diagnostic.code == "TL608"
    assert reason in caught.value.diagnostic.what


@pytest.mark.parametrize(
    ("ir", "code"),
    [("this is no IR", "TL609"), ("func.func @other() { func.return }", "TL364")],
    ids=["unreadable", "without the function"],
)
def test_ir_that_cannot_be_used_is_named(
    graded: Callable[..., Verdict], ir: str, code: str
) -> None:
    verdict = graded("day1/lower_to_scf", f"def lower_to_scf():\n    return {ir!r}")
    assert (verdict.state, verdict.points) == ("FAIL", 0.0)
    assert code in as_text(verdict)


def test_words_beyond_the_items_earn_nothing(graded: Callable[..., Verdict]) -> None:
    verdict = graded("day1/where_it_lands", "def where_it_lands():\n    return {'more': 'UB'}")
    assert verdict.points == 0.0
    assert verdict.state == "TODO"


def test_part_of_the_words_earns_a_part(graded: Callable[..., Verdict]) -> None:
    words = {"vadd.a_sh": "ub", "softmax.x": " UB ", "minicv.A_sh": "L0A"}
    verdict = graded("day1/where_it_lands", f"def where_it_lands():\n    return {words}")
    assert verdict.state == "PARTIAL"
    assert verdict.points == pytest.approx(2 / 8 * verdict.max_points)
