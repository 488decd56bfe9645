"""Files that appear whole or not at all, one writer at a time, and a word where none can be kept.

A file is first written under another name beside its place. A process that is killed leaves that
one behind, where nobody reads it; a later writer in the same folder clears it away.
"""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from collections.abc import Generator
from contextlib import contextmanager, suppress
from io import BufferedWriter
from pathlib import Path

from tlcourse.diagnostics import Diagnostic, levels_to_the_learner, render_text

_WAITING = (".new-", ".tmp")
_LEFT_BEHIND_SECONDS = 3600
_READABLE = 0o644
_told: set[tuple[Path, str]] = set()
_cleared: set[Path] = set()


class NotKeptWarning(UserWarning):
    """Something could not be kept on disk; the work went on without."""


def put(path: Path, data: bytes, *, mode: int = _READABLE) -> None:
    """Writes a file, and the folders above it: a reader sees the old content or the new one.

    Args:
        path: the file.
        data: all of it.
        mode: who may read it, where the system knows that.

    Raises:
        OSError: the system refuses; it names the file, which a full disk does not tell.
    """
    name = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _clear_left_behind(path.parent)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=_WAITING[0], suffix=_WAITING[1])
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException as problem:
        if name:
            with suppress(OSError):
                Path(name).unlink()
        if isinstance(problem, OSError):
            raise named(problem, path) from problem
        raise


def named(problem: OSError, path: Path) -> OSError:
    """The same problem with the file's name, which a full disk does not tell."""
    return OSError(problem.errno, problem.strerror, str(path))


def keep(path: Path, data: bytes, what: str, *, fix: str) -> bool:
    """Writes a file that the work can go on without.

    Args:
        path: the file.
        data: all of it.
        what: says what is not kept, for example `compiled kernels are not kept`.
        fix: what helps, besides room on the disk.

    Returns:
        whether it is there. Where not, a warning says so, once for a folder.
    """
    try:
        put(path, data)
    except OSError as problem:
        not_kept(problem, path, what, fix=fix)
        return False
    return True


def not_kept(problem: OSError, path: Path, what: str, *, fix: str) -> None:
    """Warns, once for a folder and process, that files cannot be kept there (TL719)."""
    told = (path.parent.parent, what)
    if told in _told:
        return
    _told.add(told)
    said = Diagnostic(
        code="TL719",
        severity="warning",
        what=what,
        why=f"{path} cannot be written; the system says: {problem.strerror}",
        fix=f"make room on the disk, or {fix}",
    )
    warnings.warn(render_text(said, {}), NotKeptWarning, stacklevel=levels_to_the_learner())


@contextmanager
def alone(path: Path) -> Generator[None]:
    """Other processes that come here wait until this one is done, or has ended.

    Args:
        path: a file that stands for the lock; it stays, and is empty.

    Raises:
        OSError: the system refuses.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as stream:
        _lock(stream)
        yield


def _lock(stream: BufferedWriter) -> None:
    if os.name == "nt":
        import msvcrt

        stream.seek(0)
        msvcrt.locking(stream.fileno(), msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(stream.fileno(), fcntl.LOCK_EX)


def _clear_left_behind(folder: Path) -> None:
    """Removes what killed writers have left, once a process: what is young may be in use."""
    if folder in _cleared:
        return
    _cleared.add(folder)
    for path in folder.glob("*".join(_WAITING)):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _LEFT_BEHIND_SECONDS:
                path.unlink()
