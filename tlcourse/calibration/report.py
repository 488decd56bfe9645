"""The report of a calibration, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tlcourse.calibration.fitting import Step
from tlcourse.calibration.results import Errors, Pair, Predicted, errors_of
from tlcourse.calibration.roofline import STREAMING, Roofline
from tlcourse.calibration.rows import Row
from tlcourse.chips import constants

ALL = "all"
"""Stands for all rows in a table of families."""


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A family predicted with constants that were fitted without it."""

    family: str
    errors: Errors


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """All that a calibration found.

    Args:
        data: name of the file of measurements.
        backend: the back half whose output was recorded.
        rows: all rows.
        predicted: those with a kernel.
        values: constants that were chosen.
        steps: how they were chosen.
        fitted_kernels: kernels that the fit looked at, and all that there are.
        pairs: variants that differ clearly.
        roofline: the baseline.
        baseline: its errors on the streaming rows.
        left_out: each family predicted from the others; empty where that was not asked for.
    """

    data: str
    backend: str
    rows: tuple[Row, ...]
    predicted: tuple[Predicted, ...]
    values: Mapping[str, float]
    steps: Sequence[Step]
    fitted_kernels: tuple[int, int]
    pairs: tuple[Pair, ...]
    roofline: Roofline
    baseline: Errors
    left_out: tuple[LeftOut, ...] = ()


def markdown(found: Calibration, figure: str) -> str:
    """The report; `figure` is the name of the picture beside it."""
    parts = (
        _head(found, figure),
        _families(found),
        _beside_roofline(found),
        _left_out(found),
        _order(found),
        _constants(found),
        _all_rows(found),
        _without(found),
    )
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def summary(found: Calibration) -> list[str]:
    """The main figures in a few lines."""
    all_errors = errors_of(found.predicted)
    stream = errors_of(p for p in found.predicted if p.row.family in STREAMING)
    right = sum(pair.is_right for pair in found.pairs)
    lines = [
        f"rows with a kernel: {len(found.predicted)} of {len(found.rows)}",
        f"15 us and more: median {_percent(all_errors.median)}, 90 % of the rows within "
        f"{_percent(all_errors.ninetieth)} ({all_errors.large} rows)",
        f"below 15 us: {all_errors.near} of {all_errors.small} within 1.5 us",
        f"streams: median {_percent(stream.median)}, the fitted roofline "
        f"{_percent(found.baseline.median)}",
        f"order of variants: right in {right} of {len(found.pairs)} pairs",
    ]
    lines.extend(
        f"without {'its own family, all rows' if one.family == ALL else one.family}: "
        f"median {_percent(one.errors.median)}"
        for one in found.left_out
    )
    return lines


def _head(found: Calibration, figure: str) -> Iterator[str]:
    seen, every = found.fitted_kernels
    yield "# Calibration of the timing model"
    yield ""
    yield f"Made by `tlcourse calibrate` from `{found.data}`; the back half is {found.backend}."
    yield (
        f"The fit looked at {seen} of {every} kernels, at none whose source is only described; "
        "all are predicted below. Times are of one "
        "launch, without the host. Rows below 15 us are judged by their difference."
    )
    yield ""
    yield from (f"- {line}" for line in summary(found))
    yield ""
    yield f"![Predicted and measured times]({figure})"


def _families(found: Calibration) -> Iterator[str]:
    yield "## Errors by family"
    yield ""
    yield "| family | rows from 15 us | median | 90 % within | bias | rows below | within 1.5 us |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for family in dict.fromkeys(p.row.family for p in found.predicted):
        errors = errors_of(p for p in found.predicted if p.row.family == family)
        yield _errors_line(family, errors)
    yield _errors_line(ALL, errors_of(found.predicted))


def _errors_line(name: str, errors: Errors) -> str:
    large = (
        f"{_percent(errors.median)} | {_percent(errors.ninetieth)} | {errors.bias:+.1%}"
        if errors.large
        else "| |"
    )
    return f"| {name} | {errors.large} | {large} | {errors.small} | {errors.near} |"


