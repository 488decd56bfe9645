"""From a source to notebooks: structure, stripping, execution, and that nothing ever varies."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.nbgraderformat import MetadataValidator

from tlcourse.build import notebooks
from tlcourse.build.source import Language, read_source
from tlcourse.diagnostics import TLError
from tlcourse.grading.notebook_file import TEXT_STUB

ROOT = Path(__file__).parents[2]
LESSONS = sorted((ROOT / "course").glob("day*/*.py"))
EXERCISES = sorted((ROOT / "course").glob("day*/exercises/*.py"))


def stored(path: Path, language: Language) -> str:
    """A lesson's notebook as it lies in notebooks/."""
    folder = ROOT / "notebooks" / ("" if language == "en" else language) / path.parent.name
    return (folder / f"{path.stem}.ipynb").read_text(encoding="utf-8")


def shown(cell: NotebookNode) -> list[object]:
    """What a cell put out, apart from the name of its widget."""
    widget = "application/vnd.jupyter.widget-view+json"
    bundles = (output.get("data", {"text": output.get("text")}) for output in cell.outputs)
    return [{kind: data for kind, data in items.items() if kind != widget} for items in bundles]


def run(*cells: str) -> NotebookNode:
    made = [new_code_cell(text, id=f"c{number}") for number, text in enumerate(cells)]
    return notebooks.executed(new_notebook(cells=made), "small.ipynb")


def failure(*cells: str) -> TLError:
    with pytest.raises(TLError) as caught:
        run(*cells)
    assert caught.value.code == "TL803"
    return caught.value


def test_cells_carry_stem_tags_and_no_language(small_course: Path) -> None:
    source = read_source(small_course / "course/day9/01_count.py")
    notebook = notebooks.bare_notebook(source, "zh")
    assert [cell.id for cell in notebook.cells] == ["goals", "count", "end"]
    assert notebook.cells[0].source == "数到三。"
    assert notebook.cells[0].metadata["tags"] == ["lecture"]
    assert notebook.metadata["tlcourse"]["language"] == "zh"
    assert notebook.metadata["tlcourse"]["source_sha256"] == source.sha256


def test_the_cell_of_proofs_starts_folded(small_course: Path) -> None:
    source = read_source(small_course / "course/day9/01_count.py")
    end = notebooks.bare_notebook(source, "en").cells[-1]
    assert end.metadata["jupyter"] == {"source_hidden": True}


def test_languages_differ_in_words_alone(small_course: Path) -> None:
    source = read_source(small_course / "course/day9/01_count.py")
    english, chinese = (notebooks.bare_notebook(source, language) for language in ("en", "zh"))
    assert [cell.id for cell in english.cells] == [cell.id for cell in chinese.cells]
    assert [cell.source for cell in english.cells if cell.cell_type == "code"] == [
        cell.source for cell in chinese.cells if cell.cell_type == "code"
    ]


@pytest.mark.parametrize("path", EXERCISES, ids=lambda path: path.stem)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_of_a_solution_is_left(path: Path, language: Language) -> None:
    source = read_source(path)
    whole = notebooks.bare_notebook(source, language)
    solution = next(c.source for c in whole.cells if c.metadata.get("nbgrader", {}).get("solution"))
    _, _, rest = solution.partition("### BEGIN SOLUTION\n")
    lines = {line.strip() for line in rest.partition("### END SOLUTION")[0].splitlines()}
    others = [c.source for c in whole.cells if not c.metadata.get("nbgrader", {}).get("solution")]
    lines = {line for line in lines if line not in "\n".join(others)}  # not a given kernel's
    bare = next(
        c.source
        for c in notebooks.stripped(whole, path).cells
        if c.metadata.get("nbgrader", {}).get("solution")
    )
    assert not lines & {line.strip() for line in bare.splitlines()}
    text = notebooks.to_text(notebooks.stripped(whole, path))
    assert "SOLUTION" not in text
    assert "raise NotImplementedError" in text or TEXT_STUB in text
    assert [line for line in lines if len(line) > 20 and json.dumps(line)[1:-1] in text] == []


@pytest.mark.parametrize("path", EXERCISES, ids=lambda path: path.stem)
def test_stripped_exercise_keeps_its_ids_and_is_nbgraders(path: Path) -> None:
    source = read_source(path)
    whole = notebooks.bare_notebook(source, "en")
    bare = notebooks.stripped(notebooks.bare_notebook(source, "en"), path)
    assert [cell.id for cell in bare.cells] == [cell.id for cell in whole.cells]
    grades = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in bare.cells]
    assert source.id.replace(".", "-") in grades
    for notebook in (bare, whole):
        MetadataValidator().validate_nb(notebook)
        nbformat.validate(notebook)


