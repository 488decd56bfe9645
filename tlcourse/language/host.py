"""Python values as the kernel's text handles them before the kernel runs."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable, Mapping
from typing import cast

Combine = Callable[[object, object], object]
Apply = Callable[[object], object]


def _combine(name: str) -> Combine:
    return getattr(operator, name)


def _contains(item: object, container: object) -> bool:
    return operator.contains(cast("list[object]", container), item)


def _contains_not(item: object, container: object) -> bool:
    return not _contains(item, container)


# By the name of the syntax node: what Python does, through the operands' own methods.
BINARY: Mapping[str, Combine] = {
    "Add": _combine("add"),
    "Sub": _combine("sub"),
    "Mult": _combine("mul"),
    "Div": _combine("truediv"),
    "FloorDiv": _combine("floordiv"),
    "Mod": _combine("mod"),
    "Pow": _combine("pow"),
    "BitAnd": _combine("and_"),
    "BitOr": _combine("or_"),
    "BitXor": _combine("xor"),
    "LShift": _combine("lshift"),
    "RShift": _combine("rshift"),
}
COMPARE: Mapping[str, Combine] = {
    "Lt": _combine("lt"),
    "LtE": _combine("le"),
    "Gt": _combine("gt"),
    "GtE": _combine("ge"),
    "Eq": _combine("eq"),
    "NotEq": _combine("ne"),
    "Is": _combine("is_"),
    "IsNot": _combine("is_not"),
    "In": _contains,
    "NotIn": _contains_not,
}
UNARY: Mapping[str, Apply] = {
    "USub": getattr(operator, "neg"),
    "UAdd": getattr(operator, "pos"),
    "Invert": getattr(operator, "invert"),
}


def plain(value: object) -> object:
    """Numbers of other libraries, for example numpy's, as Python's own; others unchanged."""
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    return float(value) if isinstance(value, numbers.Real) else value


def item_of(owner: object, key: object) -> object:
    """`owner[key]`."""
    return cast("dict[object, object]", owner)[key]


def entries(value: object) -> tuple[object, ...]:
    """The entries of a tuple or list; anything else is its own only entry."""
    if is_sequence(value):
        return tuple(plain(entry) for entry in cast("list[object]", value))
    return (plain(value),)


def is_sequence(value: object) -> bool:
    """Whether a value is a tuple or list."""
    return isinstance(value, (tuple, list))
