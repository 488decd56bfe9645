"""`reset` and `checkpoint`: the exercise anew, and nothing of the learner's is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tlcourse.build import restart
from tlcourse.build.restart import STARTS, checkpoint, reset, started, working_copy
from tlcourse.build.workspace import course_folder, make_workspace
from tlcourse.cli import app
from tlcourse.diagnostics import TLError

NAME = "exercises/day4/sync.ipynb"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course without its lessons' outputs: what these commands read."""
    root = course_folder()
    folder = tmp_path_factory.mktemp("course")
    for name in ("exercises", "notebooks"):
        for path in (root / name).rglob("*.ipynb"):
            target = folder / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    return folder


@pytest.fixture
def copy(course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A learner's working copy of the exercises."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    monkeypatch.setattr(restart, "course_folder", lambda: course)
    (tmp_path / "small/exercises/day4").mkdir(parents=True)
    (tmp_path / "small" / NAME).write_bytes((course / NAME).read_bytes())
    make_workspace(tmp_path / "lab", tmp_path / "small")
    return tmp_path / "lab"


def solution(path: Path) -> str:
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    found = next(cell for cell in cells if cell["metadata"].get("nbgrader", {}).get("solution"))
    return "".join(found["source"])


def test_work_is_kept_beside_the_untouched_exercise(copy: Path) -> None:
    fresh = (copy / NAME).read_bytes()
    (copy / NAME).write_text("my work", encoding="utf-8")
    kept = reset("d4.sync", copy)
    assert kept == copy / f"{NAME}.bak"
    assert kept.read_text(encoding="utf-8") == "my work"
    assert (copy / NAME).read_bytes() == fresh


def test_every_old_notebook_has_a_name_of_its_own(copy: Path) -> None:
    kept = []
    for number in range(3):
        (copy / NAME).write_text(f"try {number}", encoding="utf-8")
        kept.append(reset("d4.sync", copy))
    assert [path.name for path in kept if path] == [f"sync.ipynb.bak{n}" for n in ("", 1, 2)]
    assert [path.read_text() for path in kept if path] == ["try 0", "try 1", "try 2"]


def test_an_untouched_exercise_needs_no_copy(copy: Path) -> None:
    assert reset("d4.sync", copy) is None
    assert list(copy.rglob("*.bak*")) == []


def test_a_deleted_exercise_comes_back(copy: Path) -> None:
    fresh = (copy / NAME).read_bytes()
    (copy / NAME).unlink()
    assert reset("d4.sync", copy) is None
    assert (copy / NAME).read_bytes() == fresh


def test_after_a_reset_the_copy_follows_the_course(copy: Path, tmp_path: Path) -> None:
    (copy / NAME).write_text("my work", encoding="utf-8")
    reset("d4.sync", copy)
    source = tmp_path / "small" / NAME
    notebook = json.loads(source.read_text(encoding="utf-8"))
    notebook["cells"][0]["source"] = "newer"
    source.write_text(json.dumps(notebook), encoding="utf-8")
    assert make_workspace(copy, tmp_path / "small").written == (NAME,)


def test_the_chinese_notebook_is_reset_apart(copy: Path) -> None:
    (copy / NAME).write_text("my work", encoding="utf-8")
    reset("d4.sync", copy, "zh")
    assert (copy / NAME).read_text(encoding="utf-8") == "my work"
    assert "第 4 步" in (copy / "exercises/zh/day4/sync.ipynb").read_text(encoding="utf-8")


def test_a_checkpoint_writes_the_reference_and_keeps_the_work(copy: Path) -> None:
    (copy / NAME).write_text("my work", encoding="utf-8")
    kept = checkpoint("d4.sync", copy)
    assert kept is not None
    assert kept.read_text(encoding="utf-8") == "my work"
    text = solution(copy / NAME)
    assert text.startswith('@tilelang.jit(out_idx=[3], target="npuir")\ndef sync(S, D):\n')
    assert 'with T.Scope("Vector"):' in text
    assert "sync_block_set" not in text  # which is what the step asks for
    stored = json.loads((copy / ".tlcourse/progress.json").read_text(encoding="utf-8"))
    assert stored["caps"] == {"d4.split": "50"}


@pytest.mark.parametrize("exercise", STARTS)
def test_every_start_compiles_as_python_and_names_its_entry(exercise: str, copy: Path) -> None:
    checkpoint(exercise, copy)
    day, _, slug = exercise.partition(".")
    text = solution(copy / f"exercises/day{day[1:]}/{slug}.ipynb")
    compile(text, exercise, "exec")
    assert f"\ndef {slug}(" in text
    assert "NotImplementedError" not in text


@pytest.mark.slow
@pytest.mark.parametrize("exercise", STARTS)
def test_a_start_is_neither_untouched_nor_the_answer(exercise: str, copy: Path) -> None:
    from tlcourse.grading.hand_in import grade_notebook

    checkpoint(exercise, copy)
    day, _, slug = exercise.partition(".")
    verdict = grade_notebook(copy / f"exercises/day{day[1:]}/{slug}.ipynb")
    assert verdict.state in ("FAIL", "PARTIAL")


def test_defaults_that_the_exercise_lacks_become_lines() -> None:
    stub = "@jit\ndef entry(S):\n    # the task\n    raise NotImplementedError\n"
    given = "def helper():\n    pass\n\n\n@jit\ndef made(S, N=4, D=2):\n    return S + N + D\n"
    text = started(stub, given, "made")
    head = "def helper():\n    pass\n\n\n@jit\ndef entry(S):\n    # the task\n"
    assert text == f"{head}    N = 4\n    D = 2\n    return S + N + D\n"


def test_an_unknown_exercise_gets_the_near_name(copy: Path) -> None:
    with pytest.raises(TLError) as caught:
        reset("d4.sink", copy)
    assert caught.value.code == "TL601"
    assert "d4.sync" in caught.value.diagnostic.fix


def test_an_exercise_that_stands_alone_has_no_checkpoint(copy: Path) -> None:
    with pytest.raises(TLError) as caught:
        checkpoint("d1.change_vadd", copy)
    assert caught.value.code == "TL807"
    assert "d4.sync" in caught.value.diagnostic.fix
    assert list(copy.rglob("*.bak*")) == []


def test_the_working_copy_is_found_from_inside_and_from_above(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copy / "exercises/day4")
    assert working_copy() == copy
    copy.rename(copy.with_name("tlcourse-lab"))
    monkeypatch.chdir(copy.parent)
    assert working_copy() == copy.with_name("tlcourse-lab")


def test_no_working_copy_is_told(tmp_path: Path) -> None:
    with pytest.raises(TLError) as caught:
        working_copy(tmp_path)
    assert caught.value.code == "TL806"


def test_the_cap_is_said_before_anything_changes(copy: Path) -> None:
    (copy / NAME).write_text("my work", encoding="utf-8")
    arguments = ["checkpoint", "d4.sync", "--folder", str(copy)]
    refused = CliRunner().invoke(app, arguments, input="n\n")
    assert refused.exit_code == 1
    assert "Of the points of d4.split, at most 50 % count" in refused.output
    assert (copy / NAME).read_text(encoding="utf-8") == "my work"
    taken = CliRunner().invoke(app, [*arguments, "--yes"])
    assert taken.exit_code == 0
    assert "sync.ipynb.bak" in taken.output
    assert 'T.Scope("Cube")' in solution(copy / NAME)


def test_reset_says_where_the_work_is(copy: Path) -> None:
    (copy / NAME).write_text("my work", encoding="utf-8")
    done = CliRunner().invoke(app, ["reset", "d4.sync", "--folder", str(copy)])
    assert done.exit_code == 0
    assert f"{copy / NAME}.bak" in done.output.replace("\n", "")
