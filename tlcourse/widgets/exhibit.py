"""What the pass explorer shows at one moment: one compile or two, switches, an error."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from tlcourse.live import PassMeasure, SwitchState
from tlcourse.records import PassTrace
from tlcourse.widgets.align import match
from tlcourse.widgets.diff import Memo, Row, diff_texts
from tlcourse.widgets.labels import Language
from tlcourse.widgets.steps import Step, steps

SwitchPairs = tuple[tuple[SwitchState, SwitchState], ...]

# What a compile was asked for stands in its text too, which says nothing of what it did.
_CONFIGS = re.compile(r"tl\.pass_configs = \{[^}]*\}")


@dataclass(frozen=True, kw_only=True)
class Track:
    """One compile of a kernel.

    Args:
        title: what tells it from the other one.
        trace: its passes.
        measures: what was measured of them, in the order of the passes that ran.
    """

    title: str
    trace: PassTrace
    measures: tuple[PassMeasure, ...] = ()

    @cached_property
    def memo(self) -> Memo:
        """The lines of its texts taken apart."""
        return Memo()

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Its passes with their differences, made once."""
        return steps(self.trace, self.memo)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One pass in both compiles.

    Args:
        first: its place in the first one, -1 where it does not run there.
        second: its place in the second one, -1 where it does not run there.
        rows: what differs between the IR after it; empty where nothing does.
    """

    first: int
    second: int
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """All that is on screen.

    Args:
        tracks: the original compile, then the one beside it if there is one.
        language: of the words around it.
        switches: each switch of the original compile and of the last one; empty where nothing
            can be compiled again.
        first_shown: the track that a viewer shows when it gets this.
        failure: the error of the last compile, as text.
        notes: warnings of the last compile, as text.
    """

    tracks: tuple[Track, ...]
    language: Language = "en"
    switches: SwitchPairs = ()
    first_shown: int = 0
    failure: str = ""
    notes: tuple[str, ...] = ()

    @property
    def trace(self) -> PassTrace:
        """The original compile."""
        return self.tracks[0].trace

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The passes of both compiles side by side, by name and order."""
        return _paired(self.tracks[0], self.tracks[1]) if len(self.tracks) > 1 else ()


def exhibit(trace: PassTrace, language: Language = "en") -> Exhibit:
    """One compile alone."""
    return Exhibit(tracks=(Track(title="", trace=trace),), language=language)


def _paired(first: Track, second: Track) -> tuple[Pair, ...]:
    names = [[one.snapshot.pass_name for one in track.steps] for track in (first, second)]
    memo = first.memo
    known: dict[tuple[str, str], tuple[Row, ...]] = {}
    pairs: list[Pair] = []
    i = j = 0
    for i_end, j_end in [*match(names[0], names[1]), (len(names[0]), len(names[1]))]:
        pairs += [Pair(first=k, second=-1) for k in range(i, i_end)]
        pairs += [Pair(first=-1, second=k) for k in range(j, j_end)]
        if i_end < len(names[0]):
            texts = first.steps[i_end].after, second.steps[j_end].after
            if texts not in known:
                known[texts] = diff_texts(*texts, memo) if _differ(*texts) else ()
            pairs.append(Pair(first=i_end, second=j_end, rows=known[texts]))
        i, j = i_end + 1, j_end + 1
    return tuple(pairs)


def _differ(first: str, second: str) -> bool:
    return first != second and _CONFIGS.sub("", first) != _CONFIGS.sub("", second)
