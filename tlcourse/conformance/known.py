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


@dataclass(frozen=True, kw_only=True)
class Explained:
    """Why the executors find something in cases of suite npuir.

    Args:
        case: a name that may hold `*`.
        code: of the finding.
        reason: what upstream's kernel does.
    """

    case: str
    code: str
    reason: str


def excluded(suite: Suite, name: str, backend: str = "") -> str:
    """The reason why a case is not expected to pass; empty for all others.

    Args:
        suite: the suite.
        name: the case.
        backend: what compiled it; rows that name another back half do not count.
    """
    rows: list[dict[str, str]] = _table()["excluded"]
    for row in rows:
        applies = row["suite"] == suite and row.get("backend", backend) == backend
        if applies and _matches(name, row["case"]):
            return row["reason"]
    return ""


def explained(name: str, code: str) -> str:
    """Why a finding of this code is right in a case of suite npuir; empty where it is not."""
    rows = [row for row in explanations() if row.code == code and _matches(name, row.case)]
    return rows[0].reason if rows else ""


def explanations() -> tuple[Explained, ...]:
    """All findings that the table explains."""
    rows: list[dict[str, str]] = _table()["finding"]
    return tuple(Explained(**row) for row in rows)


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


def _matches(name: str, pattern: str) -> bool:
    return fnmatchcase(_plain(name), _plain(pattern))


def _plain(name: str) -> str:
    # Brackets mean a set of characters to fnmatch, and parameters to pytest.
    return name.replace("[", "(").replace("]", ")")
