"""Predicted beside measured: errors of rows and of families, and the order of variants."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tlcourse.calibration.fitting import SMALL_US
from tlcourse.calibration.recordings import Recorded
from tlcourse.calibration.rows import Row

NEAR_US = 1.5
_CLEAR = 1.1
"""Two measured times differ clearly when one is more than 10 % larger."""


@dataclass(frozen=True, kw_only=True)
class Predicted:
    """A row with its prediction."""

    row: Row
    microseconds: float

    @property
    def is_small(self) -> bool:
        """Measured below 15 us."""
        return self.row.measured_us < SMALL_US

    @property
    def error(self) -> float:
        """Relative, 0.1 is 10 % too long."""
        return self.microseconds / self.row.measured_us - 1

    @property
    def is_near(self) -> bool:
        """Off by 1.5 us at most."""
        return abs(self.microseconds - self.row.measured_us) <= NEAR_US


@dataclass(frozen=True, kw_only=True)
class Errors:
    """How far the predictions of some rows are off.

    Args:
        large: rows of 15 us and more; `median`, `ninetieth` and `bias` are theirs, as shares.
        small: rows below.
        near: of these, those that are off by 1.5 us at most.
    """

    large: int
    median: float
    ninetieth: float
    bias: float
    small: int
    near: int


def errors_of(predicted: Iterable[Predicted]) -> Errors:
    """The errors of some rows."""
    rows = list(predicted)
    large = [p.error for p in rows if not p.is_small]
    sizes = sorted(map(abs, large))
    small = [p for p in rows if p.is_small]
    return Errors(
        large=len(large),
        median=statistics.median(sizes) if sizes else 0.0,
        ninetieth=quantile(sizes, 0.9) if sizes else 0.0,
        bias=statistics.median(large) if large else 0.0,
        small=len(small),
        near=sum(p.is_near for p in small),
    )


def quantile(sizes: Sequence[float], part: float) -> float:
    """The value below which a part of sorted values lies, with straight lines in between."""
    place = part * (len(sizes) - 1)
    low = int(place)
    high = min(low + 1, len(sizes) - 1)
    return sizes[low] + (place - low) * (sizes[high] - sizes[low])


def predict(
    rows: Iterable[Row], recorded: Mapping[str, Recorded], values: Mapping[str, float]
) -> tuple[Predicted, ...]:
    """Predicts the rows that have a kernel; equal kernels are timed once.

    Args:
        rows: measured rows.
        recorded: by `Stand.key`.
        values: constants that differ from the table.
    """
    known: dict[str, float] = {}
    found: list[Predicted] = []
    for row in rows:
        if row.stand is None:
            continue
        key = row.stand.key
        if key not in known:
            known[key] = recorded[key].microseconds(values)
        found.append(Predicted(row=row, microseconds=known[key]))
    return tuple(found)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two variants of one kernel with clearly different measured times, the faster first."""

    fast: Predicted
    slow: Predicted

    @property
    def is_right(self) -> bool:
        """The prediction has the same order."""
        return self.fast.microseconds < self.slow.microseconds


def pairs_of(predicted: Iterable[Predicted]) -> tuple[Pair, ...]:
    """All pairs of variants, on the same shape and dtype, that differ by more than 10 %.

    Rows whose kernels are the same one here are no pair: they were measured apart.
    """
    by_case: dict[tuple[str, ...], list[Predicted]] = {}
    for one in predicted:
        row = one.row
        by_case.setdefault((row.family, _case(row.shape), row.dtype), []).append(one)
    pairs: list[Pair] = []
    for rows in by_case.values():
        for a, b in itertools.combinations(rows, 2):
            fast, slow = sorted((a, b), key=lambda p: p.row.measured_us)
            if fast.row.stand == slow.row.stand:
                continue
            if slow.row.measured_us > _CLEAR * fast.row.measured_us:
                pairs.append(Pair(fast=fast, slow=slow))
    return tuple(pairs)


def _case(shape: str) -> str:
    """A shape without the name that some rows put in front: `w2 780m: B=1` is `w2: B=1`."""
    name, colon, rest = shape.partition(":")
    return f"{name.split()[0]}:{rest}" if colon else shape
