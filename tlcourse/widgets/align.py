"""Which lines of two IR texts belong together.

Four keys are tried in turn, from strict to loose, each only inside the gaps that the one
before it left: the line with everything its operands were computed from, the line with the
ops that made its operands, the line without value names, the name of the op. Lines that
occur once on both sides become anchors; what lies between is matched by shortest edit
script with a bound on its length, so that no input makes it slow.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from tlcourse.widgets.lines import Line

Pair = tuple[int, int]
Gap = tuple[int, int, int, int]
Keys = Sequence[Hashable]
_EDIT_LIMIT = 300  # bounds the work at about 300 steps per unmatched line
_DEPTH_LIMIT = 12


@dataclass(slots=True)
class Keyed:
    """The lines of a text and the keys that they are known by.

    Args:
        lines: the lines.
        origin: the line and what its operands were computed from.
        deep: the same, but a line that reads nothing, such as a constant, is known by its
            neighbour too.
    """

    lines: Sequence[Line]
    origin: list[int]
    deep: list[int]
    _shallow: list[int] | None = None

    @property
    def shallow(self) -> list[int]:
        """The line and the ops that made its operands."""
        if self._shallow is None:
            self._shallow = _shallow(self.lines)
        return self._shallow

    @property
    def levels(self) -> Iterator[Keys]:
        """The keys from strict to loose."""
        yield self.deep
        yield self.shallow
        yield [line.form.template for line in self.lines]
        yield [line.form.loose for line in self.lines]


def keyed(lines: Sequence[Line]) -> Keyed:
    """Works out the strict keys of the lines of a text."""
    origin: list[int] = []
    deep: list[int] = []
    made_from: dict[str, int] = {}
    known = made_from.get
    last = 0
    for line in lines:
        form = line.form
        if line.uses:
            last = key = hash((form.template, *[known(name, name) for name in line.uses]))
        else:
            key = form.mark
            last = hash((key, last))
        origin.append(key)
        deep.append(last)
        if line.made:
            results, marks = form.results, form.marks
            for k, name in zip(form.defined, line.made, strict=True):
                made_from[name] = key + k if k < results else marks[k]
    return Keyed(lines, origin, deep)


def align(
    before: Keyed, after: Keyed, head: int = 0, tail: int = 0
) -> tuple[list[Pair], list[Pair]]:
    """Pairs of line numbers that belong together.

    Args:
        before: the lines on the left.
        after: the lines on the right.
        head: how many of the first lines are equal; they are left out.
        tail: how many of the last lines are equal; they are left out.

    Returns:
        Pairs in place, rising on both sides; and pairs of the same op, computed from the
        same values, that stands elsewhere.
    """
    whole = head, len(before.lines) - tail, head, len(after.lines) - tail
    pairs = _heads(before, after, whole)
    for level, (a, b) in enumerate(zip(before.levels, after.levels, strict=True)):
        gaps = list(_gaps(pairs, whole))
        if not gaps:
            break
        for gap in gaps:
            pairs += _matched(a, b, gap) if level else _anchored(a, b, gap, 0)
        pairs.sort()
    return pairs, _moved(before, after, whole, pairs)


def match(a: Keys, b: Keys) -> list[Pair]:
    """Pairs of equal items of two sequences by shortest edit script, work bounded."""
    in_a, in_b = set(a), set(b)
    places_a = [i for i, item in enumerate(a) if item in in_b]
    places_b = [j for j, item in enumerate(b) if item in in_a]
    left, right = [a[i] for i in places_a], [b[j] for j in places_b]
    pairs: list[Pair] = []
    x = y = 0
    while x < len(left) and y < len(right):
        found, x, y = _walk(left, right, x, y)
        pairs += found
    return [(places_a[i], places_b[j]) for i, j in pairs]


def _heads(before: Keyed, after: Keyed, whole: Gap) -> list[Pair]:
    """Functions and loops that stayed: what moves over a loop's head is the other line."""
    x, x_end, y, y_end = whole
    heads_a = [i for i in range(x, x_end) if before.lines[i].form.opens]
    heads_b = [j for j in range(y, y_end) if after.lines[j].form.opens]
    keys_a, keys_b = [before.deep[i] for i in heads_a], [after.deep[j] for j in heads_b]
    pairs = _unique(keys_a, keys_b, (0, len(keys_a), 0, len(keys_b)))
    return [(heads_a[i], heads_b[j]) for i, j in pairs]


def _moved(before: Keyed, after: Keyed, whole: Gap, pairs: list[Pair]) -> list[Pair]:
    x, x_end, y, y_end = whole
    matched_a, matched_b = {i for i, _ in pairs}, {j for _, j in pairs}
    waiting: dict[int, list[int]] = {}
    for j in range(y_end - 1, y - 1, -1):
        if j not in matched_b:
            waiting.setdefault(after.origin[j], []).append(j)
    moved: list[Pair] = []
    for i in range(x, x_end) if waiting else ():
        form, places = before.lines[i].form, waiting.get(before.origin[i])
        if places and i not in matched_a and form.op and not form.opens:
            moved.append((i, places.pop()))
    return moved


