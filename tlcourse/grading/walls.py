"""Shuts a forked process in, so that a learner's code sees its own folder and nothing else.

With namespaces: no network, no other process, a read-only system, the work folder. Without them
Landlock leaves it the same files and no TCP. Linux only; elsewhere `NOTHING` is all there is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tlcourse.grading import kernel_calls

Kind = Literal["namespaces", "landlock", "nothing"]
KINDS: tuple[Kind, ...] = ("namespaces", "landlock", "nothing")
"""From the strongest on."""

_DEVICES = ("null", "zero", "random", "urandom")
_ROOT = ".root"
# Every hand-in of an administrator's run is somebody else, so that nobody counts its processes.
_FIRST_USER = 2_000_000


@dataclass(frozen=True, kw_only=True)
class Walls:
    """What a process may see.

    Args:
        kind: how it is shut in.
        readable: folders and files of the system and of Python.
        hidden: folders inside those that it may not see.
    """

    kind: Kind
    readable: tuple[str, ...]
    hidden: tuple[str, ...]


def enter(walls: Walls, work: str) -> None:
    """Shuts this process in. With namespaces it returns in a child of this process only; this
    process then ends as that child does.

    Raises:
        OSError: the system does not let it.
    """
    if walls.kind == "namespaces":
        _into_namespaces(walls, work)
    if sys.platform == "linux":
        kernel_calls.give_up_privileges()
    if walls.kind == "landlock":
        devices = [f"/dev/{name}" for name in _DEVICES]
        kernel_calls.restrict_files(_without_hidden(walls), [*devices, work])


def owner() -> int | None:
    """The user that a hand-in becomes where an administrator grades: one of its own."""
    return _FIRST_USER + os.getpid() if sys.platform == "linux" and os.geteuid() == 0 else None


def _into_namespaces(walls: Walls, work: str) -> None:
    user = owner()
    if user is None:
        _with_own_users()
    else:
        kernel_calls.unshare(kernel_calls.NEW_NAMESPACES)
    first = os.fork()
    if first:
        os._exit(_status(first))
    kernel_calls.die_with_parent()
    if user is not None:
        _give(work, user)
    _build(walls, work)
    if user is not None:
        _become(user)
    # The first process of a namespace is deaf to signals, so the learner's code is the second.
    second = os.fork()
    if second:
        os._exit(_status(second))


def _with_own_users() -> None:
    user, group = os.getuid(), os.getgid()
    kernel_calls.unshare(kernel_calls.NEW_NAMESPACES | kernel_calls.NEW_USERS)
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")


def _give(work: str, user: int) -> None:
    """The work folder with all in it becomes the hand-in's."""
    os.chown(work, user, user)
    for place, folders, names in os.walk(work):
        for name in (*folders, *names):
            os.chown(os.path.join(place, name), user, user, follow_symlinks=False)


def _become(user: int) -> None:
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def _build(walls: Walls, work: str) -> None:
    """A root of its own: the readable parts, a few devices, the work folder."""
    kernel_calls.keep_mounts_private()
    root = os.path.join(work, _ROOT)
    os.makedirs(root, exist_ok=True)
    quiet = kernel_calls.NO_SETUID | kernel_calls.NO_DEVICES
    kernel_calls.mount("tmpfs", root, "tmpfs", quiet, "size=1m,mode=755")
    for path in walls.readable:
        _show(path, root)
        kernel_calls.make_read_only(root + path, recursive=True)
    for path in walls.hidden:
        kernel_calls.mount("tmpfs", root + path, "tmpfs", quiet, "size=4k")
    for name in _DEVICES:
        _show(f"/dev/{name}", root)
    os.makedirs(f"{root}/proc", exist_ok=True)
    kernel_calls.mount("proc", f"{root}/proc", "proc", quiet | kernel_calls.NO_PROGRAMS)
    _show(work, root)
    kernel_calls.make_read_only(root, recursive=False)
    kernel_calls.take_as_root(root)


def _show(path: str, root: str) -> None:
    target = root + path
    if os.path.isdir(path):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        Path(target).touch()
    kernel_calls.bind(path, target)


def _without_hidden(walls: Walls) -> list[str]:
    """The readable paths; one with a hidden folder in it is replaced by what stands beside that."""
    paths: list[str] = []
    for path in walls.readable:
        inside = [hidden for hidden in walls.hidden if Path(hidden).parent == Path(path)]
        paths += _beside(path, inside) if inside else [path]
    return paths


def _beside(path: str, hidden: Sequence[str]) -> list[str]:
    found = [os.path.join(path, name) for name in sorted(os.listdir(path))]
    return [one for one in found if one not in hidden]


def _status(pid: int) -> int:
    """Waits for a child, and for whatever else became this process's, as a shell tells its end."""
    while True:
        ended, status = os.waitpid(-1, 0)
        if ended == pid:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
