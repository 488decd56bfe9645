"""Sizes that are known at the launch only: `T.symbolic("M")` and arithmetic on it.

Outside a kernel a symbolic size is a text such as `(M + 63) // 64` (see `tlcourse.extents`);
inside it is an i32 scalar made from the kernel's symbol arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from xdsl.ir import SSAValue

from tlcourse import extents
from tlcourse.diagnostics import error
from tlcourse.language.builder import active, builder
from tlcourse.language.dtype_rules import INDEX
from tlcourse.language.host import plain
from tlcourse.language.scalar import Expr, Operand, binary, compare, to_expr

_SYMBOLS: Mapping[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}


class Symbolic(Operand):
    """A size that is known at the launch: a symbol or an expression over symbols."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def expr(self) -> Expr:
        """The size as an i32 scalar of the kernel."""
        return to_expr(_emit(extents.parse(self.text)), INDEX)

    def __add__(self, other: object) -> object:
        return _combine("+", self, other)

    def __radd__(self, other: object) -> object:
        return _combine("+", other, self)

    def __sub__(self, other: object) -> object:
        return _combine("-", self, other)

    def __rsub__(self, other: object) -> object:
        return _combine("-", other, self)

    def __mul__(self, other: object) -> object:
        return _combine("*", self, other)

    def __rmul__(self, other: object) -> object:
        return _combine("*", other, self)

    def __floordiv__(self, other: object) -> object:
        return _combine("//", self, other)

    def __rfloordiv__(self, other: object) -> object:
        return _combine("//", other, self)

    def __mod__(self, other: object) -> object:
        return _combine("%", self, other)

    def __rmod__(self, other: object) -> object:
        return _combine("%", other, self)

    def __neg__(self) -> object:
        return _combine("-", 0, self)

    def __eq__(self, other: object) -> object:
        if active() is not None:
            return compare("==", self, other)
        return isinstance(other, Symbolic) and other.text == self.text

    def __ne__(self, other: object) -> object:
        if active() is not None:
            return compare("!=", self, other)
        return not (isinstance(other, Symbolic) and other.text == self.text)

    def __bool__(self) -> bool:
        if active() is not None:
            return super().__bool__()
        raise _unknown(self.text)


def symbolic(name: str, dtype: str = "int32") -> Symbolic:
    """A size that is bound when the kernel is called, from the shapes of its tensors.

    Args:
        name: its name, a Python identifier.
        dtype: accepted for compatibility; sizes are int32.

    Raises:
        TL129: the name is no identifier.
    """
    if name.isidentifier() and name not in ("min", "max"):
        return Symbolic(name)
    raise error(
        "TL129",
        f"{name!r} cannot name a symbolic size",
        why="a symbol's name becomes a parameter of the kernel",
        fix='use letters, digits and _, for example T.symbolic("seq_len")',
    )


def dynamic(names: str, dtype: str = "int32") -> Symbolic | tuple[Symbolic, ...]:
    """Several symbolic sizes at once: `B, M = T.dynamic("B, M")`; one name gives one size."""
    found = tuple(symbolic(name, dtype) for name in names.replace(",", " ").split())
    return found[0] if len(found) == 1 else found


def text_of(size: object) -> str:
    """A size as an extent text."""
    return size.text if isinstance(size, Symbolic) else str(size)


def call_text(name: str, left: object, right: object) -> Symbolic:
    """`min(left, right)` or `max(left, right)` of sizes, outside a kernel."""
    return Symbolic(f"{name}({text_of(left)}, {text_of(right)})")


def _combine(symbol: str, left: object, right: object) -> object:
    if active() is not None:
        return binary(symbol, left, right)
    if not all(isinstance(side, (int, Symbolic)) for side in (left, right)):
        return NotImplemented
    return Symbolic(f"{_bracketed(left)} {symbol} {_bracketed(right)}")


def _bracketed(size: object) -> str:
    text = text_of(size)
    return text if text.isidentifier() or text.isdigit() or _is_call(text) else f"({text})"


def _is_call(text: str) -> bool:
    return isinstance(extents.parse(text), ast.Call)


def _emit(node: ast.expr) -> object:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name):
            return Expr(_symbol_value(name), INDEX)
        case ast.UnaryOp(operand=operand):
            return binary("-", 0, _emit(operand))
        case ast.BinOp(left=left, op=op, right=right):
            return _fold(_SYMBOLS[type(op)], _emit(left), _emit(right))
        case ast.Call(func=ast.Name(id=name), args=args):
            first, *rest = (_emit(arg) for arg in args)
            for value in rest:
                first = binary(name, first, value)
            return first
        case _:
            raise AssertionError(f"no extent: {ast.dump(node)}")


def _fold(symbol: str, left: object, right: object) -> object:
    if isinstance(left, int) and isinstance(right, int):
        return extents.evaluate(f"{left} {symbol} {right}", {})
    return binary(symbol, left, right)


def _symbol_value(name: str) -> SSAValue:
    build = builder()
    if name in build.symbols:
        return build.symbols[name]
    raise build.fail(
        "TL129",
        f"the symbolic size `{name}` has no value in this kernel",
        why=f"a symbol is bound from tensor shapes, and no parameter's shape holds `{name}`",
        fix=f"use `{name}` in a T.Tensor shape, or pass the size as a parameter `{name}: T.int32`",
    )


def _unknown(text: str) -> Exception:
    return error(
        "TL129",
        f"`{text}` has no value before the kernel is called",
        why="a symbolic size is bound from tensor shapes at the launch; Python cannot branch on it",
        fix="write the condition inside the kernel, or make the size a parameter of the factory",
    )


def lift(value: object) -> object:
    """A value as a kernel's expression sees it: symbolic sizes become scalars."""
    return value.expr() if isinstance(value, Symbolic) else plain(value)
