"""The commands that a line of `tlcourse doctor` holds."""

from __future__ import annotations

import shutil
import sys

import pytest

from tlcourse.cli.facts import pip_install, python, system_install


def test_what_pip_is_asked_for_needs_tlcourse_on_no_index() -> None:
    assert pip_install(only="torch") == f'{python()} -m pip install "torch<2.14,>=2.13"'
    assert '"ipywidgets>=8.1"' in pip_install("notebooks")
    assert "tlcourse[" not in pip_install("class")
    assert "nbgrader" not in pip_install("notebooks")


def test_a_path_with_a_space_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", r"C:\Program Files\python.exe")
    assert python() == r'"C:\Program Files\python.exe"'


@pytest.mark.parametrize(
    ("tool", "command"),
    [
        ("dnf", "sudo dnf install google-noto-sans-cjk-fonts"),
        ("", "sudo apt-get install fonts-noto-cjk"),
    ],
)
def test_the_systems_own_installer(
    tool: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: name if name == tool else None)
    assert system_install("font") == command
