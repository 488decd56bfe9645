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

from tlcourse.widgets.lines import Line

Pair = tuple[int, int]
Keys = Sequence[Hashable]
_EDIT_LIMIT = 300  # bounds the work at about 300 steps per unmatched line
_DEPTH_LIMIT = 12


def align(before: Sequence[Line], after: Sequence[Line]) -> tuple[list[Pair], list[Pair]]:
    """Pairs of line numbers that belong together.

    Returns:
        Pairs in place, rising on both sides; and pairs of the same op, computed from the
        same values, that stands elsewhere.
    """
    (origin_a, *levels_a), (origin_b, *levels_b) = _levels(before), _levels(after)
    pairs = _heads(before, after, levels_a[0], levels_b[0])
    for level, (a, b) in enumerate(zip(levels_a, levels_b, strict=True)):
        for gap in list(_gaps(pairs, len(a), len(b))):
            pairs += _matched(a, b, gap) if level else _anchored(a, b, gap, 0)
        pairs.sort()
    return pairs, _moved(before, origin_a, origin_b, pairs)


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


def _heads(before: Sequence[Line], after: Sequence[Line], a: Keys, b: Keys) -> list[Pair]:
    """Functions and loops that stayed: what moves over a loop's head is the other line."""
    heads_a = [i for i, line in enumerate(before) if line.text.endswith("{")]
    heads_b = [j for j, line in enumerate(after) if line.text.endswith("{")]
    keys_a, keys_b = [a[i] for i in heads_a], [b[j] for j in heads_b]
    pairs = _unique(keys_a, keys_b, 0, len(keys_a), 0, len(keys_b))
    return [(heads_a[i], heads_b[j]) for i, j in pairs]


def _moved(before: Sequence[Line], a: Keys, b: Keys, pairs: list[Pair]) -> list[Pair]:
    matched_a, matched_b = {i for i, _ in pairs}, {j for _, j in pairs}
    waiting: dict[Hashable, list[int]] = {}
    for j in range(len(b) - 1, -1, -1):
        if j not in matched_b:
            waiting.setdefault(b[j], []).append(j)
    moved: list[Pair] = []
    for i, line in enumerate(before):
        if i not in matched_a and line.op and not line.text.endswith("{") and waiting.get(a[i]):
            moved.append((i, waiting[a[i]].pop()))
    return moved


def _levels(lines: Sequence[Line]) -> tuple[Keys, Keys, Keys, Keys, Keys]:
    """What each line was computed from, and the four keys from strict to loose."""
    origin: list[Hashable] = []
    deep: list[Hashable] = []
    shallow: list[Hashable] = []
    made_from: dict[str, Hashable] = {}
    made_by: dict[str, Hashable] = {}
    for line in lines:
        key = hash((line.template, *[made_from.get(n, n) for n in line.uses]))
        origin.append(key)
        # A line that reads nothing, such as a constant, is known by its neighbour only.
        deep.append(key if line.uses else hash((key, deep[-1] if deep else 0)))
        shallow.append(hash((line.template, *[made_by.get(n, n) for n in line.uses])))
        for k, name in line.definitions:
            made_by[name] = (line.op, k)
            made_from[name] = (key, k) if k < line.results else (line.op, k)
    normal = [line.template for line in lines]
    return origin, deep, shallow, normal, [_loose(line) for line in lines]


def _loose(line: Line) -> Hashable:
    """Constants differ by their value, all other ops are the same op when named alike."""
    return line.template if line.op.endswith(".constant") or not line.op else line.op


def _gaps(pairs: list[Pair], n: int, m: int) -> Iterator[tuple[int, int, int, int]]:
    x = y = 0
    for i, j in [*pairs, (n, m)]:
        if i > x and j > y:
            yield x, i, y, j
        x, y = i + 1, j + 1


def _anchored(a: Keys, b: Keys, gap: tuple[int, int, int, int], depth: int) -> list[Pair]:
    """Equal ends of a gap and the items that are unique on both sides, again in between."""
    x, x_end, y, y_end = gap
    pairs: list[Pair] = []
    while x < x_end and y < y_end and a[x] == b[y]:
        pairs.append((x, y))
        x, y = x + 1, y + 1
    while x < x_end and y < y_end and a[x_end - 1] == b[y_end - 1]:
        x_end, y_end = x_end - 1, y_end - 1
        pairs.append((x_end, y_end))
    anchors = _unique(a, b, x, x_end, y, y_end)
    pairs += anchors
    if not anchors or depth == _DEPTH_LIMIT:
        return pairs
    for i, j in [*anchors, (x_end, y_end)]:
        pairs += _anchored(a, b, (x, i, y, j), depth + 1) if i > x and j > y else []
        x, y = i + 1, j + 1
    return pairs


def _matched(a: Keys, b: Keys, gap: tuple[int, int, int, int]) -> list[Pair]:
    x, x_end, y, y_end = gap
    return [(x + i, y + j) for i, j in match(a[x:x_end], b[y:y_end])]


def _unique(a: Keys, b: Keys, x: int, x_end: int, y: int, y_end: int) -> list[Pair]:
    """The longest rising run of items that occur once in both stretches."""
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
