"""Rules on the operands of tile operations: numbers, expressions, slices, repeated sources."""

from __future__ import annotations

import ast

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.lint.rule import Rule
from tlcourse.lint.statement import Statement, buffer_of, is_part, is_tile, shape_of

_SCALAR_ROW = "`T.v*` with a number, expression or element as last source"
_SLICE_ROW = "`T.vbrc`, `T.vcast`, `T.vcos`, `T.verf`, `T.vsigmoid`, `T.vsin`, `T.vtanh` on a slice"
_NAMED_SCALAR = (ast.Name, ast.Subscript, ast.Attribute, ast.Constant)
_WHOLE_DESTINATION = ("tl.vcos", "tl.verf", "tl.vsin", "tl.vtanh")


def _operand(statement: Statement) -> tuple[tl.ElementwiseOp, SSAValue, ast.expr] | None:
    """The second source of an elementwise call, as a value and as it is written."""
    op = statement.op
    if not isinstance(op, tl.ElementwiseOp):
        return None
    if statement.name not in (op.row.mnemonic, op.row.alias.removeprefix("npuir_")):
        return None
    node = statement.argument("B", 1)
    return None if node is None or len(op.sources) != 2 else (op, op.sources[1], node)


def _is_number(value: SSAValue, node: ast.expr) -> bool:
    """Whether a Python number is given; T.float32(2) is one of the language's own."""
    own = any(isinstance(part, ast.Call) for part in ast.walk(node))
    return isinstance(value.owner, arith.ConstantOp) and not own


def _number_beside_slice(statement: Statement) -> bool:
    match _operand(statement):
        case (op, value, node):
            return _is_number(value, node) and is_part(op.destination)
        case _:
            return False


def _number_without_dtype(statement: Statement) -> bool:
    match _operand(statement):
        case (tl.VcmpOp() | tl.VshrOp(), value, node):
            return _is_number(value, node)
        case _:
            return False


def _expression(statement: Statement) -> bool:
    match _operand(statement):
        case (_, value, node):
            is_named = isinstance(node, _NAMED_SCALAR) or isinstance(value.owner, arith.ConstantOp)
            return not is_tile(value) and not is_named
        case _:
            return False


def _element_as_tile(statement: Statement) -> bool:
    op = statement.op
    if not isinstance(op, tl.ElementwiseOp):
        return False
    written = statement.call.args if statement.call is not None else []
    pairs = zip(op.sources, written, strict=False)
    return any(is_tile(value) and is_part(value) and _is_element(node) for value, node in pairs)


def _is_element(node: ast.expr) -> bool:
    if not isinstance(node, ast.Subscript):
        return False
    return not any(isinstance(part, ast.Slice) for part in ast.walk(node.slice))


def _slice_of_whole(statement: Statement) -> bool:
    match statement.op:
        case tl.BroadcastOp(destination=destination):
            return is_part(destination)
        case tl.CastOp(source=source, destination=destination):
            return is_part(source) or is_part(destination)
        case tl.ElementwiseOp(name="tl.vsigmoid") as op:
            return any(is_part(value) for value in op.operands)
        case tl.ElementwiseOp(name=name, destination=destination):
            return name in _WHOLE_DESTINATION and is_part(destination)
        case _:
            return False


def _sliced_choice(statement: Statement) -> bool:
    op = statement.op
    return isinstance(op, tl.VselectOp) and any(is_part(value) for value in op.sources)


def _repeated(statement: Statement) -> bool:
    op = statement.op
    if not isinstance(op, tl.ElementwiseOp) or op.row.repeats:
        return False
    shape = _without_ones(op.destination)
    return any(is_tile(value) and _without_ones(value) != shape for value in op.sources)


def _without_ones(value: SSAValue) -> list[int]:
    return [extent for extent in shape_of(value) if extent != 1]


def _nothing_to_repeat(statement: Statement) -> bool:
    op = statement.op
    if not isinstance(op, tl.BroadcastOp) or not is_tile(op.source):
        return False
    return shape_of(op.source) == shape_of(op.destination)


def _filled_with_number(statement: Statement) -> bool:
    op, value = statement.op, statement.argument("value", 1)
    if not isinstance(op, tl.BroadcastOp) or statement.name != "fill" or value is None:
        return False
    return _is_number(op.source, value)


def _is_clamp(statement: Statement) -> bool:
    return isinstance(statement.op, tl.ElementwiseOp) and statement.name in ("vclamp", "clamp")


