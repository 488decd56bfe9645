"""The values of one text in the names of another, so that a difference shows what differs.

In normal form values are numbered in order of definition: one op more at the start gives every
later value another number, and each line that uses one would count as different.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_VALUE = re.compile(r"%\d+")
_FUNCTION = re.compile(r"^ *func\.func .*?@(\w+)")


def in_names_of(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """The right lines, their values renamed like those in the same place on the left.

    Args:
        left: lines of a module in normal form.
        right: lines of another one. Each value keeps one name throughout a function, and no two
            share one, so that the renamed text says the same.
    """
    scopes = _scopes(right)
    names = _pairs(left, right, scopes)
    free = _fresh(left)
    for scope, line in zip(scopes, right, strict=True):
        for value in _VALUE.findall(line):
            if (scope, value) not in names:
                names[scope, value] = next(free)
    return [
        _VALUE.sub(lambda found, scope=scope: names[scope, found[0]], line)
        for scope, line in zip(scopes, right, strict=True)
    ]


def _pairs(
    left: Sequence[str], right: Sequence[str], scopes: Sequence[str]
) -> dict[tuple[str, str], str]:
    """Function and value on the right to the value on the left, from lines of the same words."""
    left_scopes = _scopes(left)
    bare = [[_VALUE.sub("%", line) for line in lines] for lines in (left, right)]
    names: dict[tuple[str, str], str] = {}
    taken: set[tuple[str, str]] = set()
    for block in SequenceMatcher(None, *bare, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            here, there = block.a + step, block.b + step
            scope = scopes[there]
            if left_scopes[here] != scope:
                continue
            values = (_VALUE.findall(left[here]), _VALUE.findall(right[there]))
            for ours, theirs in zip(*values, strict=True):
                if (scope, theirs) not in names and (scope, ours) not in taken:
                    names[scope, theirs] = ours
                    taken.add((scope, ours))
    return names


def _scopes(lines: Sequence[str]) -> list[str]:
    """For each line the function that it stands in: numbers start anew in each."""
    found: list[str] = []
    for line in lines:
        head = _FUNCTION.match(line)
        found.append(head[1] if head else found[-1] if found else "")
    return found


def _fresh(lines: Sequence[str]) -> Iterator[str]:
    numbers = [int(value[1:]) for line in lines for value in _VALUE.findall(line)]
    number = max(numbers, default=-1)
    while True:
        number += 1
        yield f"%{number}"
