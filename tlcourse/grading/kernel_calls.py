"""Calls of the Linux kernel that Python has no function for: namespaces, mounts, Landlock.

Source of numbers: the kernel's uapi headers (sched.h, mount.h, prctl.h, landlock.h); the calls
from 424 on have the same number on every architecture.
"""

from __future__ import annotations

import ctypes
import os
import platform
from functools import cache

NEW_NAMESPACES = 0x00020000 | 0x08000000 | 0x04000000 | 0x20000000 | 0x40000000
"""Mounts, IPC, host name, processes and network."""
NEW_USERS = 0x10000000
NO_SETUID, NO_DEVICES, NO_PROGRAMS = 2, 4, 8

_BIND, _RECURSIVE, _PRIVATE = 4096, 16384, 1 << 18
_DETACH = 2
_AT_RECURSIVE, _AT_HERE = 0x8000, -100
_SET_DEATH_SIGNAL, _ADOPT, _NO_NEW_PRIVILEGES = 1, 36, 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT = 444, 445, 446
_MOUNT_SETATTR = 442
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "ppc64le": 203, "s390x": 217}
_CAPABILITIES_VERSION = 0x20080522

READ = 0b1101
"""Landlock's rights to execute and read files and to list folders."""
_FILE_RIGHTS = 0b1100_0000_0000_0111
# How many rights on files each version of Landlock knows.
_RIGHTS_OF_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_TCP, _SCOPES = 0b11, 0b11


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def unshare(flags: int) -> None:
    """Takes namespaces of its own for this process (processes: for its children)."""
    _checked(_libc().unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mounts a file system."""
    words = [word.encode() for word in (source, target, kind)]
    done = _libc().mount(*words, ctypes.c_ulong(flags), options.encode())
    _checked(done, f"mount {kind} on {target}")


def keep_mounts_private() -> None:
    """Keeps what is mounted from here on out of other namespaces."""
    mount("none", "/", "none", _RECURSIVE | _PRIVATE)


def bind(source: str, target: str) -> None:
    """Shows a folder or file in another place as well."""
    mount(source, target, "none", _BIND | _RECURSIVE)


class _MountAttributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "users")]


def make_read_only(path: str, *, recursive: bool) -> None:
    """Makes a mount read-only and set-user-id programs in it powerless."""
    attributes = _MountAttributes(1 | NO_SETUID, 0, 0, 0)
    flags = _AT_RECURSIVE if recursive else 0
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    done = _libc().syscall(
        _MOUNT_SETATTR, _AT_HERE, path.encode(), flags, ctypes.byref(attributes), size
    )
    _checked(done, f"read-only {path}")


def take_as_root(folder: str) -> None:
    """Makes a mounted folder the root; nothing of the old one can be reached any more.

    Raises:
        OSError: the kernel refuses, or the call's number on this architecture is not known.
    """
    number = _PIVOT_ROOT.get(platform.machine())
    if number is None:
        raise OSError(f"pivot_root on {platform.machine()} is not known")
    os.chdir(folder)
    _checked(_libc().syscall(number, b".", b"."), "pivot_root")
    _checked(_libc().umount2(b".", _DETACH), "umount")
    os.chdir("/")


def die_with_parent() -> None:
    """Lets the kernel kill this process when the one that forked it ends."""
    _checked(_libc().prctl(_SET_DEATH_SIGNAL, 9, 0, 0, 0), "prctl")


def adopt_orphans() -> None:
    """Makes this process the parent of what its children leave behind."""
    _checked(_libc().prctl(_ADOPT, 1, 0, 0, 0), "prctl")


class _Capabilities(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable")]


def give_up_privileges() -> None:
    """Drops every capability for good, for programs started later too."""
    _checked(_libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "prctl")
    head = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    none = (_Capabilities * 2)()
    _checked(_libc().capset(head, none), "capset")


def landlock_version() -> int:
    """The version of Landlock that the kernel has on; 0 where it has none."""
    return max(0, _libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1))


class _Ruleset(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("files", "network", "scopes")]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("rights", ctypes.c_uint64), ("folder", ctypes.c_int32)]


def restrict_files(readable: list[str], writable: list[str]) -> None:
    """Leaves this process the given paths and nothing else of the file system, and no TCP.

    Call `give_up_privileges` first.

    Raises:
        OSError: the kernel has no Landlock.
    """
    version = landlock_version()
    every = (1 << _RIGHTS_OF_ABI.get(version, 16)) - 1
    rules = _Ruleset(every, _TCP if version >= 4 else 0, _SCOPES if version >= 6 else 0)
    size = ctypes.c_size_t(8 if version < 4 else 16 if version < 6 else 24)
    ruleset = _checked(_libc().syscall(_CREATE_RULESET, ctypes.byref(rules), size, 0), "landlock")
    for path in readable:
        _allow(ruleset, path, READ)
    for path in writable:
        _allow(ruleset, path, every)
    _checked(_libc().syscall(_RESTRICT, ruleset, 0), "landlock")
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        allowed = rights if os.path.isdir(path) else rights & _FILE_RIGHTS
        rule = _Beneath(allowed, opened)
        _checked(_libc().syscall(_ADD_RULE, ruleset, 1, ctypes.byref(rule), 0), "landlock")
    finally:
        os.close(opened)
