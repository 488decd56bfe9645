import ast
from pathlib import Path

import pytest

from tlcourse.grading import version

FOLDER = Path(version.__file__).parent


def reached(name: str, seen: set[str]) -> set[str]:
    """Modules of grading that a module imports, and what those import."""
    path = FOLDER / f"{name}.py"
    if name in seen or not path.is_file():
        return seen
    seen.add(name)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "tlcourse.grading":
            for one in node.names:
                reached(one.name, seen)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            "tlcourse.grading."
        ):
            reached(str(node.module).split(".")[2], seen)
    return seen


def test_all_that_judging_uses_is_covered_or_only_words() -> None:
    used = reached("judge", set())
    assert used >= {"judge", "scoring", "numbers", "inputs"}
    assert used & {*version.WORDS, *version._AROUND} == {*version.WORDS}


def test_the_version_changes_with_what_decides_a_grade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("passes", "grading", "widgets"):
        (tmp_path / folder).mkdir()
    (tmp_path / "passes" / "one.py").write_text("x = 1\n")
    for name in ("judge", *version.WORDS):
        (tmp_path / "grading" / f"{name}.py").write_text("")
    monkeypatch.setattr(version, "_PACKAGE", tmp_path)
    fresh = version.grading_version.__wrapped__
    before = fresh()
    (tmp_path / "widgets" / "one.py").write_text("x = 1\n")
    (tmp_path / "grading" / "words.py").write_text("text = 1\n")
    assert fresh() == before
    for path in ("passes/one.py", "grading/judge.py", "tolerance.py"):
        (tmp_path / path).write_text("x = 2\n")
        assert fresh() != before, path
        before = fresh()
    assert len(version.grading_version()) == 12