def _shallow(lines: Sequence[Line]) -> list[int]:
    found: list[int] = []
    made_by: dict[str, int] = {}
    known = made_by.get
    for line in lines:
        form = line.form
        reads = line.uses
        found.append(
            hash((form.template, *[known(name, name) for name in reads])) if reads else form.mark
        )
        if line.made:
            marks = form.marks
            for k, name in zip(form.defined, line.made, strict=True):
                made_by[name] = marks[k]
    return found


def _gaps(pairs: list[Pair], whole: Gap) -> Iterator[Gap]:
    x, x_end, y, y_end = whole
    for i, j in [*pairs, (x_end, y_end)]:
        if i > x and j > y:
            yield x, i, y, j
        x, y = i + 1, j + 1


def _anchored(a: Keys, b: Keys, gap: Gap, depth: int) -> list[Pair]:
    """Equal ends of a gap and the items that are unique on both sides, again in between."""
    x, x_end, y, y_end = gap
    pairs: list[Pair] = []
    while x < x_end and y < y_end and a[x] == b[y]:
        pairs.append((x, y))
        x, y = x + 1, y + 1
    while x < x_end and y < y_end and a[x_end - 1] == b[y_end - 1]:
        x_end, y_end = x_end - 1, y_end - 1
        pairs.append((x_end, y_end))
    anchors = _unique(a, b, (x, x_end, y, y_end))
    pairs += anchors
    if not anchors or depth == _DEPTH_LIMIT:
        return pairs
    for i, j in [*anchors, (x_end, y_end)]:
        pairs += _anchored(a, b, (x, i, y, j), depth + 1) if i > x and j > y else []
        x, y = i + 1, j + 1
    return pairs


def _matched(a: Keys, b: Keys, gap: Gap) -> list[Pair]:
    x, x_end, y, y_end = gap
    return [(x + i, y + j) for i, j in match(a[x:x_end], b[y:y_end])]


def _unique(a: Keys, b: Keys, gap: Gap) -> list[Pair]:
    """The longest rising run of items that occur once in both stretches."""
    x, x_end, y, y_end = gap
    in_a, in_b = Counter(a[x:x_end]), Counter(b[y:y_end])
    place = {b[j]: j for j in range(y, y_end) if in_b[b[j]] == 1}
    candidates = [(i, place[a[i]]) for i in range(x, x_end) if in_a[a[i]] == 1 and a[i] in place]
    return _rising(candidates)


def _rising(candidates: list[Pair]) -> list[Pair]:
    tails: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for k, (_, j) in enumerate(candidates):
        at = bisect_left(tails, j)
        tails[at : at + 1] = [j]
        ends[at : at + 1] = [k]
        previous.append(ends[at - 1] if at else -1)
    chain: list[Pair] = []
    k = ends[-1] if ends else -1
    while k >= 0:
        chain.append(candidates[k])
        k = previous[k]
    return chain[::-1]


def _walk(a: Keys, b: Keys, x0: int, y0: int) -> tuple[list[Pair], int, int]:
    """Shortest edit script from (x0, y0), to the end or to the farthest point in reach."""
    n, m = len(a) - x0, len(b) - y0
    reach = {1: 0}
    history: list[dict[int, int]] = []
    best = (-1, 0, 0, 0)
    for d in range(min(n + m, _EDIT_LIMIT) + 1):
        history.append(dict(reach))
        for k in range(-d, d + 1, 2):
            down = k == -d or (k != d and reach[k - 1] < reach[k + 1])
            x = reach[k + 1] if down else reach[k - 1] + 1
            while x < n and x - k < m and a[x0 + x] == b[y0 + x - k]:
                x += 1
            reach[k] = x
            if x <= n and x - k <= m:
                best = max(best, (2 * x - k, x, k, d))
            if x >= n and x - k >= m:
                return _retrace(history, x0, y0, n, n - m, d), len(a), len(b)
    _, x, k, d = best
    return _retrace(history, x0, y0, x, k, d), x0 + x, y0 + x - k


def _retrace(history: list[dict[int, int]], x0: int, y0: int, x: int, k: int, d: int) -> list[Pair]:
    pairs: list[Pair] = []
    for step in range(d, -1, -1):
        reach = history[step]
        down = k == -step or (k != step and reach[k - 1] < reach[k + 1])
        start = reach[k + 1] if down else reach[k - 1] + 1
        pairs += [(x0 + p, y0 + p - k) for p in range(x - 1, start - 1, -1)]
        k = k + 1 if down else k - 1
        x = reach.get(k, 0)
    return pairs[::-1]
