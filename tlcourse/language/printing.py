"""T.print: a look at values while a kernel runs."""

from __future__ import annotations

from xdsl.ir import Block, SSAValue

from tlcourse.dialects import tl
from tlcourse.language.buffers import Buffer, Element, Region
from tlcourse.language.builder import builder
from tlcourse.language.calls import statement
from tlcourse.language.regions import tile
from tlcourse.language.scalar import Expr, is_operand, to_expr


@statement
def print(obj: object, msg: str = "", hex: bool = False) -> None:
    """Prints a scalar or a tile, once for each core that passes here.

    Args:
        obj: scalar, buffer, slice or element.
        msg: text in front; a description of `obj` if left out.
        hex: prints numbers in base 16.

    Raises:
        TL121: `obj` is neither a scalar nor a tile.
    """
    message = str(msg) or _default_message(obj)
    builder().emit(tl.PrintOp(message, _value(obj), hex=hex))


npuir_print = print


def _value(obj: object) -> SSAValue:
    if is_operand(obj) and not isinstance(obj, Element):
        return to_expr(obj).value
    return tile(obj, "obj").tile()


def _default_message(obj: object) -> str:
    if isinstance(obj, Buffer):
        return f"buffer<{obj.name}, {obj.dtype}>"
    if isinstance(obj, (Region, Element)):
        return f"subview<{obj.name}, {obj.dtype}>"
    name = _name_of(obj)
    return f"expr<{name}>" if name else "expr"


def _name_of(obj: object) -> str | None:
    """The learner's name of a scalar: of a parameter, a loop variable or an assignment."""
    if not isinstance(obj, Expr):
        return None
    owner = obj.value.owner
    if isinstance(owner, tl.LetOp):
        return owner.label.data
    return obj.value.name_hint if isinstance(owner, Block) else None
