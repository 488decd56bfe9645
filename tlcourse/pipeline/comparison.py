"""The embedded passes beside the real compiler's, stage by stage, aligned by the passes' names."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

from tlcourse.dialects.normal_form import normal_form
from tlcourse.pipeline.figures import Figures, figures
from tlcourse.pipeline.value_names import in_names_of

# Clean-ups run many times in both; they must not decide what lies beside what.
_CLEAN_UPS = ("canonicalize", "cse", "convert-arith-to-affine", "memref-dse", "scf-")
# The two tools write the frame of a module in two ways.
_FRAME = ("builtin.", "func.")
_WEIGHT, _CLEAN_UP_WEIGHT = 100, 1


@dataclass(frozen=True, kw_only=True)
class Stage:
    """The module before and after one pass, as text."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What a pass did.

    Args:
        changed: whether the module is another one, by normal form.
        ops: by how many ops of a kind the module grew or shrank; kinds that did not are left out.
        after: what the module holds then.
    """

    changed: bool
    ops: Mapping[str, int]
    after: Figures


@dataclass(frozen=True, kw_only=True)
class Row:
    """One pass in both pipelines, or in one of them.

    Args:
        pass_name: upstream's name.
        embedded: what ours did; None where the embedded pipeline does not have the pass there.
        real: the same of the real one.
        diff: how the modules after it differ: lines of a unified diff from embedded to real, by
            normal form, with the values of the real one in our names where the lines are alike.
            Empty where they are the same, or only one has the pass.
    """

    pass_name: str
    embedded: Effect | None
    real: Effect | None
    diff: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether both have the pass and the modules after it say the same."""
        return self.embedded is not None and self.real is not None and not self.diff


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A kernel in both back halves; passes that one has alone are there if they did something."""

    schema: ClassVar[str] = "tlcourse.Comparison/1"
    kernel: str
    mode: str
    rows: tuple[Row, ...]


def stages_of(start: str, named: Sequence[tuple[str, str]]) -> list[Stage]:
    """Stages from texts after passes; neighbours of one name are one stage.

    Args:
        start: the module before the first pass.
        named: names and texts in order.
    """
    found: list[Stage] = []
    before = start
    for name, group in groupby(named, key=lambda one: one[0]):
        after = list(group)[-1][1]
        found.append(Stage(name=name, before=before, after=after))
        before = after
    return found


def compare_stages(
    embedded: Sequence[Stage], real: Sequence[Stage], *, only: str | None = None
) -> tuple[Row, ...]:
    """Lays two pipelines beside each other.

    Args:
        embedded: our stages.
        real: the real compiler's.
        only: the name of the one pass that is wanted; None takes all.
    """
    cache: dict[str, str] = {}

    def normal(text: str) -> str:
        if text not in cache:
            cache[text] = normal_form(text)
        return cache[text]

    rows: list[Row] = []
    for ours, theirs in _aligned(embedded, real):
        name = (ours or theirs or embedded[0]).name
        if only in (None, name):
            rows.append(_row(name, ours, theirs, normal))
    return tuple(row for row in rows if _says_something(row))


def _says_something(row: Row) -> bool:
    sides = [side for side in (row.embedded, row.real) if side is not None]
    return len(sides) == 2 or any(side.changed for side in sides)


def _row(name: str, ours: Stage | None, theirs: Stage | None, normal: Callable[[str], str]) -> Row:
    diff: tuple[str, ...] = ()
    if ours and theirs:
        left, right = (normal(stage.after).splitlines() for stage in (ours, theirs))
        if left != right:
            right = in_names_of(left, right)
        diff = tuple(difflib.unified_diff(left, right, "embedded", "real", n=1, lineterm=""))
    return Row(
        pass_name=name, embedded=_effect(ours, normal), real=_effect(theirs, normal), diff=diff
    )


def _effect(stage: Stage | None, normal: Callable[[str], str]) -> Effect | None:
    if stage is None:
        return None
    before, after = figures(stage.before), figures(stage.after)
    names = sorted(one for one in {*before.ops, *after.ops} if not one.startswith(_FRAME))
    deltas = {name: after.ops.get(name, 0) - before.ops.get(name, 0) for name in names}
    changed = stage.before != stage.after and normal(stage.before) != normal(stage.after)
    return Effect(changed=changed, ops={k: n for k, n in deltas.items() if n}, after=after)


def _aligned(
    left: Sequence[Stage], right: Sequence[Stage]
) -> list[tuple[Stage | None, Stage | None]]:
    """The heaviest common subsequence of names, with the rest of both between."""
    best = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            both = best[i + 1][j + 1] + _weight(left[i]) if _pair(left[i], right[j]) else 0
            best[i][j] = max(both, best[i + 1][j], best[i][j + 1])
    rows: list[tuple[Stage | None, Stage | None]] = []
    i = j = 0
    while i < len(left) or j < len(right):
        here = best[i][j]
        if i < len(left) and j < len(right) and _pair(left[i], right[j]):
            if here == best[i + 1][j + 1] + _weight(left[i]):
                rows.append((left[i], right[j]))
                i, j = i + 1, j + 1
                continue
        if i < len(left) and (j == len(right) or here == best[i + 1][j]):
            rows.append((left[i], None))
            i += 1
        else:
            rows.append((None, right[j]))
            j += 1
    return rows


def _pair(left: Stage, right: Stage) -> bool:
    return left.name == right.name


def _weight(stage: Stage) -> int:
    return _CLEAN_UP_WEIGHT if stage.name.startswith(_CLEAN_UPS) else _WEIGHT
