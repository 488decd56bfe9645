"""Limits on somebody else's code, each shown by code that breaks it."""

from pathlib import Path

import pytest

from tlcourse.grading import sandbox
from tlcourse.grading.sandbox import Limits, run_limited

SCRIPTS = {
    "loop": "while True: pass",
    "sleep": "import time; time.sleep(60)",
    "memory": "x = bytearray(3 * 2**30)",
    "exit": "import os; os._exit(0)",
    "output": "print('x' * 10**6)",
    "stdin": "print(repr(input()))",
    "network": "import socket; socket.create_connection(('127.0.0.1', 9), timeout=2)",
    "file": "open('/etc/tlcourse-was-here', 'w').write('x')",
    "specs": "from tlcourse.grading.spec import load; load('d2.minicv')",
    "forks": "import os\nfor _ in range(3): os.fork()\nimport time; time.sleep(60)",
    "shared_memory": "open('/dev/shm/x', 'w').write('x')",
    "many_files": "import time\nfor k in range(9): open(f'part{k}', 'wb').write(b'x' * 2**20)\n"
    "time.sleep(60)",
    "big_file": "open('big', 'wb').write(b'x' * 2**21)",
}
LIMITS = Limits(
    cpu_seconds=2,
    wall_seconds=6,
    memory_bytes=2**30,
    output_bytes=1000,
    file_bytes=2**20,
    disk_bytes=2**22,
)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs one of the scripts as a module of the work folder."""

    def start(name: str) -> sandbox.Outcome:
        (tmp_path / "script.py").write_text(SCRIPTS[name], encoding="utf-8")
        environment = sandbox.environment(tmp_path)
        monkeypatch.setattr(
            sandbox, "environment", lambda work: {**environment, "PYTHONPATH": str(tmp_path)}
        )
        return run_limited("script", tmp_path, LIMITS)

    return start


@pytest.mark.parametrize("name", ["loop", "sleep", "forks"])
def test_endless_code_is_stopped(run, name: str) -> None:
    assert run(name).state == "timeout"


def test_memory_is_limited(run) -> None:
    assert "MemoryError" in run("memory").output


def test_exit_is_an_end_without_a_result(run) -> None:
    outcome = run("exit")
    assert (outcome.state, outcome.returncode) == ("ended", 0)


def test_output_is_cut(run) -> None:
    assert len(run("output").output) == LIMITS.output_bytes


def test_there_is_nothing_to_read(run) -> None:
    assert "EOFError" in run("stdin").output


def test_files_are_limited_in_size(run, tmp_path: Path) -> None:
    run("big_file")
    assert (tmp_path / "big").stat().st_size <= LIMITS.file_bytes


def test_all_files_together_are_limited_in_size(run) -> None:
    assert run("many_files").state == "killed"


@pytest.mark.parametrize("name", ["network", "file", "specs", "shared_memory"])
def test_bubblewrap_shuts_the_process_in(run, name: str) -> None:
    if sandbox.isolation() != "bubblewrap":
        pytest.skip("bubblewrap is not installed or user namespaces are off: only limits hold")
    assert run(name).returncode != 0
    assert not Path("/etc/tlcourse-was-here").exists()
