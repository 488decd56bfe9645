from __future__ import annotations

from collections.abc import Callable

from tlcourse.records import PassTrace
from tlcourse.widgets.exhibit import Exhibit, Pair, Track, exhibit
from tlcourse.widgets.steps import steps

MakeTrace = Callable[..., PassTrace]


def beside(first: PassTrace, second: PassTrace) -> Exhibit:
    return Exhibit(tracks=(Track(title="a", trace=first), Track(title="b", trace=second)))


def test_one_compile_has_no_pairs(trace: PassTrace) -> None:
    shown = exhibit(trace)
    assert shown.pairs == ()
    assert shown.trace is trace
    assert shown.tracks[0].steps == steps(trace)


def test_equal_compiles_pair_without_a_difference(trace: PassTrace) -> None:
    pairs = beside(trace, trace).pairs
    assert pairs == tuple(Pair(first=k, second=k) for k in range(5))


def test_passes_pair_by_name_and_order(make_trace: MakeTrace) -> None:
    first = make_trace(
        ("tir", "input", "changed", "a.x"),
        ("tir", "cse", "changed", "a.y"),
        ("tir", "only", "changed", "a.z"),
        ("tir", "cse", "unchanged", "a.z"),
    )
    second = make_trace(
        ("tir", "input", "changed", "a.x"),
        ("tir", "cse", "changed", "a.y"),
        ("tir", "other", "unchanged", "a.y"),
        ("tir", "cse", "unchanged", "a.y"),
    )
    pairs = [(pair.first, pair.second, len(pair.rows)) for pair in beside(first, second).pairs]
    assert pairs == [(0, 0, 0), (1, 1, 0), (2, -1, 0), (-1, 2, 0), (3, 3, 2)]


def test_what_was_asked_for_is_no_difference(make_trace: MakeTrace) -> None:
    text = "module attributes {{tl.pass_configs = {{{0}}}}} {{\n  a.{1}\n}}"
    plain = make_trace(("tir", "input", "changed", text.format("", "x")))
    asked = make_trace(("tir", "input", "changed", text.format('n = "False"', "x")))
    other = make_trace(("tir", "input", "changed", text.format('n = "False"', "y")))
    assert beside(plain, asked).pairs[0].rows == ()
    assert [row.kind for row in beside(plain, other).pairs[0].rows].count("same") == 1
