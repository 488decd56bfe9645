from pathlib import Path

import pytest

from tests.grading.hand_ins import EXPERT, MUTANTS, mutated
from tlcourse.diagnostics import TLError
from tlcourse.grading import notebook, progress_file


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / progress_file.MANIFEST).write_text("{}")
    monkeypatch.setenv("TILELANG_ASCEND_MODE", "Expert")
    monkeypatch.setattr(notebook, "_shown_hints", {})


def _factory(source: str) -> object:
    import linecache

    head = "import os\nimport tilelang\nimport tilelang.language as T\n"
    text = head + source
    linecache.cache["<cell test>"] = (
        len(text),
        None,
        text.splitlines(keepends=True),
        "<cell test>",
    )
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile(text, "<cell test>", "exec"), names)
    return names["minicv"]


def test_check_judges_the_public_cases(capsys: pytest.CaptureFixture[str]) -> None:
    notebook.check("d2.minicv", _factory(EXPERT))
    shown = capsys.readouterr().out
    assert "PASS 9.38/15 (Expert)" in shown
    assert "hidden cases count 5.625 more points" in shown
    assert progress_file.read()["checks"]["d2.minicv"].startswith("PASS")


def test_check_shows_the_line_at_fault(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = mutated(next(mutant for mutant in MUTANTS if mutant.name == "wait_removed"))
    notebook.check("d2.minicv", _factory(wrong))
    shown = capsys.readouterr().out
    assert "FAIL" in shown
    line = next(line for line in shown.splitlines() if "T.copy(C[row" in line)
    assert "^" in shown[shown.index(line) :]


def test_check_shows_errors_of_the_compiler(capsys: pytest.CaptureFixture[str]) -> None:
    notebook.check("d2.minicv", _factory(EXPERT.replace("T.vexp(C_ub, D_ub)", "T.vexq(C_ub)")))
    shown = capsys.readouterr().out
    assert "T.vexq(C_ub)" in shown
    assert "^" in shown


def test_check_of_an_untouched_exercise(capsys: pytest.CaptureFixture[str]) -> None:
    notebook.check("d2.minicv", _factory("def minicv(M, N, K):\n    raise NotImplementedError\n"))
    assert "Not started" in capsys.readouterr().out


def test_not_implemented_from_deeper_is_no_untouched_exercise(
    capsys: pytest.CaptureFixture[str],
) -> None:
    source = "import torch\ndef minicv(M, N, K):\n    torch.zeros(2, names=3).to_mkldnn(1)\n"
    notebook.check("d2.minicv", _factory(source))
    assert "Not right yet" in capsys.readouterr().out


def test_an_unknown_exercise_is_an_error() -> None:
    with pytest.raises(TLError) as caught:
        notebook.check("d2.minicw", None)
    assert caught.value.code == "TL601"


def test_hints_go_on_and_start_again(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(4):
        notebook.hint("d2.minicv")
    shown = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in shown] == [
        "Hint 1/3",
        "Hint 2/3",
        "Hint 3/3",
        "Hint 1/3",
    ]
    notebook.hint("d2.minicv", language="zh")
    assert capsys.readouterr().out.startswith("提示 2/3")


def test_answers_and_progress_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    notebook.progress()
    notebook.answer("d2.fusion.p1", "?")
    assert "in place of ?" in capsys.readouterr().out.splitlines()[-1]
    notebook.progress()
    notebook.answer("d2.fusion.p1", "b")
    shown = capsys.readouterr().out
    assert shown == "Nothing checked yet.\nd2.fusion.p1: b is stored\n"
    assert progress_file.read() == {"answers": {"d2.fusion.p1": "b"}}


def test_progress_lies_in_the_root_of_the_working_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "exercises" / "day2").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "exercises" / "day2")
    progress_file.store_answer("d2.fusion.p1", "b")
    assert (tmp_path / ".tlcourse" / "progress.json").is_file()
    monkeypatch.chdir(tmp_path)
    assert progress_file.read() == {"answers": {"d2.fusion.p1": "b"}}


def test_nothing_is_written_outside_a_working_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_file, "_of_this_process", {})
    (tmp_path / progress_file.MANIFEST).unlink()
    progress_file.store_answer("d2.fusion.p1", "b")
    assert list(tmp_path.iterdir()) == []
    assert progress_file.read() == {"answers": {"d2.fusion.p1": "b"}}


def test_progress_of_a_day_lists_what_is_open_and_what_is_capped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / progress_file.MANIFEST).write_text("{}")
    monkeypatch.chdir(tmp_path)
    progress_file.store_cap("d4.split", 50, tmp_path)
    notebook.progress(day=4)
    lines = capsys.readouterr().out.splitlines()
    assert "d4.sync: open" in lines
    assert "d4.split: open; at most 50 % counts, for a checkpoint" in lines
    assert all(line.startswith("d4.") for line in lines)
    notebook.progress(day=4, language="zh")
    assert "d4.sync: 未做" in capsys.readouterr().out