def _clamped_slice(statement: Statement) -> bool:
    return _is_clamp(statement) and any(_is_sliced(value) for value in statement.op.operands)


def _is_sliced(value: SSAValue) -> bool:
    return is_tile(value) and is_part(value)


def _clamped_by_itself(statement: Statement) -> bool:
    op: Operation = statement.op
    if not _is_clamp(statement) or not isinstance(op, tl.ElementwiseOp) or op.name != "tl.vmin":
        return False
    limit = op.sources[1]
    return is_tile(limit) and buffer_of(limit) is buffer_of(op.destination)


OPERAND_RULES = (
    Rule(
        id="number-beside-slice",
        row=_SCALAR_ROW,
        finds=_number_beside_slice,
        what="writes a slice and takes a Python number",
        why="upstream looks for the number's dtype in a whole buffer and raises AttributeError; "
        "tlcourse takes the dtype of the tiles",
        fix="give the number a dtype, for example T.float32(2), or a name: `two = T.float32(2)`",
    ),
    Rule(
        id="expression-operand",
        row=_SCALAR_ROW,
        finds=_expression,
        what="takes an expression as its last source",
        why="upstream raises AttributeError, as it wants a name; tlcourse computes the expression",
        fix="give the expression a name first: `shift = n * 2`, then T.vadd(a, shift, b)",
    ),
    Rule(
        id="element-as-tile",
        row=_SCALAR_ROW,
        finds=_element_as_tile,
        mode="Developer",
        what="reads one element where a tile stands",
        why="upstream's Developer mode reads the whole buffer there; tlcourse reads the element",
        fix="put the element last where the operation allows it, or fill a tile with it: "
        "`x = a[0, 0]`, then T.vbrc(x, tile)",
    ),
    Rule(
        id="developer-slice",
        row=_SLICE_ROW,
        finds=_slice_of_whole,
        mode="Developer",
        what="works on a slice",
        why="upstream's Developer mode takes the whole buffers here; tlcourse takes the slice",
        fix="work on whole tiles: T.copy the slice to a tile of its extents, and back",
    ),
    Rule(
        id="developer-select-slice",
        row="`T.vselect` on slices",
        finds=_sliced_choice,
        mode="Developer",
        what="chooses between slices",
        why="upstream's Developer mode reads the whole buffers; tlcourse reads the slices",
        fix="T.copy the slices to tiles of their extents, and choose between these",
    ),
    Rule(
        id="repeated-source",
        row="`T.vcmp`, `T.vpow`, `T.vxor` with a source to repeat",
        finds=_repeated,
        what="repeats a source along an extent of 1",
        why="upstream's compiler refuses it for this operation; tlcourse repeats the source first",
        fix="repeat it yourself: T.vbrc(row, tile), and use the tile",
    ),
    Rule(
        id="nothing-to-repeat",
        row="`T.vbrc` with nothing to repeat",
        finds=_nothing_to_repeat,
        what="broadcasts a tile to its own shape",
        why="upstream's compiler refuses a broadcast along no dimension; tlcourse copies",
        fix="write T.copy(src, dst)",
    ),
    Rule(
        id="fill-number",
        row="`T.fill` with a Python number",
        finds=_filled_with_number,
        what="fills with a Python number",
        why="upstream raises TypeError, as the number has no dtype; tlcourse fills",
        fix="write T.vbrc(number, tile), T.clear(tile) for 0, or T.fill(tile, T.float32(1))",
    ),
    Rule(
        id="number-without-dtype",
        row="`T.vcmp`, `T.vshr` with a Python number",
        finds=_number_without_dtype,
        what="takes a Python number",
        why="upstream raises in Python, as the number has no dtype; tlcourse takes the dtype of "
        "the tile",
        fix="give the number a dtype, for example T.float32(0) or T.int32(4)",
    ),
    Rule(
        id="clamp-slice",
        row="`T.vclamp` on a slice",
        finds=_clamped_slice,
        what="limits a slice",
        why="upstream raises AttributeError, as it asks for the shape of a whole buffer; tlcourse "
        "limits the slice",
        fix="write the two steps: T.vmax(src, low, dst), then T.vmin(dst, high, dst), with limits "
        "that have a name",
    ),
    Rule(
        id="clamp-by-itself",
        row="`T.vclamp` with limits that are the destination",
        finds=_clamped_by_itself,
        what="writes the tile that holds its upper limits",
        why="upstream compares with what it has just written there; tlcourse takes the limits "
        "from before",
        fix="write to another tile, and copy it where it belongs",
    ),
)
