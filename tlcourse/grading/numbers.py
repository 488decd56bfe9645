"""The numeric rule: an error bound per element with a reason, and words for what is wrong.

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

_EPS = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24}
_FACTOR = {"float16": 2.0, "bfloat16": 2.0, "float32": 4.0}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """How a result compares with its reference.

    Args:
        ok: whether every rule holds.
        wrong: how many elements break the per-element rule.
        total: elements in all.
        worst: largest error in units of its limit; at most 1 where the rule holds.
        first: index of the first wrong element.
        got: value there.
        want: reference there.
        where: which elements are wrong, in words.
        rule: the rule that broke, with its number against its limit; empty where ok.
    """

    ok: bool
    wrong: int
    total: int
    worst: float
    first: tuple[int, ...] = ()
    got: float = 0.0
    want: float = 0.0
    where: str = ""
    rule: str = ""


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
    eps = _EPS.get(dtype, 0.0)
    limit = _FACTOR.get(dtype, 0.0) * eps * scale.abs().expand_as(reference)
    error = (result.double() - reference).abs()
    same = result.double() == reference  # infinities of one sign
    both_nan = result.double().isnan() & reference.isnan()
    # `not <=` rather than `>`: a NaN in the result must count as wrong.
    bad = ~((error <= limit) | same | both_nan)
    if bad.any():
        return _per_element(result, reference, limit, bad)
    if dtype in ("float16", "bfloat16"):
        return _frobenius(result, reference, limit, eps)
    return Comparison(ok=True, wrong=0, total=bad.numel(), worst=_worst(error, limit))


def _per_element(
    result: torch.Tensor, reference: torch.Tensor, limit: torch.Tensor, bad: torch.Tensor
) -> Comparison:
    first = tuple(int(index) for index in bad.nonzero()[0])
    worst = _worst((result.double() - reference).abs(), limit)
    return Comparison(
        ok=False,
        wrong=int(bad.sum()),
        total=bad.numel(),
        worst=worst,
        first=first,
        got=result[first].item(),
        want=reference[first].item(),
        where=pattern(result, reference, bad),
        rule=f"largest error {worst:.2g} x its limit",
    )


def _frobenius(
    result: torch.Tensor, reference: torch.Tensor, limit: torch.Tensor, eps: float
) -> Comparison:
    difference = result.double() - reference
    finite = difference.isfinite()
    norm = _norm(reference[finite])
    relative = _norm(difference[finite]) / norm if norm else 0.0
    return Comparison(
        ok=relative <= eps,
        wrong=0,
        total=difference.numel(),
        worst=_worst(difference.abs(), limit),
        where="every element is a little off" if relative > eps else "",
        rule=f"relative error {relative:.1e} against {eps:.1e}" if relative > eps else "",
    )


def _norm(values: torch.Tensor) -> float:
    return float(values.square().sum().sqrt())


def _worst(error: torch.Tensor, limit: torch.Tensor) -> float:
    ratio = torch.where(error == 0, torch.zeros_like(error), error / limit)
    finite = ratio[ratio.isfinite()]
    if finite.numel() < ratio.numel():
        return float("inf")
    return float(finite.max()) if finite.numel() else 0.0


def pattern(result: torch.Tensor, reference: torch.Tensor, bad: torch.Tensor) -> str:
    """Which elements are wrong, in a learner's words."""
    if _is_transposed(result, reference):
        return "the result is transposed"
    if bad.all():
        return _all_wrong(result, reference)
    if result.dim() != 2:
        return f"{int(bad.sum())} of {bad.numel()} elements are wrong"
    return _rows_or_columns(bad)


def _all_wrong(result: torch.Tensor, reference: torch.Tensor) -> str:
    if result.isnan().all():
        return "every element is NaN: nothing was written there"
    if (result == 0).all():
        return "every element is 0"
    ratio = result.double() / reference
    finite = ratio[ratio.isfinite()]
    if finite.numel() and float(finite.std(correction=0)) < 1e-3 * abs(float(finite.mean())):
        return f"every element is {float(finite.mean()):.3g} times what it should be"
    return "every element is wrong"


def _is_transposed(result: torch.Tensor, reference: torch.Tensor) -> bool:
    square = result.dim() == 2 and result.shape[0] == result.shape[1] > 1
    return square and torch.allclose(result.double(), reference.T, rtol=1e-2, atol=1e-2)


def _rows_or_columns(bad: torch.Tensor) -> str:
    rows, columns = bad.any(dim=1), bad.any(dim=0)
    row_count, column_count = bad.shape
    if columns.all() or bool(bad[rows].all()):
        words = _run(rows, "row")
        if words and not rows.all():
            return words
    if rows.all() or bool(bad[:, columns].all()):
        words = _run(columns, "column")
        if words and not columns.all():
            return words
    if _is_block(bad, rows, columns):
        first_row, last_row = _ends(rows)
        first_column, last_column = _ends(columns)
        return (
            f"one block is wrong: rows {first_row} to {last_row}, "
            f"columns {first_column} to {last_column}"
        )
    return f"{int(bad.sum())} of {row_count * column_count} elements are wrong"


def _run(lines: torch.Tensor, word: str) -> str:
    """Words for the wrong lines where they form a run or every second line."""
    count = int(lines.sum())
    first, last = _ends(lines)
    if count == last - first + 1:
        if last == lines.numel() - 1:
            return f"the last {count} {word}s are wrong, from {word} {first} on"
        return f"{word}s {first} to {last} are wrong"
    if count > 1 and bool(lines[first : last + 1 : 2].all()) and count == (last - first) // 2 + 1:
        return f"every second {word} is wrong, from {word} {first} on"
    return ""


def _is_block(bad: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> bool:
    first_row, last_row = _ends(rows)
    first_column, last_column = _ends(columns)
    return bool(bad[first_row : last_row + 1, first_column : last_column + 1].all())


def _ends(lines: torch.Tensor) -> tuple[int, int]:
    wrong = lines.nonzero().flatten()
    return int(wrong[0]), int(wrong[-1])
