"""Compiled kernels on disk, found again by what they were made from.

An entry is one file, named by the sha256 of everything that decides its contents. It starts
with the sha256 of the rest, so that a damaged file is noticed and made again. Files appear
whole or not at all, also when several processes write the same one.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

from tlcourse import __version__
from tlcourse.config import is_yes, read_config
from tlcourse.records import from_json, to_json
from tlcourse.stored import keep

R = TypeVar("R")

_FOLDER = "tlcourse"
_COMPILER = (
    "dialects",
    "passes",
    "codegen",
    "functional",
    "simulator",
    "bishengir",
    "pipeline",
    "chips",
    "jit",
)


def key_of(**parts: str) -> str:
    """The key of an entry: a hash of named texts, of the package and of its compiler's files."""
    named = parts | {"tlcourse": __version__, "files": _compiler_stamp()}
    return hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()


def fetch(folder: Path, key: str, kind: type[R], make: Callable[[], R]) -> R:
    """The record stored under a key, or a new one from `make`, stored for the next time.

    Args:
        folder: the cache folder of the settings.
        key: what `key_of` gave.
        kind: class of the record.
        make: makes it.
    """
    path = folder / _FOLDER / key[:2] / f"{key}.json"
    stored = _read(path, kind)
    if stored is not None:
        return stored
    made = make()
    text = to_json(made)
    keep(
        path,
        f"{_digest(text)}\n{text}".encode(),
        "compiled kernels are not kept for the next time",
        fix="name a folder that you may write to in TILELANG_CACHE_DIR",
    )
    return made


def get_cache_dir() -> Path:
    """The folder of the cache, from TILELANG_CACHE_DIR."""
    return read_config().cache_dir


def set_cache_dir(path: str | os.PathLike[str]) -> None:
    """Uses another folder, in this process and in those it starts."""
    os.environ["TILELANG_CACHE_DIR"] = os.fspath(path)


def clear_cache() -> None:
    """Deletes what this package has stored in the cache folder, and nothing else there."""
    shutil.rmtree(get_cache_dir() / _FOLDER, ignore_errors=True)


def clear_if_wanted() -> None:
    """Clears the cache where TILELANG_CLEAR_CACHE says yes; upstream does so at its import."""
    if is_yes(os.environ.get("TILELANG_CLEAR_CACHE", "")):
        clear_cache()


def enable_cache() -> None:
    """Lets kernels be stored and found on disk, which is the default."""
    os.environ["TILELANG_DISABLE_CACHE"] = "0"


def disable_cache() -> None:
    """Compiles every kernel anew, in this process and in those it starts."""
    os.environ["TILELANG_DISABLE_CACHE"] = "1"


def is_cache_enabled() -> bool:
    """Whether kernels are stored and found on disk."""
    return read_config().cache_enabled


def _read(path: Path, kind: type[R]) -> R | None:
    """The record in a file; None where there is no file, or a damaged one."""
    try:
        digest, _, text = path.read_text(encoding="utf-8").partition("\n")
        return from_json(kind, text) if digest == _digest(text) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _compiler_stamp() -> str:
    """Changes when a file of the compiler changes, so that work on a pass needs no new version."""
    root = Path(__file__).parent.parent
    found = sorted(path for folder in _COMPILER for path in (root / folder).rglob("*.py"))
    facts = [(str(path.relative_to(root)), path.stat().st_mtime_ns) for path in found]
    return _digest(repr(facts))
