"""`tilelang.version`."""

from __future__ import annotations

from tlcourse import __version__ as _ours

__version__ = f"0.1.2+tlcourse.{_ours}"  # upstream's version whose API this follows

__all__ = ["__version__"]
