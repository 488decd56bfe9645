"""`%load_ext tlcourse` in a real shell: messages alone, whole tracebacks, back again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tlcourse.diagnostics import TLError

RAISING = "from tlcourse.diagnostics import error\nraise error('TL999', 'no', why='w', fix='f')"


@pytest.fixture
def shell() -> Iterator[Any]:
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    made = interactive.InteractiveShell.instance(colors="nocolor")
    made.run_cell("%load_ext tlcourse")
    yield made
    made.set_custom_exc((), None)
    interactive.InteractiveShell.clear_instance()


def raised(shell: Any, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    result = shell.run_cell(RAISING)
    assert isinstance(result.error_in_exec, TLError)
    return capsys.readouterr().out


def test_message_alone_whole_traceback_and_back(
    shell: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = raised(shell, capsys)
    assert alone.splitlines()[0] == "error[TL999]: no"
    assert "Traceback" not in alone
    shell.run_cell("%tlcourse traceback")
    assert capsys.readouterr().out == "errors show the whole traceback\n"
    whole = raised(shell, capsys)
    assert "Traceback (most recent call last)" in whole
    assert "raise error('TL999'" in whole
    assert "error[TL999]: no" in whole
    shell.run_cell("%tlcourse traceback")
    assert capsys.readouterr().out == "errors show their message alone\n"
    assert raised(shell, capsys) == alone


def test_on_and_off_say_what_is_wanted(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_cell("%tlcourse traceback on")
    shell.run_cell("%tlcourse traceback on")
    assert "Traceback" in raised(shell, capsys)
    shell.run_cell("%tlcourse traceback off")
    assert "Traceback" not in raised(shell, capsys)


def test_errors_of_others_stay_as_they_are(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_cell("1 / 0")
    assert "ZeroDivisionError" in capsys.readouterr().out


@pytest.mark.parametrize("line", ["", "trace", "traceback maybe"])
def test_tl735_unknown_line(shell: Any, line: str) -> None:
    result = shell.run_cell(f"%tlcourse {line}")
    assert isinstance(result.error_in_exec, TLError)
    assert result.error_in_exec.code == "TL735"
