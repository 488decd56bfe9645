"""Facts about a machine, each on a machine that lacks it."""

from __future__ import annotations

import importlib
import platform
import socket
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tlcourse.cli import checkup_machine
from tlcourse.cli.checkup_machine import (
    architecture,
    cache,
    chinese_font,
    memory,
    port,
    python_here,
    set_variable,
)


@pytest.mark.parametrize(
    ("version", "state"), [((3, 11), "ok"), ((3, 13), "ok"), ((3, 15), "optional")]
)
def test_python(version: tuple[int, int], state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", version)
    assert python_here().state == state


@pytest.mark.parametrize(
    ("system", "machine", "bits", "state"),
    [
        ("linux", "x86_64", 64, "ok"),
        ("win32", "AMD64", 64, "ok"),
        ("darwin", "arm64", 64, "ok"),
        ("darwin", "x86_64", 64, "missing"),  # an Intel Mac
        ("win32", "ARM64", 64, "missing"),
        ("win32", "AMD64", 32, "missing"),
    ],
)
def test_architecture(
    system: str, machine: str, bits: int, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkup_machine.sys, "platform", system)
    monkeypatch.setattr(checkup_machine.sys, "maxsize", 2 ** (bits - 1) - 1)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    fact = architecture()
    assert fact.state == state
    assert (fact.fix == "") == (state == "ok")


@pytest.mark.parametrize(("free", "state"), [(8e9, "ok"), (1.5e9, "optional")])
def test_memory(free: float, state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    psutil = SimpleNamespace(virtual_memory=lambda: SimpleNamespace(available=free, total=16e9))
    monkeypatch.setattr(importlib, "import_module", lambda name: psutil)
    monkeypatch.setattr(checkup_machine, "_group_limit", lambda: float("inf"))
    assert memory().state == state
    assert memory().found.startswith(f"{free / 1e9:.1f} of 16.0 GB free")


def test_memory_of_a_container(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup_machine, "_group_limit", lambda: 1e9)
    assert memory().state == "optional"
    assert "of 1.0 GB" in memory().found


def test_the_next_port_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        number = taken.getsockname()[1]
        monkeypatch.setattr(checkup_machine, "_FIRST_PORT", number)
        assert port().state == "ok"
        assert port().found.startswith(f"{number} is taken, JupyterLab takes ")
        monkeypatch.setattr(checkup_machine, "_PORTS", 1)
        assert (port().state, port().fix) == ("missing", "tlcourse lab --port 9500")


def test_a_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path / "kernels"))
    assert cache().state == "ok"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path / "file"))
    assert cache().state == "optional"
    assert "TILELANG_CACHE_DIR" in cache().fix


def test_a_cache_on_a_full_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path))
    usage = SimpleNamespace(free=2e8)
    monkeypatch.setattr(checkup_machine.shutil, "disk_usage", lambda path: usage)
    assert cache().state == "optional"
    assert "only 0.2 GB free" in cache().found


@pytest.mark.parametrize(
    ("system", "fix"), [("win32", "Add-WindowsCapability"), ("darwin", "install ")]
)
def test_fonts_of_other_systems(
    system: str, fix: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    font = tmp_path / "msyh.ttc"
    monkeypatch.setattr(checkup_machine.sys, "platform", system)
    monkeypatch.setattr(checkup_machine, "_CHINESE_FONTS", {system: (str(font),)})
    assert chinese_font().state == "optional"
    assert fix in chinese_font().fix
    font.write_text("")
    assert chinese_font().state == "ok"


def test_variables_are_set_in_the_shell_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set_variable("A", "b c") == 'export A="b c"'
    monkeypatch.setattr(checkup_machine, "os", SimpleNamespace(name="nt"))
    assert set_variable("A", "b c") == '$env:A = "b c"'
