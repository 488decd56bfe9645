"""The baseline: a roofline with four constants, fitted to the same streaming rows.

time = launch + the larger of all bytes over the rate of L2 and the missing ones over that of
HBM, where all bytes miss whose tensors do not fit L2 together. It knows no instructions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tlcourse.calibration.fitting import row_loss
from tlcourse.calibration.recordings import Recorded

STREAMING = ("lerp", "mean", "swiglu")
_LAUNCHES_US = tuple(x / 4 for x in range(4, 21))
_L2_GB_PER_S = tuple(range(1000, 4001, 100))
_HBM_GB_PER_S = tuple(range(900, 1601, 25))
_L2_MIB = tuple(range(32, 321, 16))


@dataclass(frozen=True, kw_only=True)
class Roofline:
    """The four constants."""

    launch_us: float
    l2_gb_per_s: float
    hbm_gb_per_s: float
    l2_mib: float

    def microseconds(self, moved: int) -> float:
        """The time of a kernel that moves so many bytes."""
        rate = self.l2_gb_per_s if moved <= self.l2_mib * 2**20 else self.hbm_gb_per_s
        return self.launch_us + moved / rate / 1000


def moved_bytes(recorded: Recorded) -> int:
    """What a launch moves through GM."""
    return sum(use.moved_bytes for use in recorded.whole.tensors)


def fit_roofline(rows: Sequence[tuple[int, float]]) -> Roofline:
    """The best of a grid of constants.

    Args:
        rows: bytes and measured microseconds.
    """
    best: tuple[float, Roofline] | None = None
    for l2_mib in _L2_MIB:
        near = [row for row in rows if row[0] <= l2_mib * 2**20]
        far = [row for row in rows if row[0] > l2_mib * 2**20]
        for launch in _LAUNCHES_US:
            l2_loss, l2 = _best_rate(near, launch, _L2_GB_PER_S)
            hbm_loss, hbm = _best_rate(far, launch, _HBM_GB_PER_S)
            if best is None or l2_loss + hbm_loss < best[0]:
                line = Roofline(launch_us=launch, l2_gb_per_s=l2, hbm_gb_per_s=hbm, l2_mib=l2_mib)
                best = l2_loss + hbm_loss, line
    assert best is not None, "the grid is not empty"
    return best[1]


def _best_rate(
    rows: Sequence[tuple[int, float]], launch: float, rates: Sequence[int]
) -> tuple[float, int]:
    losses = (
        (sum(row_loss(launch + moved / rate / 1000, time) for moved, time in rows), rate)
        for rate in rates
    )
    return min(losses)
