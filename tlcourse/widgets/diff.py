"""The difference of two IR texts, word by word, that sees a renamed value as no change.

A value counts as renamed when the line that defines it was matched with the line that
defines its partner. Swapped operands are therefore a change, and so is an operand that
kept its name while the name moved to another value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from tlcourse.widgets.align import Keyed, Pair, align, keyed
from tlcourse.widgets.lines import Line, Reader
from tlcourse.widgets.renaming import Renaming
from tlcourse.widgets.stretches import Scripts, Words, blank_end, indentation

Kind = Literal["same", "renamed", "changed", "removed", "added", "moved"]


class Row(NamedTuple):
    """One row of a side-by-side view; line numbers from 0, None where a side is empty.

    A moved line has two rows, one where it was and one where it is. Only a changed row says
    which words differ: in a renamed one it is names of values, and blanks at its ends.
    """

    kind: Kind
    before: int | None = None
    after: int | None = None
    words: tuple[Words, ...] = ()


@dataclass(frozen=True, slots=True)
class Memo:
    """What was seen in earlier texts; pass one when comparing many texts."""

    reader: Reader = field(default_factory=Reader)
    scripts: Scripts = field(default_factory=Scripts)

    def read(self, text: str) -> Keyed:
        """A text as `diff_read` wants it."""
        return keyed(self.reader.read(text))


@dataclass(frozen=True, slots=True)
class _Sides:
    left: Sequence[Line]
    right: Sequence[Line]
    moved_to: dict[int, int]
    moved_from: dict[int, int]
    scripts: Scripts
    renaming: Renaming = field(default_factory=Renaming)


def diff_texts(before: str, after: str, memo: Memo | None = None) -> tuple[Row, ...]:
    """Compares two IR texts.

    Args:
        before: the text on the left.
        after: the text on the right.
        memo: lines taken apart so far.

    Returns:
        Rows in order; all lines of both texts appear once. Between the stretches in
        `Row.words` the two lines of a changed row are equal.
    """
    memo = memo or Memo()
    return diff_read(memo.read(before), memo.read(after), memo)


def diff_read(before: Keyed, after: Keyed, memo: Memo) -> tuple[Row, ...]:
    """`diff_texts` of two texts that `memo` has read."""
    left, right = before.lines, after.lines
    head = _common(left, right)
    tail = min(_common(left[::-1], right[::-1]), len(left) - head, len(right) - head)
    pairs = [(k, k) for k in range(head)]
    middle, moved = align(before, after, head, tail)
    pairs += middle
    pairs += [(len(left) - k, len(right) - k) for k in range(tail, 0, -1)]
    moved_to = dict(moved)
    sides = _Sides(left, right, moved_to, {j: i for i, j in moved_to.items()}, memo.scripts)
    return tuple(_rows(sides, pairs))


def _common(left: Sequence[Line], right: Sequence[Line]) -> int:
    for k, (a, b) in enumerate(zip(left, right, strict=False)):
        if a is not b:
            return k
    return min(len(left), len(right))


def _rows(sides: _Sides, pairs: list[Pair]) -> list[Row]:
    left, right, renaming = sides.left, sides.right, sides.renaming
    rows: list[Row] = []
    i = j = 0
    for i_end, j_end in pairs:
        if i < i_end or j < j_end:
            rows += _unmatched(sides, i, i_end, j, j_end)
        a, b = left[i_end], right[j_end]
        if a.form.template == b.form.template and renaming.all_agree(a, b):
            rows.append(Row("same" if a.text == b.text else "renamed", i_end, j_end))
        else:
            rows += _paired(sides, i_end, j_end)
        i, j = i_end + 1, j_end + 1
    return rows + _unmatched(sides, i, len(left), j, len(right))


def _unmatched(sides: _Sides, i: int, i_end: int, j: int, j_end: int) -> list[Row]:
    left, right, renaming = sides.left, sides.right, sides.renaming
    for k in range(i, i_end):
        renaming.drop_left(left[k])
        if k in sides.moved_to:
            renaming.join(left[k], right[sides.moved_to[k]])
    for k in range(j, j_end):
        renaming.drop_right(right[k])
        if k in sides.moved_from:
            renaming.join(left[sides.moved_from[k]], right[k])
    gone = [Row("moved" if k in sides.moved_to else "removed", k) for k in range(i, i_end)]
    here = [Row("moved" if k in sides.moved_from else "added", None, k) for k in range(j, j_end)]
    return gone + here


def _paired(sides: _Sides, i: int, j: int) -> list[Row]:
    """The rows of two lines that belong together and do not say the same."""
    a, b = sides.left[i], sides.right[j]
    if a.form.template == b.form.template:
        found = _other_values(a, b, sides.renaming)
    elif sides.scripts.alike(a, b):
        found = sides.scripts.differences(a, b, sides.renaming)
    else:
        return _unmatched(sides, i, i + 1, j, j + 1)
    if all(one.renamed for one in found):
        return [Row("renamed", i, j)]
    return [Row("changed", i, j, tuple(found))]


def _other_values(a: Line, b: Line, renaming: Renaming) -> list[Words]:
    """Differences of two lines with one template: names and indentation only."""
    found = indentation(a, b)
    pairs = list(zip(a.names, b.names, a.form.defines, strict=True))
    agreed = [new or renaming.agree(left, right) for left, right, new in pairs]
    renaming.join(a, b)
    x = y = 0
    for (left, right, _), good in zip(pairs, agreed, strict=True):
        x, y = a.text.index(left, x), b.text.index(right, y)
        if left != right or not good:
            found.append(Words(x, x + len(left), y, y + len(right), good))
        x, y = x + len(left), y + len(right)
    return found + blank_end(a, b)
