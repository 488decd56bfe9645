"""The difference of two IR texts, word by word, that sees a renamed value as no change.

A value counts as renamed when the line that defines it was matched with the line that
defines its partner. Swapped operands are therefore a change, and so is an operand that
kept its name while the name moved to another value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tlcourse.widgets.align import align, match
from tlcourse.widgets.lines import ANY_VALUE, VALUE, Line, read_lines, words

Kind = Literal["same", "renamed", "changed", "removed", "added", "moved"]
_ALIKE = 0.35  # share of common signs below which two lines are shown apart


class Words(NamedTuple):
    """A stretch of a line that differs: column ranges from 0 on both sides.

    `renamed` means that only a value's name or blanks differ.
    """

    before_start: int
    before_end: int
    after_start: int
    after_end: int
    renamed: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One row of a side-by-side view; line numbers from 0, None where a side is empty.

    A moved line has two rows, one where it was and one where it is.
    """

    kind: Kind
    before: int | None = None
    after: int | None = None
    words: tuple[Words, ...] = ()


@dataclass(slots=True)
class _Names:
    """Which value of the left text is which value of the right one, so far."""

    forward: dict[str, str | None]
    back: dict[str, str | None]
    moved_from: dict[int, int]
    moved_to: dict[int, int]

    def bind(self, left: str, right: str) -> None:
        self.forward[left], self.back[right] = right, left

    def join(self, left: Line, right: Line) -> None:
        for (_, one), (_, other) in zip(left.definitions, right.definitions, strict=True):
            self.bind(one, other)

    def drop(self, line: Line, side: dict[str, str | None]) -> None:
        for _, name in line.definitions:
            side[name] = None

    def agree(self, left: str, right: str) -> bool:
        there, here = self.forward.get(left, ""), self.back.get(right, "")
        if there is None and here is None:
            return left == right
        if there == "" and here == "":
            self.bind(left, right)
            return True
        return there == right and here == left


def diff_texts(before: str, after: str, memo: dict[str, Line] | None = None) -> tuple[Row, ...]:
    """Compares two IR texts.

    Args:
        before: the text on the left.
        after: the text on the right.
        memo: lines taken apart so far; pass one dictionary when comparing many texts.

    Returns:
        Rows in order; all lines of both texts appear once. Between the stretches in
        `Row.words` the two lines of a row are equal.
    """
    memo = {} if memo is None else memo
    left, right = read_lines(before, memo), read_lines(after, memo)
    head = _common(left, right)
    tail = min(_common(left[::-1], right[::-1]), len(left) - head, len(right) - head)
    middle, moved = align(left[head : len(left) - tail], right[head : len(right) - tail])
    pairs = [(k, k) for k in range(head)]
    pairs += [(head + i, head + j) for i, j in middle]
    pairs += [(len(left) - k, len(right) - k) for k in range(tail, 0, -1)]
    moved_to = {head + i: head + j for i, j in moved}
    names = _Names({}, {}, {j: i for i, j in moved_to.items()}, moved_to)
    return tuple(_rows(left, right, pairs, names))


def _common(left: Sequence[Line], right: Sequence[Line]) -> int:
    for k, (a, b) in enumerate(zip(left, right, strict=False)):
        if a is not b:
            return k
    return min(len(left), len(right))


def _rows(
    left: list[Line], right: list[Line], pairs: list[tuple[int, int]], names: _Names
) -> list[Row]:
    rows: list[Row] = []
    i = j = 0
    for i_end, j_end in [*pairs, (len(left), len(right))]:
        if i < i_end or j < j_end:
            rows += _unmatched(left, right, (i, i_end, j, j_end), names)
        if i_end < len(left) and j_end < len(right):
            rows += _paired(left, right, i_end, j_end, names)
        i, j = i_end + 1, j_end + 1
    return rows


def _unmatched(
    left: list[Line], right: list[Line], gap: tuple[int, int, int, int], names: _Names
) -> list[Row]:
    i, i_end, j, j_end = gap
    for k in range(i, i_end):
        names.drop(left[k], names.forward)
        if k in names.moved_to:
            names.join(left[k], right[names.moved_to[k]])
    for k in range(j, j_end):
        names.drop(right[k], names.back)
        if k in names.moved_from:
            names.join(left[names.moved_from[k]], right[k])
    gone: list[Row] = [
        Row(kind="moved" if k in names.moved_to else "removed", before=k) for k in range(i, i_end)
    ]
    return gone + [
        Row(kind="moved" if k in names.moved_from else "added", after=k) for k in range(j, j_end)
    ]


