"""Reads the table of what is known about single cases of upstream, `known.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from tlcourse.conformance.results import Suite

_TABLE = Path(__file__).with_name("known.toml")


@dataclass(frozen=True, kw_only=True)
class Example:
    """How an example is started.

    Args:
        arguments: of its command line, to make it small enough for a CPU.
        call: instead of its main block, an expression over its names that runs its check.
        cannot: why it cannot run to its check; empty where it can.
        note: what stands in docs/upstream.md beside it.
    """

    arguments: tuple[str, ...] = ()
    call: str = ""
    cannot: str = ""
    note: str = ""


def excluded(suite: Suite, name: str) -> str:
    """The reason why a case is not expected to pass; empty for all others."""
    rows: list[dict[str, str]] = _table()["excluded"]
    for row in rows:
        if row["suite"] == suite and fnmatchcase(_plain(name), _plain(row["case"])):
            return row["reason"]
    return ""


def example(name: str) -> Example:
    """How the example of this path below examples/ is started."""
    row: dict[str, Any] = dict(_table()["examples"].get(name, {}))
    row["arguments"] = tuple(row.get("arguments", ()))
    return Example(**row)


def example_names() -> tuple[str, ...]:
    """The examples that the table speaks of."""
    return tuple(_table()["examples"])


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(_TABLE.read_text(encoding="utf-8"))


def _plain(name: str) -> str:
    # Brackets mean a set of characters to fnmatch, and parameters to pytest.
    return name.replace("[", "(").replace("]", ")")
