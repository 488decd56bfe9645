"""Files that appear whole or not at all: a full disk, a killed writer, two writers at once."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from tlcourse import stored
from tlcourse.stored import NotKeptWarning, alone, keep, put

FIX = "name another folder"


def full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture(autouse=True)
def _nothing_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "_told", set())
    monkeypatch.setattr(stored, "_cleared", set())


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "x"
    put(path, b"old")
    put(path, b"new")
    assert path.read_bytes() == b"new"
    assert [one.name for one in path.parent.iterdir()] == ["x"]
    if os.name != "nt":
        assert path.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("step", ["chmod", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "x"
    put(path, b"old")
    monkeypatch.setattr(Path, step, full)
    with pytest.raises(OSError, match="No space") as caught:
        put(path, b"new")
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["x"]


def test_an_interrupt_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(self: Path, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        put(tmp_path / "x", b"new")
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_kept_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "replace", full)
    with pytest.warns(NotKeptWarning, match="TL719") as said:
        assert not keep(tmp_path / "ab" / "x", b"", "kernels are not kept", fix=FIX)
    assert not keep(tmp_path / "cd" / "y", b"", "kernels are not kept", fix=FIX)  # silent now
    (warning,) = said
    text = str(warning.message)
    assert "kernels are not kept" in text
    assert "No space left on device" in text
    assert FIX in text
    assert warning.filename == __file__
    with pytest.warns(NotKeptWarning, match="answers"):
        keep(tmp_path / "ab" / "x", b"", "answers are not kept", fix=FIX)


def test_what_is_kept_needs_no_word(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert keep(tmp_path / "x", b"1", "kernels are not kept", fix=FIX)
    assert (tmp_path / "x").read_bytes() == b"1"


def test_only_what_is_long_left_behind_is_cleared(tmp_path: Path) -> None:
    old, young, other = (tmp_path / name for name in (".new-a.tmp", ".new-b.tmp", "c.tmp"))
    for path in (old, young, other):
        path.touch()
    for path in (old, other):
        os.utime(path, (time.time() - 7200,) * 2)
    put(tmp_path / "x", b"")
    assert sorted(one.name for one in tmp_path.iterdir()) == [".new-b.tmp", "c.tmp", "x"]


def test_those_who_want_to_be_alone_take_turns(tmp_path: Path) -> None:
    script = f"""
from pathlib import Path
from tlcourse.stored import alone
path = Path({str(tmp_path / "count")!r})
for _ in range(200):
    with alone(path.with_suffix(".lock")):
        path.write_text(str(int(path.read_text()) + 1))
"""
    (tmp_path / "count").write_text("0")
    both = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(2)]
    assert [one.wait() for one in both] == [0, 0]
    assert (tmp_path / "count").read_text() == "400"


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    script = f"""
from pathlib import Path
from tlcourse.stored import alone
with alone(Path({str(tmp_path / "lock")!r})):
    print("mine", flush=True)
    import time
    time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == b"mine"
        other.kill()
        other.wait()
        with alone(tmp_path / "lock"):
            pass


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class _Half:
    """A stream whose process ends when half is written."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def __enter__(self) -> _Half:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def write(self, data: bytes) -> None:
        os.write(self._handle, data[: len(data) // 2])
        _kill()


def _at_replace(after: bool) -> Callable[[Path, Path], None]:
    def replace(self: Path, target: Path) -> None:
        if after:
            os.replace(self, target)
        _kill()

    return replace


POINTS = {
    "nothing is written": (os, "fdopen", lambda *_: _kill()),
    "half is written": (os, "fdopen", lambda handle, mode: _Half(handle)),
    "all is written": (Path, "chmod", lambda *_: _kill()),
    "before its place": (Path, "replace", _at_replace(False)),
    "in its place": (Path, "replace", _at_replace(True)),
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a fork")
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_killed_writer_harms_nothing(tmp_path: Path, point: str) -> None:
    path, new = tmp_path / "x", b"new" * 1000
    put(path, b"old")
    child = os.fork()
    if child == 0:
        place, name, instead = POINTS[point]
        setattr(place, name, instead)
        put(path, new)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert path.read_bytes() == (new if point == "in its place" else b"old")
    put(path, new)
    assert path.read_bytes() == new
