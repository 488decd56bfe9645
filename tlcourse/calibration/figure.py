"""The scatter figure of a calibration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tlcourse.calibration.fitting import SMALL_US
from tlcourse.calibration.results import Predicted

_BAND = 0.25


def draw(predicted: Sequence[Predicted], path: Path) -> None:
    """Draws predicted over measured times, one colour a family, into a PNG file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 5.2), dpi=90)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for family in dict.fromkeys(p.row.family for p in predicted):
        those = [p for p in predicted if p.row.family == family]
        axes.scatter(
            [p.row.measured_us for p in those],
            [p.microseconds for p in those],
            s=14,
            alpha=0.7,
            label=family,
        )
    times = [t for p in predicted for t in (p.row.measured_us, p.microseconds)]
    ends = [min(times) / 1.5, max(times) * 1.5]
    axes.plot(ends, ends, color="black", linewidth=0.8)
    for factor in (1 - _BAND, 1 + _BAND):
        axes.plot(ends, [end * factor for end in ends], color="grey", linewidth=0.6, linestyle="--")
    axes.axvline(SMALL_US, color="grey", linewidth=0.6, linestyle=":")
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends)
    axes.set_xlabel("measured, us")
    axes.set_ylabel("predicted, us")
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})