def test_stub_follows_the_text_before_the_solution(small_course: Path) -> None:
    path = small_course / "course/day9/exercises/halve.py"
    bare = notebooks.stripped(notebooks.bare_notebook(read_source(path), "en"), path)
    solution = next(cell for cell in bare.cells if cell.id == "solution")
    assert solution.source == (
        "def halve(x):\n    # half of x\n    # your code here\n    raise NotImplementedError"
    )


def test_a_solution_without_an_end_is_refused(small_course: Path) -> None:
    path = small_course / "course/day9/exercises/halve.py"
    text = path.read_text(encoding="utf-8").replace("### END SOLUTION", "#")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TLError) as caught:
        notebooks.stripped(notebooks.bare_notebook(read_source(path), "en"), path)
    assert caught.value.code == "TL801"


def test_outputs_are_kept_and_nothing_of_the_run_besides() -> None:
    slowly = "import time\nprint('one', flush=True)\ntime.sleep(0.5)\nprint('two')"
    notebook = run(slowly, "1 + 2")
    first, second = notebook.cells
    assert [(output.name, output.text) for output in first.outputs] == [("stdout", "one\ntwo\n")]
    assert second.outputs[0].data == {"text/plain": "3"}
    assert (first.metadata, second.metadata) == ({}, {})
    assert notebook.metadata.language_info == {"name": "python"}
    assert notebooks.was_executed(notebook)


def test_structure_is_compared_without_outputs() -> None:
    notebook = run("1 + 2")
    bare = notebooks.without_outputs(notebook)
    assert (bare.cells[0].outputs, bare.cells[0].execution_count) == ([], None)
    assert notebook.cells[0].outputs
    assert not notebooks.was_executed(bare)


def test_the_users_settings_do_not_reach_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TLCOURSE_CHECKS", "off")
    monkeypatch.setenv("TILELANG_ASCEND_MODE", "Expert")
    monkeypatch.setenv("TLCOURSE_BACKEND", "npu")
    found = run("import os\n{k: v for k, v in os.environ.items() if k.startswith(('TLC', 'TILE'))}")
    text = found.cells[0].outputs[0].data["text/plain"]
    assert "TLCOURSE_CHECKS" not in text
    assert "TILELANG_ASCEND_MODE" not in text
    assert "'TLCOURSE_BACKEND': 'simulated'" in text
    assert "tlcourse-" in text  # a cache of its own


def test_a_cell_that_raises_is_named_without_colours() -> None:
    diagnostic = failure("x = 1", "1 / 0").diagnostic
    assert "cell `c1` fails" in diagnostic.what
    assert "ZeroDivisionError: division by zero" in diagnostic.why
    assert "\x1b" not in diagnostic.why


def test_standard_error_must_be_silent() -> None:
    diagnostic = failure("import warnings", "warnings.warn('look here')").diagnostic
    assert "cell `c1`" in diagnostic.what
    assert "look here" in diagnostic.why


def test_a_cell_that_never_ends_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebooks, "_CELL_SECONDS", 2)
    assert "cell `c0`" in failure("while True:\n    pass").diagnostic.what


def test_a_kernel_that_dies_is_told() -> None:
    diagnostic = failure("import os\nos._exit(3)").diagnostic
    assert "cell `c0`" in diagnostic.what
    assert "died" in diagnostic.why.lower()


def test_text_has_one_form() -> None:
    notebook = new_notebook(cells=[new_code_cell("x = '中'", id="a")])
    text = notebooks.to_text(notebook)
    assert text.endswith("}\n")
    assert "中" in text
    assert json.loads(text) == notebook


@pytest.mark.slow
@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_cells_show_what_is_stored_and_the_same_when_run_again(path: Path) -> None:
    """The Chinese notebooks; nbval does the first half for the English ones (see the Makefile)."""
    notebook = notebooks.bare_notebook(read_source(path), "zh")
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    again = [new_code_cell(cell.source, id=f"{cell.id}-again") for cell in cells]
    notebook.cells = [*cells, *again]
    ran = notebooks.executed(notebook, path.name).cells
    kept = nbformat.reads(stored(path, "zh"), as_version=4).cells
    kept = [cell for cell in kept if cell.cell_type == "code"]
    for was, one, other in zip(kept, ran[: len(cells)], ran[len(cells) :], strict=True):
        assert shown(was) == shown(one), one.id
        assert shown(one) == shown(other), one.id
