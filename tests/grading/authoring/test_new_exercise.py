from __future__ import annotations

import linecache
import tomllib
from pathlib import Path

import pytest

from tlcourse.build.source import read_source
from tlcourse.diagnostics import TLError
from tlcourse.grading.authoring.guesses import guesses
from tlcourse.grading.authoring.mutants import Mutant, edited
from tlcourse.grading.authoring.new_exercise import new_exercise
from tlcourse.grading.judge import judge
from tlcourse.grading.report import as_text
from tlcourse.grading.spec import Spec, spec_from
from tlcourse.grading.tracing import attempt_all, order_of
from tlcourse.records import Verdict

NAME = "d8.example"


def test_the_files_are_a_source_and_a_spec(tmp_path: Path) -> None:
    source, spec, mutants = new_exercise(NAME, tmp_path)
    read = read_source(source)  # both languages are there, and no twin is older
    assert read.id == NAME
    found = spec_from(tomllib.loads(spec.read_text(encoding="utf-8")))
    assert found.id == NAME
    rows = tomllib.loads(mutants.read_text(encoding="utf-8"))["mutants"]
    assert tuple(row["name"] for row in rows) == found.mutants


def judged(spec: Spec, setup: str, solution: str, folder: Path) -> Verdict:
    """The verdict on a solution, traced in this process."""
    file = folder / "solution.py"  # the front end reads a kernel's text from its file
    file.write_text(f"{setup}\n{solution}", encoding="utf-8")
    linecache.checkcache(str(file))
    names: dict[str, object] = {}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), names)
    return judge(spec, spec.cases, attempt_all(order_of(spec, spec.cases), names[spec.entry]))


def test_a_new_exercise_can_be_graded_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILELANG_ASCEND_MODE", "Developer")
    source, written, mutants = new_exercise(NAME, tmp_path)
    spec = spec_from(tomllib.loads(written.read_text(encoding="utf-8")))
    cells = {cell.stem: cell.text for cell in read_source(source).cells_in("en")}
    assert judged(spec, cells["imports"], cells["solution"], tmp_path).state == "PASS"
    assert [guess for guess in guesses(spec) if not guess.ok] == []
    for row in tomllib.loads(mutants.read_text(encoding="utf-8"))["mutants"]:
        mutant = Mutant(**{**row, "edits": tuple(map(tuple, row["edits"]))})
        wrong = edited(mutant, {}, cells["solution"])
        verdict = judged(spec, cells["imports"], wrong, tmp_path)
        assert mutant.said in as_text(verdict)
        assert verdict.state == mutant.state


@pytest.mark.parametrize("name", ["example", "d1", "d1.a-b", "x1.a", "d.a", "d1.change_vadd"])
def test_what_is_no_id_or_is_there_is_refused(tmp_path: Path, name: str) -> None:
    if name == "d1.change_vadd":
        new_exercise(name, tmp_path)
    with pytest.raises(TLError) as caught:
        new_exercise(name, tmp_path)
    assert caught.value.diagnostic.code == "TL640"