def _paired(left: list[Line], right: list[Line], i: int, j: int, names: _Names) -> list[Row]:
    a, b = left[i], right[j]
    if a.template == b.template:
        found = _renamings(a, b, names)
    elif _alike(a, b):
        found = _differences(a, b, names)
    else:
        return _unmatched(left, right, (i, i + 1, j, j + 1), names)
    kind: Kind = "same" if not found else "renamed" if all(w.renamed for w in found) else "changed"
    return [Row(kind=kind, before=i, after=j, words=tuple(found))]


def _renamings(a: Line, b: Line, names: _Names) -> list[Words]:
    """Differences of two lines with one template: names and indentation only."""
    agreed = _agreements(a, b, names)
    if a is b and all(agreed):
        return []
    found = _indentation(a, b)
    x = y = 0
    for left, right, good in zip(a.names, b.names, agreed, strict=True):
        x, y = a.text.index(left, x), b.text.index(right, y)
        if left != right or not good:
            found.append(Words(x, x + len(left), y, y + len(right), good))
        x, y = x + len(left), y + len(right)
    return found + _blank_end(a, b)


def _agreements(a: Line, b: Line, names: _Names) -> list[bool]:
    agreed: list[bool] = []
    for left, right, defined in zip(a.names, b.names, a.defines, strict=True):
        agreed.append(defined or names.agree(left, right))
    for left, right, defined in zip(a.names, b.names, a.defines, strict=True):
        if defined:
            names.bind(left, right)
    return agreed


def _indentation(a: Line, b: Line) -> list[Words]:
    x, y = _indent(a.text), _indent(b.text)
    return [Words(0, x, 0, y, True)] if a.text[:x] != b.text[:y] else []


def _blank_end(a: Line, b: Line) -> list[Words]:
    """Blanks that differ behind the last word; a line of blanks alone is all indentation."""
    x, y = (max(len(line.text.rstrip()), _indent(line.text)) for line in (a, b))
    return [Words(x, len(a.text), y, len(b.text), True)] if a.text[x:] != b.text[y:] else []


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _alike(a: Line, b: Line) -> bool:
    if a.op == b.op:
        return True
    left, right = _keys(words(a.text.strip())), _keys(words(b.text.strip()))
    common = len(match(left, right))
    return 2 * common >= _ALIKE * (len(left) + len(right)) and bool(common)


def _differences(a: Line, b: Line, names: _Names) -> list[Words]:
    """Differences of two lines that say different things, stretch by stretch."""
    defined_left, defined_right = _defined(a), _defined(b)
    names.drop(a, names.forward)
    names.drop(b, names.back)
    found = _indentation(a, b)
    for where, one, other in _stretches(a, b):
        if not VALUE.fullmatch(one):
            found += [] if one else [where]
            continue
        if one in defined_left and other in defined_right:
            names.bind(one, other)
        good = names.agree(one, other)
        if one != other or not good:
            found.append(where._replace(renamed=good))
    return _joined(found, a.text) + _blank_end(a, b)


def _stretches(a: Line, b: Line) -> Iterator[tuple[Words, str, str]]:
    """Pairs of equal words with their columns; a difference comes with two empty words."""
    left, right = words(a.text.strip()), words(b.text.strip())
    x, y = _indent(a.text), _indent(b.text)
    i = j = 0
    for i_end, j_end in [*match(_keys(left), _keys(right)), (len(left), len(right))]:
        gap_x, gap_y = len("".join(left[i:i_end])), len("".join(right[j:j_end]))
        if gap_x or gap_y:
            yield Words(x, x + gap_x, y, y + gap_y, False), "", ""
        x, y = x + gap_x, y + gap_y
        for one, other in zip(left[i_end : i_end + 1], right[j_end : j_end + 1], strict=True):
            yield Words(x, x + len(one), y, y + len(other), False), one, other
            x, y = x + len(one), y + len(other)
        i, j = i_end + 1, j_end + 1


def _keys(parts: list[str]) -> list[str]:
    return [ANY_VALUE if VALUE.fullmatch(part) else part for part in parts]


def _defined(line: Line) -> set[str]:
    return {name for _, name in line.definitions}


def _joined(found: list[Words], text: str) -> list[Words]:
    """Joins changed stretches that only blanks part."""
    joined: list[Words] = []
    for item in found:
        last = joined[-1] if joined else None
        blank = last is not None and not text[last.before_end : item.before_start].strip()
        if last is not None and blank and not last.renamed and not item.renamed:
            joined[-1] = Words(
                last.before_start, item.before_end, last.after_start, item.after_end, False
            )
        else:
            joined.append(item)
    return joined
