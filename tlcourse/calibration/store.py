"""Writes fitted values into the table of constants, and leaves everything else as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_SECTION = re.compile(r"^\[(?P<name>\w+)\]$")


def with_values(text: str, values: Mapping[str, float]) -> str:
    """The text of a table with other values of some constants.

    Raises:
        KeyError: a name has no section.
    """
    lines = text.split("\n")
    left = dict(values)
    section = ""
    for place, line in enumerate(lines):
        found = _SECTION.match(line)
        if found:
            section = found["name"]
        elif line.startswith("value = ") and section in left:
            lines[place] = f"value = {_number(left.pop(section))}"
    if left:
        raise KeyError(*sorted(left))
    return "\n".join(lines)


def store(file: Path, values: Mapping[str, float]) -> None:
    """Writes the values of some constants into their table."""
    file.write_text(with_values(file.read_text(encoding="utf-8"), values), encoding="utf-8")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)
