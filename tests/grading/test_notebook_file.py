import json
from pathlib import Path
from typing import Any

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.grading.notebook_file import read_hand_in


def _cell(source: object, **metadata: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "metadata": metadata}


def _write(path: Path, cells: list[dict[str, Any]]) -> Path:
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    return path


SETUP = _cell("import os", tags=["setup"])
SOLUTION = _cell(["a = 1\n", "b = 2"], nbgrader={"grade_id": "d2-minicv-solution"})
CHECK = _cell("check()", nbgrader={"grade_id": "d2-minicv", "grade": True})


def test_only_setup_and_solution_are_taken(tmp_path: Path) -> None:
    path = _write(tmp_path / "x.ipynb", [SETUP, _cell("evil()"), SOLUTION, CHECK])
    hand_in = read_hand_in(path)
    assert hand_in.exercise == "d2.minicv"
    assert hand_in.setup[0].startswith("import os\n\nos.environ")  # as it was given out
    assert hand_in.solutions == ("a = 1\nb = 2",)


def test_the_setup_of_an_exercise_that_is_not_here_is_the_notebooks_own(tmp_path: Path) -> None:
    cells = [_cell(c["source"], **c["metadata"]) for c in (SETUP, SOLUTION, CHECK)]
    text = json.dumps({"cells": cells}).replace("d2-minicv", "d2-elsewhere")
    (tmp_path / "x.ipynb").write_text(text, encoding="utf-8")
    assert read_hand_in(tmp_path / "x.ipynb").setup == ("import os",)


def test_half_a_character_becomes_a_sign_that_python_refuses(tmp_path: Path) -> None:
    cells = [SETUP, SOLUTION | {"source": "\ud800 = 1"}, CHECK]
    assert read_hand_in(_write(tmp_path / "x.ipynb", cells)).solutions == ("? = 1",)


@pytest.mark.parametrize(
    "content",
    ["", "not json", "[]", '{"cells": 3}', '{"cells": [{"cell_type": "code"}]}', "{}", "[" * 10**5],
    ids=["empty", "text", "list", "cells", "bare-cell", "object", "deep"],
)
def test_what_is_no_notebook_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.ipynb"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(TLError) as caught:
        read_hand_in(path)
    assert caught.value.code in ("TL610", "TL611")


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TLError) as caught:
        read_hand_in(tmp_path / "none.ipynb")
    assert caught.value.code == "TL610"


@pytest.mark.parametrize("cells", [[SETUP, SOLUTION], [CHECK]])
def test_missing_cells_are_named(tmp_path: Path, cells: list[dict[str, Any]]) -> None:
    with pytest.raises(TLError) as caught:
        read_hand_in(_write(tmp_path / "x.ipynb", cells))
    assert caught.value.code == "TL611"


def test_both_of_two_solution_cells_are_taken(tmp_path: Path) -> None:
    path = _write(tmp_path / "x.ipynb", [SOLUTION, SOLUTION, CHECK])
    assert len(read_hand_in(path).solutions) == 2
