"""What ops on numbers mean. A tensor op means the same for each element, so one table does."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np

Meaning = Callable[..., Any]


def _sigmoid(value: Any) -> Any:
    one = value.dtype.type(1)
    return one / (one + np.exp(-value))


def _select(chosen: Any, yes: Any, no: Any) -> Any:
    return yes if chosen else no


def clamp(value: Any, least: float, most: float) -> Any:
    """Each element moved into a range; NaN stays NaN."""
    return np.maximum(np.minimum(value, most), least)


def _table(rows: list[tuple[str, Meaning]]) -> MappingProxyType[str, Meaning]:
    return MappingProxyType({name: run for names, run in rows for name in names.split()})


MEANINGS = _table(
    [
        ("tosa.add arith.addf arith.addi llvm.fadd llvm.add", np.add),
        ("tosa.sub arith.subf arith.subi llvm.fsub llvm.sub", np.subtract),
        ("tosa.mul arith.mulf arith.muli llvm.fmul llvm.mul", np.multiply),
        ("arith.divf llvm.fdiv", np.divide),
        ("arith.negf llvm.fneg", np.negative),
        ("tosa.maximum arith.maximumf llvm.intr.maximum", np.maximum),
        ("tosa.minimum arith.minimumf llvm.intr.minimum", np.minimum),
        ("arith.maxnumf llvm.intr.maxnum", np.fmax),
        ("arith.minnumf llvm.intr.minnum", np.fmin),
        ("tosa.exp math.exp llvm.intr.exp", np.exp),
        ("tosa.abs math.absf llvm.intr.fabs", np.abs),
        ("tosa.sin math.sin llvm.intr.sin", np.sin),
        ("tosa.cos math.cos llvm.intr.cos", np.cos),
        ("math.sqrt llvm.intr.sqrt", np.sqrt),
        ("tosa.reciprocal", np.reciprocal),
        ("tosa.sigmoid", _sigmoid),
        ("tosa.matmul", np.matmul),
        ("arith.select llvm.select", _select),
        ("arith.andi llvm.and", np.bitwise_and),
        ("arith.ori llvm.or", np.bitwise_or),
    ]
)
"""Name of an op to a function of its operands."""

CASTS = frozenset("arith.index_cast arith.extf arith.truncf arith.sitofp".split())
"""Ops that give a number another type."""

_ORDERS: tuple[Meaning, ...] = (
    np.equal,
    np.not_equal,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
)


def compare_integers(predicate: int) -> Meaning | None:
    """The meaning of a predicate of `arith.cmpi` or `llvm.icmp`; None for the unsigned ones."""
    return _ORDERS[predicate] if predicate < len(_ORDERS) else None


# Of predicates of floats in MLIR's order: relation of two numbers.
_FLOAT_ORDERS: tuple[Meaning, ...] = (
    np.equal,
    np.greater,
    np.greater_equal,
    np.less,
    np.less_equal,
    np.not_equal,
)
_ORDERED, _UNORDERED, _ALWAYS = 7, 14, 15


def compare_floats(predicate: int) -> Meaning:
    """The meaning of a predicate of `arith.cmpf` or `llvm.fcmp`: 0 false, 1 to 6 ordered, .."""

    def run(left: Any, right: Any) -> Any:
        unordered = bool(np.isnan(left) or np.isnan(right))
        if predicate in (0, _ALWAYS):
            return np.bool_(predicate == _ALWAYS)
        if predicate in (_ORDERED, _UNORDERED):
            return np.bool_(unordered is (predicate == _UNORDERED))
        if unordered:
            return np.bool_(predicate > _ORDERED)
        return np.bool_(_FLOAT_ORDERS[(predicate - 1) % _ORDERED](left, right))

    return run
