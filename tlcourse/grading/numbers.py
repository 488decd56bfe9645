"""The numeric rule: an error bound per element that has a reason.

A result y is accepted where |y - r| <= c * eps * S: r is the reference in float64 from the
rounded inputs, eps the unit roundoff of the output's dtype, S the magnitude that rounding
errors scale with. c is 2 for 16-bit and 4 for 32-bit floats with float32 accumulation
(measured: correct kernels need at most 1.6, the mutants of the course at least 18). Results
of 16 bits must also keep a relative Frobenius error of at most eps, which catches sums that
were kept in 16 bits. Integers are exact; NaN and infinity must stand where they belong.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from tlcourse.grading.pattern import pattern
from tlcourse.grading.words import Phrase

_EXPONENT = {"float16": -11, "bfloat16": -8, "float32": -24}
_FACTOR = {"float16": 2.0, "bfloat16": 2.0, "float32": 4.0}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """How a result compares with its reference.

    Args:
        ok: whether every rule holds.
        wrong: how many elements break the per-element rule.
        worst: largest error in units of its limit; at most 1 where the rule holds.
        first: index of the first wrong element.
        got: value there.
        want: reference there.
        only_nan: whether NaN stands in every wrong element.
        where: which elements are wrong.
        rule: the rule that broke, with its number against its limit; None for NaN or infinity.
    """

    ok: bool
    wrong: int
    worst: float
    first: tuple[int, ...] = ()
    got: float = 0.0
    want: float = 0.0
    only_nan: bool = False
    where: Phrase | None = None
    rule: Phrase | None = None


def compare(
    result: torch.Tensor, reference: torch.Tensor, scale: torch.Tensor, dtype: str
) -> Comparison:
    """Compares a result with its reference.

    Args:
        result: as the kernel wrote it.
        reference: float64, of the same shape.
        scale: S, float64, of a shape that broadcasts to it.
        dtype: TileLang dtype of the output.
    """
    eps = _eps(dtype)
    limit = _FACTOR.get(dtype, 0.0) * eps * scale.abs().expand_as(reference)
    value = result.double()
    error = (value - reference).abs()
    # `~(.. <= ..)` rather than `>`: a NaN in the result must count as wrong.
    bad = ~((error <= limit) | (value == reference) | (value.isnan() & reference.isnan()))
    if bad.any():
        return _per_element(value, reference, limit, bad)
    if dtype in ("float16", "bfloat16"):
        return _frobenius(value, reference, limit, eps)
    return Comparison(ok=True, wrong=0, worst=_worst(error, limit))


def limit_of(dtype: str, scale: str, why: str) -> Phrase:
    """The rule for an output in words.

    Args:
        dtype: TileLang dtype of the output.
        scale: the expression for S.
        why: where S comes from.
    """
    if dtype not in _FACTOR:
        return Phrase(key="limit exact")
    values = {"factor": _FACTOR[dtype], "exponent": _EXPONENT[dtype], "scale": scale, "why": why}
    return Phrase(key="limit", values=values)


def _eps(dtype: str) -> float:
    return 2.0 ** _EXPONENT[dtype] if dtype in _EXPONENT else 0.0


def _per_element(
    value: torch.Tensor, reference: torch.Tensor, limit: torch.Tensor, bad: torch.Tensor
) -> Comparison:
    first = tuple(int(index) for index in bad.nonzero()[0])
    worst = _worst((value - reference).abs(), limit)
    return Comparison(
        ok=False,
        wrong=int(bad.sum()),
        worst=worst,
        first=first,
        got=value[first].item(),
        want=reference[first].item(),
        only_nan=bool(value[bad].isnan().all()),
        where=pattern(value, reference, bad),
        rule=_how_far(worst),
    )


def _frobenius(
    value: torch.Tensor, reference: torch.Tensor, limit: torch.Tensor, eps: float
) -> Comparison:
    difference = value - reference
    finite = difference.isfinite()
    norm = _norm(reference[finite])
    relative = _norm(difference[finite]) / norm if norm else 0.0
    worst = _worst(difference.abs(), limit)
    if relative <= eps:
        return Comparison(ok=True, wrong=0, worst=worst)
    numbers = {"relative": f"{relative:.1e}", "limit": f"{eps:.1e}"}
    return Comparison(
        ok=False,
        wrong=0,
        worst=worst,
        where=Phrase(key="a little off"),
        rule=Phrase(key="frobenius", values=numbers),
    )


def _norm(values: torch.Tensor) -> float:
    return float(values.square().sum().sqrt())


def _worst(error: torch.Tensor, limit: torch.Tensor) -> float:
    """The largest error in units of its limit; errors that are no numbers count as infinite."""
    ratio = torch.where(error == 0, torch.zeros_like(error), error / limit)
    if not ratio.numel():
        return 0.0
    return float("inf") if not ratio.isfinite().all() else float(ratio.max())


def _how_far(worst: float) -> Phrase | None:
    """The error against its limit in two digits, as the last ones differ from CPU to CPU."""
    if worst == float("inf"):
        return None
    rounded = float(f"{worst:.2g}")
    text = f"{rounded:,.0f}" if 10 <= rounded < 1e6 else f"{rounded:.2g}"
    return Phrase(key="largest error", values={"worst": text})
