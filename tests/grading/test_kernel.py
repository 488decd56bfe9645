"""`check` and its kin in a real kernel, as a learner meets them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.grading.hand_ins import EXPERT, SOLUTION, UNTOUCHED

EXTRA = (
    'hint("d2.minicv")',
    'hint("d2.minicv", language="zh")',
    'from tlcourse import answer, progress\nanswer("d2.fusion.p1", "b")',
    "progress()",
    'check("d2.minicv", minicv, language="zh")',
)


def _outputs(path: Path, folder: Path, solution: str | None = None) -> list[Any]:
    """Outputs of the check cell and of the extra cells, after the notebook ran in `folder`."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if solution is not None and cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = solution
    notebook.cells += [nbformat.v4.new_code_cell(source) for source in EXTRA]
    NotebookClient(notebook, resources={"metadata": {"path": str(folder)}}, timeout=120).execute()
    checked = next(cell for cell in notebook.cells if cell.get("id") == "check")
    return [cell.outputs for cell in (checked, *notebook.cells[-len(EXTRA) :])]


@pytest.mark.slow
def test_a_solved_exercise_gives_the_same_outputs_each_time(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    checked, first, second, stored, progress, chinese = _outputs(SOLUTION, tmp_path / "a")
    assert len(checked) == 1
    assert checked[0].output_type == "display_data"
    text = checked[0].data["text/plain"]
    assert text.startswith("✓ d2.minicv PASS 9.38/15 (Developer)\nRight on the public cases")
    assert "<table" in checked[0].data["text/html"]
    assert checked[0].data["application/vnd.tlcourse.verdict+json"]["state"] == "PASS"
    assert first[0].data["text/plain"].startswith("Hint 1/3: ")
    assert second[0].data["text/plain"].startswith("提示 2/3：")
    assert stored[0].data["text/plain"] == "d2.fusion.p1: b is stored"
    assert progress[0].data["text/plain"] == "d2.minicv: PASS 9.38/15"
    assert "公开用例正确" in chinese[0].data["text/plain"]
    assert _outputs(SOLUTION, tmp_path / "b")[0] == checked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "solution", "words"),
    [
        (UNTOUCHED, None, ["· d2.minicv TODO 0/15", "Not started"]),
        (UNTOUCHED, "def minicv(M, N, K): return 1 / 0", ["ZeroDivisionError", "(line 1)"]),
        (
            UNTOUCHED,
            EXPERT.replace('os.environ["TILELANG_ASCEND_MODE"] = "Expert"', "").replace(
                "T.vexp(C_ub, D_ub)", "T.vexq(C_ub, D_ub)"
            ),
            ["did you mean", "T.vexq(C_ub, D_ub)", "^^^"],
        ),
    ],
    ids=["untouched", "python error", "unknown name"],
)
def test_faults_are_verdicts_and_no_tracebacks(
    tmp_path: Path, path: Path, solution: str | None, words: list[str]
) -> None:
    checked = _outputs(path, tmp_path, solution)[0]
    assert [output.output_type for output in checked] == ["display_data"]
    text = checked[0].data["text/plain"]
    assert [word for word in words if word not in text] == []
    assert "Traceback" not in text
    assert "/tmp" not in text
