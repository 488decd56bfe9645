from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tlcourse.widgets.align import Keyed, align, keyed, match
from tlcourse.widgets.lines import read_line

LETTERS = st.lists(st.sampled_from("abcd"), max_size=30)


def longest_common(a: list[str], b: list[str]) -> int:
    best = [0] * (len(b) + 1)
    for x in a:
        row = [0]
        for k, y in enumerate(b):
            row.append(best[k] + 1 if x == y else max(best[k + 1], row[k]))
        best = row
    return best[-1]


@given(LETTERS, LETTERS)
def test_match_finds_a_longest_common_subsequence(a: list[str], b: list[str]) -> None:
    pairs = match(a, b)
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(pairs))
    assert len(pairs) == longest_common(a, b)


def test_match_ends_on_long_unlike_sequences() -> None:
    a = [f"a{k % 40}" for k in range(3000)]
    b = [f"a{(7 * k) % 40}" for k in range(3000)]
    pairs = match(a, b)
    assert len(pairs) > 200
    assert all(a[i] == b[j] for i, j in pairs)


def lines(*texts: str) -> Keyed:
    return keyed([read_line(text) for text in texts])


def test_inserted_line_leaves_its_neighbours_together() -> None:
    before = lines("%0 = a.x", "%1 = a.y %0", "%2 = a.y %1")
    after = lines("%0 = a.x", "%1 = b.z %0", "%2 = a.y %0", "%3 = a.y %2")
    assert align(before, after) == ([(0, 0), (1, 2), (2, 3)], [])


def test_line_that_reads_the_same_values_counts_as_moved() -> None:
    before = lines("%0 = a.x", "scf.for %i = %0 {", "%1 = a.y %0", "%2 = a.z %1, %i", "}")
    after = lines("%0 = a.x", "%1 = a.y %0", "scf.for %i = %0 {", "%2 = a.z %1, %i", "}")
    in_place, moved = align(before, after)
    assert in_place == [(0, 0), (1, 2), (3, 3), (4, 4)]
    assert moved == [(2, 1)]
