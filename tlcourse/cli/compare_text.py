"""What `tlcourse ir --compare` prints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tlcourse.jit.comparing import compare_back_halves
from tlcourse.jit.inspect import load_kernel
from tlcourse.pipeline.comparison import Comparison, Effect, Row

# So many lines of a difference are shown where all passes are.
_SHOWN_LINES = 12
_MEMORIES = {"ub": "UB", "cbuf": "L1", "cc": "L0C"}


def compared(
    path: Path, kernel: str | None, pass_name: str | None, configs: Mapping[str, str]
) -> Comparison:
    """A kernel of a file in both back halves; errors as `load_kernel` and the two compilers."""
    found = load_kernel(path, kernel, pass_configs=configs)
    return compare_back_halves(found, only=pass_name)


def comparison_lines(found: Comparison, *, whole: bool) -> list[str]:
    """A comparison as lines: each pass, its counts on both sides, and how the modules differ.

    Args:
        found: the comparison.
        whole: show every line of the differences.
    """
    lines: list[str] = []
    for row in found.rows:
        lines += [*_row_lines(row), *_diff_lines(row, whole=whole), ""]
    return [*lines, _summary(found)]


def _row_lines(row: Row) -> list[str]:
    sides = (("embedded", row.embedded), ("real", row.real))
    told = [f"  {name:9} {_effect(effect)}" for name, effect in sides]
    return [f"----- {row.pass_name}: {_verdict(row)} -----", *told]


def _verdict(row: Row) -> str:
    if row.embedded is None:
        return "real only"
    if row.real is None:
        return "embedded only"
    return "the same after it" if row.same else "differs after it"


def _effect(effect: Effect | None) -> str:
    if effect is None:
        return "does not have it here"
    changes = " ".join(f"{name} {count:+d}" for name, count in effect.ops.items())
    did = changes or ("same ops, other text" if effect.changed else "no change")
    after = effect.after
    holds = (
        f"then {after.flags} flags, {after.barriers} barriers, {after.cross_flags} cross-core "
        f"flags, {after.buffers} buffers"
    )
    peaks = _peaks(after.peak_bytes)
    return f"{did}; {holds}{f'; {peaks}' if peaks else ''}"


def _peaks(peak_bytes: Mapping[str, int]) -> str:
    return ", ".join(
        f"{_MEMORIES.get(space, space)} {count:,} B" for space, count in peak_bytes.items()
    )


def _diff_lines(row: Row, *, whole: bool) -> list[str]:
    lines = [f"  {line}" for line in row.diff]
    if whole or len(lines) <= _SHOWN_LINES:
        return lines
    rest = len(lines) - _SHOWN_LINES
    return [*lines[:_SHOWN_LINES], f"  .. {rest} more lines: --pass {row.pass_name}"]


def _summary(found: Comparison) -> str:
    both = [row for row in found.rows if row.embedded and row.real]
    ours = sum(row.real is None for row in found.rows)
    theirs = sum(row.embedded is None for row in found.rows)
    passes = "pass" if len(both) == 1 else "passes"
    return (
        f"{found.kernel}, {found.mode} mode: {len(both)} {passes} in both, the same after "
        f"{sum(row.same for row in both)}; {ours} embedded only, {theirs} real only "
        "(those that changed something)"
    )
