"""A warm parent: what it forks is shut in, whatever ways of doing that the system has."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tlcourse.grading import forked, walls
from tlcourse.grading.child import HAND_IN, RESULT, Work
from tlcourse.grading.forked import WarmParent
from tlcourse.grading.kernel_calls import landlock_version
from tlcourse.grading.sandbox import Limits, Outcome
from tlcourse.grading.tracing import Order
from tlcourse.records import to_json

LIMITS = Limits(cpu_seconds=2, wall_seconds=60, memory_bytes=4 * 2**30, file_bytes=2**20)
ORDER = Order(
    exercise="d0.x", spec_version=1, entry="told", names=(), bindings=({},), kind="written"
)
if not forked.works_here():
    pytest.skip("only Linux forks hand-ins", allow_module_level=True)


@pytest.fixture(scope="module", params=walls.KINDS)
def parent(request: pytest.FixtureRequest):
    if request.param == "landlock" and not landlock_version():
        pytest.skip("this kernel has no Landlock")
    started = WarmParent([request.param])
    try:
        started.kind
    except OSError:
        pytest.skip("this system has no namespaces for us")
    yield started
    started.stop()


def run(
    parent: WarmParent, folder: Path, code: str, value: str = "''", limits: Limits = LIMITS
) -> tuple[Outcome, str]:
    """What `value` is for a learner after `code`, as far as it is handed over."""
    source = f"import os, sys\n{code}\ndef told(): return str({value})"
    work = Work(order=ORDER, setup=(), solutions=(source,))
    (folder / HAND_IN).write_text(to_json(work), encoding="utf-8")
    outcome = parent.run(folder, limits)
    if not (folder / RESULT).is_file():
        return outcome, ""
    (attempt,) = json.loads((folder / RESULT).read_text(encoding="utf-8"))["attempts"]
    if attempt["state"] != "sealed":
        return outcome, attempt["kind"]
    return outcome, attempt["document"].partition("\n")[2]


def test_a_hand_in_hands_over_its_text_and_starts_from_nothing(
    parent: WarmParent, tmp_path: Path
) -> None:
    _, first = run(parent, tmp_path, "sys.mine = 'left behind'", "os.getcwd()")
    assert first == str(tmp_path)
    _, second = run(parent, tmp_path, "", "getattr(sys, 'mine', 'nothing')")
    assert second == "nothing"


@pytest.mark.parametrize(
    ("code", "state"),
    [
        ("while True: pass", "timeout"),
        ("import time; time.sleep(60)", "timeout"),
        (
            "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass",
            "timeout",
        ),
        ("os.kill(os.getpid(), 9)", "killed"),
        ("os._exit(3)", "ended"),
    ],
)
def test_code_that_does_not_end_well(
    parent: WarmParent, tmp_path: Path, code: str, state: str
) -> None:
    limits = replace(LIMITS, wall_seconds=8)
    outcome, _ = run(parent, tmp_path, code, limits=limits)
    assert outcome.state == state
    assert run(parent, tmp_path, "", "'next'")[1] == "next"


def test_limits_hold(parent: WarmParent, tmp_path: Path) -> None:
    assert run(parent, tmp_path, "bytearray(8 * 2**30)")[1] == "MemoryError"
    assert run(parent, tmp_path, "input()")[1] == "EOFError"
    run(parent, tmp_path, "open('big', 'wb').write(bytes(2**21))")
    assert (tmp_path / "big").stat().st_size <= LIMITS.file_bytes
    outcome, _ = run(parent, tmp_path, "print('x' * 10**6)")
    assert len(outcome.output) == LIMITS.output_bytes


def test_what_a_hand_in_leaves_behind_is_ended(parent: WarmParent, tmp_path: Path) -> None:
    stays = "if os.fork() == 0:\n    os.setsid()\n    import time\n    while True: time.sleep(1)"
    run(parent, tmp_path, stays)
    left = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
    if not left.is_file():
        pytest.skip("this kernel does not list children")
    assert left.read_text() == ""


def test_files_are_hidden(parent: WarmParent, tmp_path: Path) -> None:
    if parent.kind == "nothing":
        pytest.skip("nothing hides files")
    work, secret = tmp_path / "work", tmp_path / "secret"
    work.mkdir()
    secret.write_text("secret")
    secret.chmod(0o666)
    assert run(parent, work, f"open({str(secret)!r}).read()")[1] in (
        "FileNotFoundError",
        "PermissionError",
    )
    solutions = str(Path(__file__).parents[2] / "solutions")
    assert run(parent, work, f"os.listdir({solutions!r})")[1] in (
        "FileNotFoundError",
        "PermissionError",
    )
    assert run(parent, work, "open('/usr/here', 'w')")[1] in ("OSError", "PermissionError")


def test_no_network(parent: WarmParent, tmp_path: Path) -> None:
    if parent.kind == "nothing":
        pytest.skip("nothing cuts the network off")
    code = "import socket; socket.create_connection(('127.0.0.1', 9), timeout=2)"
    assert run(parent, tmp_path, code)[1] in ("OSError", "PermissionError")


def test_other_processes_are_out_of_reach(parent: WarmParent, tmp_path: Path) -> None:
    if parent.kind == "nothing":
        pytest.skip("nothing keeps processes apart")
    assert run(parent, tmp_path, f"os.kill({os.getpid()}, 0)")[1] in (
        "ProcessLookupError",
        "PermissionError",
    )


def test_processes_are_counted(parent: WarmParent, tmp_path: Path) -> None:
    if parent.kind != "namespaces":
        pytest.skip("only namespaces count a hand-in's own processes")
    bomb = "import time\nfor _ in range(500):\n    if os.fork() == 0: time.sleep(9); os._exit(0)"
    assert run(parent, tmp_path, bomb)[1] == "BlockingIOError"


def test_a_parent_that_was_killed_is_replaced(tmp_path: Path) -> None:
    parent = WarmParent()
    try:
        assert run(parent, tmp_path, "", "1")[1] == "1"
        assert parent.pid is not None
        os.kill(parent.pid, 9)
        for _ in range(2):  # the first call may still find the dead one
            try:
                assert run(parent, tmp_path, "", "2")[1] == "2"
                return
            except OSError:
                continue
        raise AssertionError("it was not replaced")
    finally:
        parent.stop()


def test_a_folder_that_cannot_be_used_is_the_graders_fault(tmp_path: Path) -> None:
    parent = WarmParent()
    try:
        with pytest.raises(OSError, match="warm parent"):
            parent.run(tmp_path / "none", LIMITS)
    finally:
        parent.stop()
