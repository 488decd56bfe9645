"""`import tilelang.language as T`: the names of `tlcourse.language`, whatever they are."""

from __future__ import annotations

import tlcourse.language as _language


def __getattr__(name: str) -> object:
    """Any name of `tlcourse.language`; `__all__` is its public names."""
    if name == "__all__":
        return __dir__()
    return getattr(_language, name)


def __dir__() -> list[str]:
    return [name for name in dir(_language) if not name.startswith("_")]
