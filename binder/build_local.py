"""Builds here what Binder builds from this folder, step by step, and measures its memory.

    python3.11 binder/build_local.py FOLDER

Takes pip and venv where Binder takes conda, and the apt of this machine. FOLDER gets the checkout's
files, a home and the environment; it must be new. Ends with 1 where a step or a check fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT_MB = 2048  # what Binder's public service gives a session
CONDA_NAMES = {"pytorch-cpu": "torch"}
LESSON = "tlcourse-lab/notebooks/day3/03_flash.ipynb"
IS_TRUSTED = """
import sys, nbformat, nbformat.sign
notebook = nbformat.read(sys.argv[1], 4)
notary = nbformat.sign.NotebookNotary()
sys.exit(not notary.check_signature(notebook))
"""


def conda_packages(text: str) -> dict[str, str]:
    """Names and versions in the list of an environment.yml."""
    rows = [line.strip().removeprefix("- ") for line in text.splitlines() if "  - " in line]
    return {name: version for name, equals, version in (r.partition("=") for r in rows) if equals}


def pip_requirements(packages: dict[str, str]) -> list[str]:
    """The same packages as pip names them, without the interpreter."""
    named = {CONDA_NAMES.get(name, name): version for name, version in packages.items()}
    return [f"{name}=={version}" for name, version in named.items() if name != "python"]


def missing(apt_text: str) -> list[str]:
    """The packages of an apt.txt that this machine lacks."""
    names = apt_text.split()
    return [name for name in names if _quiet("dpkg", "-s", name) != 0]


def peak_mb(
    command: Sequence[str], folder: Path, env: dict[str, str], log: Path
) -> tuple[int, int]:
    """Runs a command; its exit code, and the most memory that it and its children had at once."""
    most = 0
    with log.open("w") as stream:
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=stream, stderr=stream)
        while process.poll() is None:
            most = max(most, sum(_share_kb(pid) for pid in _family(process.pid)))
            time.sleep(0.2)
    return process.returncode, most // 1024


def _family(pid: int) -> Iterator[int]:
    yield pid
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in _read(tasks).split():
            yield from _family(int(child))


def _share_kb(pid: int) -> int:
    """Memory of a process; pages that several share are divided among them."""
    rows = _read(Path(f"/proc/{pid}/smaps_rollup")).splitlines()
    return next((int(row.split()[1]) for row in rows if row.startswith("Pss:")), 0)


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # the process has ended
        return ""


def _quiet(*command: str) -> int:
    return subprocess.run(command, capture_output=True, check=False).returncode


def _step(title: str, command: Sequence[str], folder: Path, env: dict[str, str]) -> None:
    print(f"=== {title}: {' '.join(command)}", flush=True)
    begin = time.monotonic()
    subprocess.run(command, cwd=folder, env=env, check=True)
    print(f"=== {title}: ok, {time.monotonic() - begin:.0f} s", flush=True)


def _copied(target: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def _system_packages(env: dict[str, str]) -> None:
    wanted = missing((ROOT / "binder/apt.txt").read_text())
    if not wanted:
        print("=== apt: all present")
    elif os.getuid() == 0:
        _step("apt", ["apt-get", "install", "-y", "-qq", *wanted], ROOT, env)
    else:
        print(f"=== apt: root is needed for {' '.join(wanted)}; going on without")


def build(folder: Path) -> Path:
    """The environment in a new folder; the path of its checkout."""
    home, checkout, venv = folder / "home", folder / "home/checkout", folder / "venv"
    checkout.mkdir(parents=True)
    packages = conda_packages((ROOT / "binder/environment.yml").read_text())
    assert sys.version.startswith(packages["python"]), f"run this with Python {packages['python']}"
    _copied(checkout)
    _system_packages(dict(os.environ))
    env = environment(folder)
    _step("python", [sys.executable, "-m", "venv", str(venv)], home, dict(os.environ))
    pip = [str(venv / "bin/python"), "-m", "pip", "install", "-q", *pip_requirements(packages)]
    _step("conda's packages", pip, home, env)
    _step("postBuild", ["bash", "binder/postBuild"], checkout, env)
    return checkout


def environment(folder: Path) -> dict[str, str]:
    """The variables of a session: its own home, its own Python first."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
    path = f"{folder / 'venv/bin'}{os.pathsep}{os.environ['PATH']}"
    return kept | {"HOME": str(folder / "home"), "PATH": path}


def check(folder: Path, checkout: Path) -> None:
    """Settings, trust, font, and that a session stays within its memory."""
    env, python = environment(folder), str(folder / "venv/bin/python")
    assert (folder / "venv/share/jupyter/lab/settings/overrides.json").is_file()
    _step("trust", [python, "-c", IS_TRUSTED, LESSON], checkout, env)
    _step("doctor", [str(folder / "venv/bin/tlcourse"), "doctor"], checkout, env)
    fonts = subprocess.run(["fc-list", ":lang=zh"], capture_output=True, text=True, check=True)
    assert fonts.stdout, "no font has Chinese signs"
    lab = [str(folder / "venv/bin/tlcourse"), "lab", "--check"]
    lesson = [python, "-m", "nbconvert", "--execute", "--to", "notebook", "--stdout", LESSON]
    most = 0
    for name, command in {"lab": lab, "lesson": lesson}.items():
        code, peak = peak_mb(command, checkout, env, folder / f"{name}.log")
        print(f"=== {name}: ended with {code}, at most {peak} MB", flush=True)
        assert code == 0, f"see {folder / name}.log"
        most += peak
    print(f"=== a session that holds both: {most} MB of {LIMIT_MB} MB")
    assert most < LIMIT_MB


def main(arguments: Sequence[str]) -> int:
    """`python binder/build_local.py FOLDER`."""
    if len(arguments) != 1 or Path(arguments[0]).exists():
        print("usage: python binder/build_local.py NEW_FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0]).resolve()
    check(folder, build(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