def _beside_roofline(found: Calibration) -> Iterator[str]:
    line = found.roofline
    stream = errors_of(p for p in found.predicted if p.row.family in STREAMING)
    yield "## Beside a roofline"
    yield ""
    yield (
        f"A roofline with four constants, fitted to the same streaming rows: launch "
        f"{line.launch_us:g} us, L2 {line.l2_gb_per_s:g} GB/s up to {line.l2_mib:g} MiB, HBM "
        f"{line.hbm_gb_per_s:g} GB/s."
    )
    yield ""
    yield "| streaming rows | median | 90 % within | below 15 us within 1.5 us |"
    yield "|---|---:|---:|---:|"
    for name, errors in (("this model", stream), ("roofline", found.baseline)):
        yield (
            f"| {name} | {_percent(errors.median)} | {_percent(errors.ninetieth)} | "
            f"{errors.near} of {errors.small} |"
        )


def _left_out(found: Calibration) -> Iterator[str]:
    if not found.left_out:
        return
    yield "## One family left out"
    yield ""
    yield "Each family is predicted with constants that were fitted to the others alone. The last"
    yield "line takes all rows together, each predicted that way."
    yield ""
    yield "| family | rows from 15 us | median | 90 % within | bias | rows below | within 1.5 us |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for one in found.left_out:
        yield _errors_line(one.family, one.errors)


def _order(found: Calibration) -> Iterator[str]:
    right = sum(pair.is_right for pair in found.pairs)
    yield "## Order of variants"
    yield ""
    yield (
        f"Of {len(found.pairs)} pairs of variants of one kernel whose measured times differ by "
        f"more than 10 %, {right} are predicted in the right order."
    )
    wrong = [pair for pair in found.pairs if not pair.is_right]
    if wrong:
        yield ""
        yield "| faster | slower | shape | measured | predicted |"
        yield "|---|---|---|---:|---:|"
    for pair in wrong:
        fast, slow = pair.fast, pair.slow
        yield (
            f"| {_cell(fast.row.variant)} | {_cell(slow.row.variant)} | {_cell(fast.row.shape)} | "
            f"{fast.row.measured_us:,.2f} / {slow.row.measured_us:,.2f} | "
            f"{fast.microseconds:,.2f} / {slow.microseconds:,.2f} |"
        )


def _constants(found: Calibration) -> Iterator[str]:
    table = constants()
    yield "## Constants"
    yield ""
    yield "| step | constant | value | range |"
    yield "|---|---|---:|---|"
    for step in found.steps:
        for name in step.names:
            known = table[name]
            value = found.values.get(name, known.value)
            yield (
                f"| {step.title} | `{name}` | {value:g} {known.unit} | "
                f"{known.low:g} to {known.high:g} |"
            )


def _all_rows(found: Calibration) -> Iterator[str]:
    yield "## All rows"
    yield ""
    yield "| row | family | variant | shape | dtype | kernel, chip | measured us | predicted us | |"
    yield "|---:|---|---|---|---|---|---:|---:|---:|"
    for one in found.predicted:
        row = one.row
        assert row.stand is not None, "a predicted row has a kernel"
        cells = map(_cell, (row.variant, row.shape, row.dtype.split(" ")[0]))
        yield (
            f"| {row.number} | {row.family} | {' | '.join(cells)} | `{row.stand.factory}`, "
            f"{row.stand.chip} | {row.measured_us:,.2f} | {one.microseconds:,.2f} | "
            f"{one.error:+.1%} |"
        )


def _without(found: Calibration) -> Iterator[str]:
    left = [row for row in found.rows if row.stand is None]
    if not left:
        return
    yield "## Rows without a kernel"
    yield ""
    yield f"{len(left)} of {len(found.rows)} rows."
    yield ""
    yield "| row | kernel | variant | shape | measured us | why |"
    yield "|---:|---|---|---|---:|---|"
    for row in left:
        cells = " | ".join(map(_cell, (row.kernel, row.variant, row.shape)))
        yield f"| {row.number} | {cells} | {row.measured_us:,.2f} | {row.reason} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _percent(share: float) -> str:
    return f"{share:.1%}"


def families_of(rows: Iterable[Row]) -> tuple[str, ...]:
    """The families of the rows that have a kernel, in order."""
    return tuple(dict.fromkeys(row.family for row in rows if row.stand is not None))
