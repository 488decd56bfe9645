"""What differs between two lines of IR, word by word.

How the words of two lines match depends on their forms alone, so it is worked out once for
two forms and then applied to all their lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tlcourse.widgets.align import match
from tlcourse.widgets.lines import ANY_VALUE, VALUE, Form, Line, words
from tlcourse.widgets.renaming import Renaming

_ALIKE = 0.35  # share of common signs below which two lines are shown apart
_KEPT = 10_000  # pairs of forms; texts that have more of them repeat few


class Words(NamedTuple):
    """A stretch of a line that differs: column ranges from 0 on both sides.

    `renamed` means that only a value's name or blanks differ.
    """

    before_start: int
    before_end: int
    after_start: int
    after_end: int
    renamed: bool


class _Piece(NamedTuple):
    """Words side by side: signs and values on either side, and whether they are equal."""

    equal: bool
    left: int
    left_values: int
    right: int
    right_values: int


_Script = tuple[_Piece, ...]


@dataclass(frozen=True, slots=True)
class Scripts:
    """How the words of forms match; use one for all texts of a trace."""

    parts: dict[Form, list[str]] = field(default_factory=lambda: dict[Form, list[str]]())
    known: dict[tuple[Form, Form], _Script] = field(
        default_factory=lambda: dict[tuple[Form, Form], _Script]()
    )

    def alike(self, a: Line, b: Line) -> bool:
        """Whether two lines have enough in common to be shown as one that changed."""
        if a.form.op == b.form.op:
            return True
        left, right = self._words(a.form), self._words(b.form)
        common = len(match(left, right))
        return 2 * common >= _ALIKE * (len(left) + len(right)) and bool(common)

    def differences(self, a: Line, b: Line, renaming: Renaming) -> list[Words]:
        """Differences of two lines that say different things, stretch by stretch."""
        renaming.drop_left(a)
        renaming.drop_right(b)
        script, left, right = self._script(a, b)
        x, y, i, j = a.form.indent, b.form.indent, 0, 0
        found = indentation(a, b)
        for equal, across, across_values, down, down_values in script:
            x_end, y_end = x + across, y + down
            i_end, j_end = i + across_values, j + down_values
            if across_values:
                x_end += sum(map(len, left[i:i_end]))
            if down_values:
                y_end += sum(map(len, right[j:j_end]))
            if not equal:
                found.append(Words(x, x_end, y, y_end, False))
            elif across_values:
                one, other = left[i], right[j]
                if one in a.made and other in b.made:
                    renaming.bind(one, other)
                good = renaming.agree(one, other)
                if one != other or not good:
                    found.append(Words(x, x_end, y, y_end, good))
            x, y, i, j = x_end, y_end, i_end, j_end
        return _joined(found, a.text) + blank_end(a, b)

    def _script(self, a: Line, b: Line) -> tuple[_Script, Sequence[str], Sequence[str]]:
        """How the words of two lines match, and the values that are words of their own."""
        left, right = self._words(a.form), self._words(b.form)
        if left.count(ANY_VALUE) == len(a.names) and right.count(ANY_VALUE) == len(b.names):
            script = self.known.get((a.form, b.form))
            if script is None:
                if len(self.known) >= _KEPT:
                    self.known.clear()
                script = self.known[a.form, b.form] = _matched(left, right)
            return script, a.names, b.names
        # A value in a string is no value, and the strings may differ in it.
        parts = [words(line.text.strip()) for line in (a, b)]
        keys = [[ANY_VALUE if VALUE.fullmatch(part) else part for part in one] for one in parts]
        values = [[part for part in one if VALUE.fullmatch(part)] for one in parts]
        return _matched(*keys), values[0], values[1]

    def _words(self, form: Form) -> list[str]:
        found = self.parts.get(form)
        if found is None:
            found = self.parts[form] = words(form.template.rstrip())
        return found


def indentation(a: Line, b: Line) -> list[Words]:
    """The indentation of two lines, where it differs."""
    x, y = a.form.indent, b.form.indent
    return [Words(0, x, 0, y, True)] if a.text[:x] != b.text[:y] else []


def blank_end(a: Line, b: Line) -> list[Words]:
    """Blanks that differ behind the last word; a line of blanks alone is all indentation."""
    x, y = (max(len(line.text.rstrip()), line.form.indent) for line in (a, b))
    return [Words(x, len(a.text), y, len(b.text), True)] if a.text[x:] != b.text[y:] else []


def _matched(left: list[str], right: list[str]) -> _Script:
    script: list[_Piece] = []
    i = j = 0
    for i_end, j_end, length in [*_runs(left, right), (len(left), len(right), 0)]:
        if i < i_end or j < j_end:
            script.append(_Piece(False, *_amount(left[i:i_end]), *_amount(right[j:j_end])))
        i, j = i_end + length, j_end + length
        script += _equal(left[i_end:i])
    return tuple(script)


def _equal(parts: list[str]) -> Iterator[_Piece]:
    start = 0
    for place in [k for k, part in enumerate(parts) if part == ANY_VALUE]:
        if place > start:
            signs = len("".join(parts[start:place]))
            yield _Piece(True, signs, 0, signs, 0)
        yield _Piece(True, 0, 1, 0, 1)
        start = place + 1
    if start < len(parts):
        signs = len("".join(parts[start:]))
        yield _Piece(True, signs, 0, signs, 0)


def _amount(parts: list[str]) -> tuple[int, int]:
    """Number of signs that are no value, and of values."""
    values = parts.count(ANY_VALUE)
    return len("".join(parts)) - values * len(ANY_VALUE), values


def _runs(left: list[str], right: list[str]) -> list[tuple[int, int, int]]:
    """Places and lengths of equal runs: those at both ends, others by shortest edit script."""
    head = _common(left, right)
    tail = min(_common(left[::-1], right[::-1]), len(left) - head, len(right) - head)
    runs = [(0, 0, head)]
    middle = match(left[head : len(left) - tail], right[head : len(right) - tail])
    runs += [(head + i, head + j, 1) for i, j in middle]
    return [*runs, (len(left) - tail, len(right) - tail, tail)]


def _common(left: list[str], right: list[str]) -> int:
    for k, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return k
    return min(len(left), len(right))


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
