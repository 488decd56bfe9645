"""Which elements of a result are wrong, as a person would say it: rows, columns, a block."""

from __future__ import annotations

import torch

from tlcourse.grading.words import Phrase


def pattern(result: torch.Tensor, reference: torch.Tensor, bad: torch.Tensor) -> Phrase:
    """Words for the wrong elements.

    Args:
        result: float64.
        reference: float64, of the same shape.
        bad: which elements are wrong; at least one is.
    """
    if _is_transposed(result, reference):
        return Phrase(key="transposed")
    # Where 0 is right, a missing factor or a result of zeros is right by chance.
    if bad[reference != 0].all() and (bad.all() or int(bad.sum()) > 1):
        return _all_wrong(result, reference, bad)
    found = _in_a_matrix(bad) if bad.dim() == 2 else None
    if bad.dim() == 1:
        found = _lines(bad, "element") if int(bad.sum()) > 1 else Phrase(key="element")
    return found or _some(bad)


def _all_wrong(result: torch.Tensor, reference: torch.Tensor, bad: torch.Tensor) -> Phrase:
    if result.isnan().all():
        return Phrase(key="all nan")
    if (result == 0).all():
        return Phrase(key="all zero")
    ratio = result / reference
    finite = ratio[ratio.isfinite()]
    if finite.numel() and float(finite.std(correction=0)) < 1e-3 * abs(float(finite.mean())):
        return Phrase(key="all scaled", values={"factor": f"{float(finite.mean()):.3g}"})
    return Phrase(key="all") if bad.all() else _some(bad)


def _some(bad: torch.Tensor) -> Phrase:
    """How many elements are wrong; one in twenty may be right by chance where all are meant."""
    wrong, total = int(bad.sum()), bad.numel()
    return Phrase(
        key="nearly all" if wrong * 20 >= total * 19 else "some",
        values={"wrong": wrong, "total": total},
    )


def _is_transposed(result: torch.Tensor, reference: torch.Tensor) -> bool:
    square = result.dim() == 2 and result.shape[0] == result.shape[1] > 1
    return square and torch.allclose(result, reference.T, rtol=1e-2, atol=1e-2)


def _in_a_matrix(bad: torch.Tensor) -> Phrase | None:
    rows, columns = bad.any(dim=1), bad.any(dim=0)
    if not rows.all() and bool(bad[rows].all()):
        return _lines(rows, "row") or _block(bad, rows, columns)
    if not columns.all() and bool(bad[:, columns].all()):
        return _lines(columns, "column") or _block(bad, rows, columns)
    # Rows or columns of which only parts are wrong still tell where to look.
    some_lines = _lines(rows, "row") if columns.all() and not rows.all() else None
    return some_lines or _block(bad, rows, columns) or _around_a_block(bad)


def _lines(wrong: torch.Tensor, word: str) -> Phrase | None:
    """Words for wrong lines that form a run, or every second line."""
    count = int(wrong.sum())
    first, last = _ends(wrong)
    values = {"first": first, "last": last, "count": count}
    plural = "" if count == 1 else "s"
    if count == last - first + 1:
        prefix = "last " if last == wrong.numel() - 1 else ""
        return Phrase(key=f"{prefix}{word}{plural}", values=values)
    if count == (last - first) // 2 + 1 and bool(wrong[first : last + 1 : 2].all()):
        return Phrase(key=f"second {word}", values=values)
    return None


def _block(bad: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> Phrase | None:
    first_row, last_row = _ends(rows)
    first_column, last_column = _ends(columns)
    if not bad[first_row : last_row + 1, first_column : last_column + 1].all():
        return None
    if (first_row, first_column) == (last_row, last_column):
        return Phrase(key="element")
    values = {
        "first_row": first_row,
        "last_row": last_row,
        "first_column": first_column,
        "last_column": last_column,
    }
    return Phrase(key="block", values=values)


def _around_a_block(bad: torch.Tensor) -> Phrase | None:
    """Words for a result that is right in its upper left corner only."""
    good = ~bad
    rows, columns = int(good.any(dim=1).sum()), int(good.any(dim=0).sum())
    if not good[:rows, :columns].all():
        return None
    return Phrase(key="outside block", values={"rows": rows, "columns": columns})


def _ends(lines: torch.Tensor) -> tuple[int, int]:
    wrong = lines.nonzero().flatten()
    return int(wrong[0]), int(wrong[-1])
