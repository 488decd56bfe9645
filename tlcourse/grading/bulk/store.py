"""The result store: one JSON line for each job that is done, written the moment it is.

A process that is killed loses at most the line it was writing; the next one cuts that line off
and goes on. One process at a time uses a store.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

from tlcourse.diagnostics import TLError, error
from tlcourse.grading.bulk.job import Done
from tlcourse.records import from_json, to_json
from tlcourse.stored import named

SCHEMA = "tlcourse.Done/1"


class Store:
    """Results by key.

    Args:
        path: the file; made where it is missing.

    Raises:
        TL631: another process uses it.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        # Without a buffer, nothing is left to be written when the disk is full.
        self._stream = path.open("a+b", buffering=0)
        if not _locked(self._stream):
            self._stream.close()
            raise _in_use(path)
        self._done = self._read()

    def __contains__(self, key: str) -> bool:
        return key in self._done

    def __getitem__(self, key: str) -> Done:
        return self._done[key]

    def __len__(self) -> int:
        return len(self._done)

    def add(self, done: Done) -> None:
        """Keeps a result; it is on disk when this returns. The grader's own faults are not kept."""
        if done.verdict.state == "ERROR":
            return
        line = json.dumps({"schema": SCHEMA, "done": json.loads(to_json(done))}, sort_keys=True)
        try:
            left = f"{line}\n".encode()
            while left:
                left = left[self._stream.write(left) :]
        except OSError as problem:
            raise named(problem, self._path) from problem
        self._done[done.key] = done

    def forget(self, key: str) -> None:
        """Lets a job be done again; its line stays until the new result stands behind it."""
        self._done.pop(key, None)

    def close(self) -> None:
        """Lets the next process in."""
        os.fsync(self._stream.fileno())
        self._stream.close()

    def _read(self) -> dict[str, Done]:
        self._stream.seek(0)
        text = self._stream.readall()
        whole = text.rfind(b"\n") + 1
        if whole < len(text):
            self._stream.truncate(whole)
        return {done.key: done for done in _all(text[:whole])}


def read_all(path: Path) -> list[Done]:
    """The results of a store that nobody writes to; none where there is no file."""
    if not path.is_file():
        return []
    return list({done.key: done for done in _all(path.read_bytes())}.values())


def _all(text: bytes) -> Iterator[Done]:
    found = (_done(line) for line in text.splitlines())
    return (done for done in found if done is not None)


def _done(line: bytes) -> Done | None:
    """The result that a line holds; None for a line that some accident has spoilt."""
    try:
        data = json.loads(line)
        if data["schema"] != SCHEMA:
            return None
        return from_json(Done, json.dumps(data["done"]))
    except (ValueError, KeyError, TypeError):
        return None


def _locked(stream: FileIO) -> bool:
    """Whether this process is the only one now; the lock ends with the process."""
    try:
        if os.name == "nt":
            import msvcrt

            stream.seek(0)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _in_use(path: Path) -> TLError:
    return error(
        "TL631",
        f"the report folder {path.resolve().parent.name} is in use",
        why="another `tlcourse grade` writes its results there at this moment",
        fix="wait until it ends, or end it: what it has done is kept and not done again",
    )
