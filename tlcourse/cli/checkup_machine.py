"""Facts about the machine: what it is, how much it has, and what it lets the course do."""

from __future__ import annotations

import importlib
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tlcourse.cli.facts import Fact, missing, ok, optional, pip_install, system_install

# What torch 2.13 has wheels for.
_TORCH_RUNS_ON = {
    "linux": ("x86_64", "aarch64"),
    "darwin": ("arm64",),
    "win32": ("AMD64",),
}
_TRIED_PYTHONS = ((3, 11), (3, 13))
_MEMORY_GB = 2.0
_ROOM_GB = 1.0
_FIRST_PORT, _PORTS = 8888, 50  # those that JupyterLab tries by itself
_CHINESE_FONTS = {
    "darwin": ("/System/Library/Fonts/PingFang.ttc", "/System/Library/Fonts/STHeiti Light.ttc"),
    "win32": (r"C:\Windows\Fonts\msyh.ttc", r"C:\Windows\Fonts\simsun.ttc"),
}
_FONT_OF_WINDOWS = 'Add-WindowsCapability -Online -Name "Language.Fonts.Hans~~~und-HANS~0.0.1.0"'


def python_here() -> Fact:
    """The version of Python."""
    found = f"{platform.python_version()}, {sys.executable}"
    if _TRIED_PYTHONS[0] <= sys.version_info[:2] <= _TRIED_PYTHONS[1]:
        return ok("python", found)
    return optional(
        "python", f"{found}; the course is made for 3.11 to 3.13", "python3.12 -m venv tlcourse-env"
    )


def architecture() -> Fact:
    """Whether torch exists for this kind of machine."""
    machine, bits = platform.machine(), 64 if sys.maxsize > 2**32 else 32
    found = f"{machine}, {bits} bits, {platform.system()} {platform.release()}"
    if bits == 64 and machine in _TORCH_RUNS_ON.get(sys.platform, (machine,)):
        return ok("architecture", found)
    if bits == 32:
        return missing("architecture", f"{found}: torch needs a Python of 64 bits", _new_python())
    rosetta = sys.platform == "darwin" and "ARM64" in platform.version()
    return missing(
        "architecture",
        f"{found}: torch has no wheels for it",
        "arch -arm64 python3 -m venv tlcourse-env"
        if rosetta
        else "use a JupyterHub, or a machine with Linux, Windows on x64 or macOS on arm64",
    )


def memory() -> Fact:
    """How much memory is free; torch and a notebook take about 1 GB."""
    free, total = _memory_bytes()
    if not total:
        return optional("memory", "not known: psutil is not here", pip_install("notebooks"))
    found = f"{free / 1e9:.1f} of {total / 1e9:.1f} GB free"
    if free >= _MEMORY_GB * 1e9:
        return ok("memory", found)
    fix = "close other programs and notebooks: in JupyterLab, Kernel > Shut Down All Kernels"
    return optional("memory", f"{found}; kernels may be killed below {_MEMORY_GB:.0f}", fix)


def port() -> Fact:
    """Whether JupyterLab finds a port on this machine."""
    for number in range(_FIRST_PORT, _FIRST_PORT + _PORTS):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", number))
            except OSError:
                continue
            taken = "" if number == _FIRST_PORT else f"{_FIRST_PORT} is taken, JupyterLab takes "
            return ok("port", f"{taken}{number}{'' if taken else ' is free'}")
    last = _FIRST_PORT + _PORTS - 1
    return missing("port", f"{_FIRST_PORT} to {last} are taken", "tlcourse lab --port 9500")


def cache() -> Fact:
    """Whether compiled kernels can be kept."""
    from tlcourse.config import read_config

    folder = read_config().cache_dir
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"x")
    except OSError as problem:
        other = Path(tempfile.gettempdir()) / "tilelang-cache"
        loss = f"{folder}: {problem.strerror}; without it: each kernel is compiled anew"
        return optional("cache", loss, set_variable("TILELANG_CACHE_DIR", str(other)))
    room = shutil.disk_usage(folder).free / 1e9
    if room >= _ROOM_GB:
        return ok("cache", f"{folder}, {room:.0f} GB free")
    return optional(
        "cache", f"{folder}, only {room:.1f} GB free", "tlcourse doctor  # after making room"
    )


def chinese_font() -> Fact:
    """Whether figures show Chinese words."""
    found = _chinese_font()
    if found:
        return ok("Chinese font", found)
    fix = _FONT_OF_WINDOWS if sys.platform == "win32" else system_install("font")
    return optional(
        "Chinese font", "not found; without it: figures show boxes for Chinese words", fix
    )


def set_variable(name: str, value: str) -> str:
    """A command that sets a variable of the environment, in this system's shell."""
    return f'$env:{name} = "{value}"' if os.name == "nt" else f'export {name}="{value}"'


def _new_python() -> str:
    return "winget install Python.Python.3.12" if os.name == "nt" else system_install("python3")


def _memory_bytes() -> tuple[float, float]:
    """Free and total bytes, as far as this process may use them; zeros where nobody says."""
    try:
        found: Any = importlib.import_module("psutil").virtual_memory()
        free, total = float(found.available), float(found.total)
    except ImportError:
        names = getattr(os, "sysconf_names", {})
        if not {"SC_PAGE_SIZE", "SC_PHYS_PAGES", "SC_AVPHYS_PAGES"} <= set(names):
            return 0.0, 0.0
        page = os.sysconf("SC_PAGE_SIZE")
        free, total = page * os.sysconf("SC_AVPHYS_PAGES"), page * os.sysconf("SC_PHYS_PAGES")
    limit = _group_limit()
    return min(free, limit), min(total, limit)


def _group_limit() -> float:
    """The memory that a container or a JupyterHub gives this process."""
    try:
        return float(Path("/sys/fs/cgroup/memory.max").read_text())
    except (OSError, ValueError):  # no such thing here, or "max"
        return float("inf")


def _chinese_font() -> str:
    if sys.platform in _CHINESE_FONTS:
        return next((path for path in _CHINESE_FONTS[sys.platform] if Path(path).is_file()), "")
    command = ["fc-list", ":lang=zh", "family"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.split("\n")[0].split(",")[0]
