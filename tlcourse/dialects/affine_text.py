"""Affine maps as MLIR writes them: parentheses only where they bind, minus for negative factors."""

from __future__ import annotations

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
    AffineMap,
)

_ADD, _MUL = AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul


def map_text(affine_map: AffineMap) -> str:
    """A map, for example `(d0)[s0] -> (d0 floordiv 4 + s0)`."""
    dims = ", ".join(f"d{number}" for number in range(affine_map.num_dims))
    symbols = ", ".join(f"s{number}" for number in range(affine_map.num_symbols))
    results = ", ".join(expression_text(result) for result in affine_map.results)
    return f"({dims}){f'[{symbols}]' if symbols else ''} -> ({results})"


def expression_text(expression: AffineExpr, *, inside: bool = False) -> str:
    """An expression; in parentheses if it stands inside a product or quotient and needs them."""
    if not isinstance(expression, AffineBinaryOpExpr):
        return str(expression)
    text = _sum(expression) if expression.kind is _ADD else _product(expression)
    return f"({text})" if inside else text


def _product(expression: AffineBinaryOpExpr) -> str:
    left = expression_text(expression.lhs, inside=True)
    if expression.kind is _MUL and _number(expression.rhs) == -1:
        return f"-{left}"
    right = expression_text(expression.rhs, inside=True)
    return f"{left} {expression.kind.get_token()} {right}"


def _sum(expression: AffineBinaryOpExpr) -> str:
    left, right = expression_text(expression.lhs), expression.rhs
    number = _number(right)
    if number is not None and number < 0:
        return f"{left} - {-number}"
    if isinstance(right, AffineBinaryOpExpr) and right.kind is _MUL:
        factor = _number(right.rhs)
        if factor == -1:
            is_sum = isinstance(right.lhs, AffineBinaryOpExpr) and right.lhs.kind is _ADD
            return f"{left} - {expression_text(right.lhs, inside=is_sum)}"
        if factor is not None and factor < -1:
            return f"{left} - {expression_text(right.lhs, inside=True)} * {-factor}"
    return f"{left} + {expression_text(right)}"


def _number(expression: AffineExpr) -> int | None:
    return expression.value if isinstance(expression, AffineConstantExpr) else None
