"""Records, fits, predicts: the whole calibration."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tlcourse.calibration.fitting import STEPS, Aim, Fitter, Loss, row_loss
from tlcourse.calibration.recordings import Kernels, Recorded, record_rows
from tlcourse.calibration.report import ALL, Calibration, LeftOut, families_of
from tlcourse.calibration.results import Predicted, errors_of, pairs_of, predict
from tlcourse.calibration.roofline import STREAMING, Roofline, fit_roofline, moved_bytes
from tlcourse.calibration.rows import Row, read_rows
from tlcourse.config import read_config

# Instructions that the kernels of one family may have the fit time again and again.
_MOST_EFFORT = 100_000

Say = Callable[[str], None]


def calibrate(
    data: Path,
    kernels: Path,
    *,
    fits: bool = True,
    leaves_out: bool = True,
    say: Say = lambda line: None,
) -> Calibration:
    """Fits the constants to a file of measured times and predicts all its rows.

    Args:
        data: the measurements.
        kernels: the folder with the kernels and their table.
        fits: choose the constants; else those of the chips are judged as they are.
        leaves_out: also fit without each family in turn and predict that one.
        say: takes lines on what is going on.

    Raises:
        TL760: a file is missing or is no such table.
        TL761: a kernel of the table is missing.
    """
    rows = read_rows(data, kernels)
    recorded: dict[str, Recorded] = {}
    for one in record_rows(rows, Kernels(kernels)):
        recorded[one.stand.key] = one
        say(f"recorded {one.stand.factory} {dict(one.stand.parameters)}")
    families = families_of(rows)
    looked_at = {family: _sample(rows, recorded, family) for family in families}
    fitter = Fitter(_losses(rows, recorded, looked_at), say=say)
    values = fitter.fit(families) if fits else {}
    predicted = predict(rows, recorded, values)
    roofline, baseline = _baseline(predicted, recorded)
    return Calibration(
        data=data.name,
        backend=read_config().backend,
        rows=rows,
        predicted=predicted,
        values=values,
        steps=STEPS,
        fitted_kernels=(sum(map(len, looked_at.values())), len(recorded)),
        pairs=pairs_of(predicted),
        roofline=roofline,
        baseline=errors_of(baseline),
        left_out=_without_each(rows, recorded, families, fitter, say) if leaves_out else (),
    )


def _sample(rows: Sequence[Row], recorded: Mapping[str, Recorded], family: str) -> list[str]:
    """Kernels of a family that the fit looks at: evenly spread, so many as do not take long."""
    keys = list(
        dict.fromkeys(
            row.stand.key
            for row in rows
            if row.stand is not None and not row.stand.described and row.family == family
        )
    )
    for few in range(len(keys), 1, -1):
        some = [keys[place * len(keys) // few] for place in range(few)]
        if sum(recorded[key].effort for key in some) <= _MOST_EFFORT:
            return some
    return keys[:1]


def _losses(
    rows: Sequence[Row], recorded: Mapping[str, Recorded], looked_at: Mapping[str, Sequence[str]]
) -> Callable[[Sequence[str], Aim], Loss]:
    """The mean loss of the rows of some families, as a function of the constants."""

    def over(families: Sequence[str], looks_at: Aim) -> Loss:
        by_key: dict[str, list[Row]] = {}
        for row in rows:
            if row.stand is not None and row.family in families:
                by_key.setdefault(row.stand.key, []).append(row)
        keys = [key for family in families for key in looked_at[family]]
        each = _time_losses if looks_at == "times" else _pipe_losses

        def loss(values: Mapping[str, float]) -> float:
            losses = [x for key in keys for x in each(by_key[key], recorded[key], values)]
            return sum(losses) / max(len(losses), 1)

        return loss

    return over


def _time_losses(
    rows: Sequence[Row], recorded: Recorded, values: Mapping[str, float]
) -> list[float]:
    predicted = recorded.microseconds(values)
    return [row_loss(predicted, row.measured_us) for row in rows]


def _pipe_losses(
    rows: Sequence[Row], recorded: Recorded, values: Mapping[str, float]
) -> list[float]:
    busy = [row.vector_us for row in rows if row.vector_us is not None]
    if not busy:
        return []
    predicted = recorded.vector_us(values)
    return [abs(math.log(predicted / measured)) for measured in busy]


def _baseline(
    predicted: Sequence[Predicted], recorded: Mapping[str, Recorded]
) -> tuple[Roofline, list[Predicted]]:
    streams = [p.row for p in predicted if p.row.family in STREAMING]
    moved = [
        (moved_bytes(recorded[row.stand.key]), row) for row in streams if row.stand is not None
    ]
    line = fit_roofline([(size, row.measured_us) for size, row in moved])
    return line, [Predicted(row=row, microseconds=line.microseconds(size)) for size, row in moved]


def _without_each(
    rows: Sequence[Row],
    recorded: Mapping[str, Recorded],
    families: Sequence[str],
    fitter: Fitter,
    say: Say,
) -> tuple[LeftOut, ...]:
    found: list[LeftOut] = []
    everything: list[Predicted] = []
    for family in families:
        others = [name for name in families if name != family]
        values = fitter.fit(others)
        own = predict([row for row in rows if row.family == family], recorded, values)
        found.append(LeftOut(family=family, errors=errors_of(own)))
        everything.extend(own)
        say(f"without {family}: median {found[-1].errors.median:.1%}")
    return (*found, LeftOut(family=ALL, errors=errors_of(everything)))
