"""Rules on tile operations that upstream has in one mode, in another form, or not at all."""

from __future__ import annotations

import ast

from xdsl.dialects.builtin import DYNAMIC_INDEX

from tlcourse.dialects import tl
from tlcourse.dialects.conversions import BETWEEN, COMPARED, steps
from tlcourse.lint.later import falls_behind, read_later
from tlcourse.lint.rule import Rule
from tlcourse.lint.statement import Statement, buffer_of, element_of, is_tile, shape_of

_MOVES = (
    tl.ConcatOp,
    tl.DeinterleaveOp,
    tl.FlipOp,
    tl.GatherOp,
    tl.InterleaveOp,
    tl.PadOp,
    tl.TransposeOp,
)
_NO_BFLOAT16 = ("tl.vcos", "tl.verf", "tl.vfloordiv", "tl.vpow", "tl.vsin", "tl.vtanh")
# Where `size` stands in a call.
_SIZE_OF_MOVE = {"pad": 5, "transpose": 3}
_SIZE_OF_REDUCE = {"reduce": 4, "reduce_max": 3, "reduce_min": 3, "reduce_sum": 3}


def _is_move(statement: Statement) -> bool:
    return isinstance(statement.op, _MOVES)


def _is_reversed(statement: Statement) -> bool:
    return isinstance(statement.op, tl.CumsumOp) and statement.op.reverse is not None


def _has_size(statement: Statement) -> bool:
    position = _SIZE_OF_MOVE.get(statement.name)
    if position is None or not isinstance(statement.op, (tl.PadOp, tl.TransposeOp)):
        return False
    return statement.argument("size", position) is not None


def _swaps_sizes(statement: Statement) -> bool:
    op = statement.op
    if not isinstance(op, tl.GemmOp) or op.b_transpose is None:
        return False
    n, k = shape_of(op.b)[-2:]
    return n != k or n == DYNAMIC_INDEX


def _is_transposed_at_once(statement: Statement) -> bool:
    op = statement.op
    if not isinstance(op, tl.TransposeOp):
        return False
    return sum(place != dim for place, dim in enumerate(op.order())) > 2


def _has_index(statement: Statement) -> bool:
    return isinstance(statement.op, tl.ReduceOp) and statement.op.mode.data in tl.INDEX_MODES


def _has_named_size(statement: Statement) -> bool:
    position = _SIZE_OF_REDUCE.get(statement.name)
    if position is None or not isinstance(statement.op, tl.ReduceOp):
        return False
    return isinstance(statement.argument("size", position), ast.Name)


def _keeps_source(statement: Statement) -> bool:
    op = statement.op
    if not isinstance(op, tl.ReduceOp) or op.mode.data not in tl.ABS_MODES:
        return False
    return read_later(op, buffer_of(op.sources[0]))


def _keeps_both(statement: Statement) -> bool:
    op = statement.op
    if not isinstance(op, tl.ReshapeOp):
        return False
    return falls_behind(op, (op.sources[0], op.destinations[0]))


def _is_fragment_printed(statement: Statement) -> bool:
    op = statement.op
    if not isinstance(op, tl.PrintOp) or not is_tile(op.value):
        return False
    return tl.scope_of(op.value) == "local.fragment"


def _is_bitcast(statement: Statement) -> bool:
    return isinstance(statement.op, tl.BitcastOp)


def _is_long_way(statement: Statement) -> bool:
    match statement.op:
        case tl.CastOp(source=source, destination=target) as op:
            mode = op.round_mode.data
        case tl.CopyOp(src=source, dst=target) if element_of(source) != element_of(target):
            mode = "rint"
        case _:
            return False
    pair = element_of(source), element_of(target)
    first, last = (tl.memref_of(tile).element_type for tile in (source, target))
    return pair in COMPARED or (pair in BETWEEN and len(steps(first, last, mode)) > 1)


def _is_floor(statement: Statement) -> bool:
    return statement.op.name in ("tl.vfloor", "tl.vfloordiv")


def _is_tanh(statement: Statement) -> bool:
    return statement.op.name == "tl.vtanh"


def _is_power_of_floats(statement: Statement) -> bool:
    return statement.op.name == "tl.vpow" and "float" in _dtype(statement)


def _is_bfloat16(statement: Statement) -> bool:
    return statement.op.name in _NO_BFLOAT16 and _dtype(statement) == "bfloat16"


def _dtype(statement: Statement) -> str:
    op = statement.op
    return element_of(op.destination) if isinstance(op, tl.ElementwiseOp) else ""


def _rounds(statement: Statement) -> bool:
    op = statement.op
    return isinstance(op, tl.VshrOp) and op.round is not None and not is_tile(op.sources[1])


TILE_RULES = (
    Rule(
        id="developer-move",
        row="`T.concat`, `T.deinterleave`, `T.flip`, `T.gather`, `T.interleave`, `T.pad`, "
        "`T.transpose`",
        finds=_is_move,
        mode="Developer",
        what="moves elements in Developer mode",
        why="upstream's Developer mode makes no code of it, or code that is not joined to the "
        "rest; tlcourse does the same in both modes",
        fix="write the kernel in Expert mode; joining and padding are also T.clear and T.copy "
        "between slices",
    ),
    Rule(
        id="cumsum-reverse",
        row="`T.cumsum` with `reverse=True`",
        finds=_is_reversed,
        what="sums up from the end",
        why="upstream's code generation stops at reverse=True; tlcourse sums up from the end",
        fix="turn the tile round before and after: T.flip(a, b, dim), T.cumsum(b, b, dim), "
        "T.flip(b, a, dim)",
    ),
    Rule(
        id="size-of-move",
        row="`T.pad`, `T.transpose` with `size=`",
        finds=_has_size,
        what="is given `size`",
        why="upstream raises IndexError; tlcourse takes the part of these extents",
        fix="slice the tiles in place of `size`: T.transpose(a[0:8, 0:16], b[0:16, 0:8], [1, 0])",
    ),
    Rule(
        id="gemm-transposed-b",
        row="`T.gemm`",
        finds=_swaps_sizes,
        mode="Developer",
        what="multiplies with a transposed B that is not square",
        why="upstream's Developer mode hands K and N to the instruction the other way round; "
        "tlcourse multiplies the sizes as written",
        fix="make the tile of B square, store B as [K, N], or write the kernel in Expert mode",
    ),
    Rule(
        id="transpose-many",
        row="`T.transpose` of more than two dimensions at once",
        finds=_is_transposed_at_once,
        what="moves more than two dimensions",
        why="upstream's compiler exchanges two dimensions and refuses more; tlcourse makes several "
        "exchanges of it",
        fix="exchange two dimensions at a time, with a tile between",
    ),
    Rule(
        id="reduce-with-index",
        row="`T.reduce` with `_with_index_`",
        finds=_has_index,
        what="gives elements and their positions",
        why="upstream hands the instruction one destination, which its compiler refuses; tlcourse "
        "takes a pair (values, positions)",
        fix="find the value with T.reduce_max, and the position by comparing the elements with it",
    ),
    Rule(
        id="reduce-size-list",
        row="`T.reduce` with `size=`",
        finds=_has_named_size,
        what="is given a list with a name as `size`",
        why="upstream changes the list it is given, for all who read it later; tlcourse leaves it "
        "alone",
        fix="write the list in the call, size=[n, 64]",
    ),
    Rule(
        id="reduce-abs",
        row="`T.reduce_absmax`, `T.reduce_abssum`",
        finds=_keeps_source,
        what="reduces a tile that is read again later",
        why="upstream leaves the absolute values in the source; in tlcourse it keeps its numbers",
        fix="reduce a copy: T.vabs(a, b), then T.reduce_max(b, out) or T.reduce_sum(b, out)",
    ),
    Rule(
        id="reshape-kept",
        row="`T.reshape`",
        finds=_keeps_both,
        mode="Expert",
        what="gives a second name to a tile; one is written later, and then the other one is read",
        why="in upstream's Expert mode both names mean one memory; in tlcourse a later write to "
        "one is not seen in the other",
        fix="use one of the two names only behind T.reshape, or T.copy the tile first",
    ),
    Rule(
        id="print-fragment",
        row="`T.print` of a T.alloc_fragment tile",
        finds=_is_fragment_printed,
        what="prints a tile of T.alloc_fragment",
        why="upstream raises ValueError for this scope; tlcourse prints",
        fix="T.copy it to a tile of T.alloc_shared, and print that",
    ),
    Rule(
        id="bitcast",
        row="`T.vbitcast`",
        finds=_is_bitcast,
        what="reads bits as another dtype",
        why="in upstream no name leads to the result; in tlcourse it is a new tile",
        fix="pass the tensor to the kernel in the other dtype: x.view(torch.int32) in torch",
    ),
    Rule(
        id="long-conversion",
        row="`T.vcast`, `T.copy` between dtypes that no instruction joins, such as int8 to float32",
        finds=_is_long_way,
        what="converts between dtypes that no instruction joins",
        why="upstream's compiler refuses it; tlcourse takes several casts that give the same "
        "number",
        fix="convert in steps with a tile between, such as int8 to float16 to float32; a float "
        "becomes a bool with T.vcmp",
    ),
    Rule(
        id="floor",
        row="`T.vfloor`, `T.vfloordiv`",
        finds=_is_floor,
        what="rounds a tile down",
        why="upstream has no code of it for this chip; tlcourse has",
        fix='divide with T.vdiv, and round with T.vcast(a, b, round_mode="floor")',
    ),
    Rule(
        id="power-of-floats",
        row="`T.vpow` on floats",
        finds=_is_power_of_floats,
        what="raises floats to a power",
        why="upstream leaves it to the compiler, in Developer mode only; tlcourse computes "
        "e ** (B ln A) in float32",
        fix="multiply with T.vmul for a whole power; else write T.vln, T.vmul, T.vexp yourself",
    ),
    Rule(
        id="tanh",
        row="`T.vtanh`",
        finds=_is_tanh,
        what="computes tanh",
        why="upstream's Developer mode gives NaN for large numbers, its Expert mode a polynomial "
        "that is good near 0; tlcourse gives tanh everywhere",
        fix="write 1 - 2 / (e ** 2x + 1) with T.vmul, T.vexp, T.vadd, T.vrec, or keep the numbers "
        "near 0",
    ),
    Rule(
        id="no-bfloat16",
        row="`T.vcos`, `T.verf`, `T.vfloordiv`, `T.vpow`, `T.vsin`, `T.vtanh` on bfloat16",
        finds=_is_bfloat16,
        what="works on bfloat16",
        why="upstream has no code of it; tlcourse computes in float32",
        fix="convert with T.vcast to a float32 tile, and back",
    ),
    Rule(
        id="shift-rounds",
        row="`T.vshr` with `round=True`",
        finds=_rounds,
        what="rounds while it shifts",
        why="upstream leaves the rounding to the instruction; tlcourse rounds halves up",
        fix="write round=False, and add half of the last bit before where rounding is wanted",
    ),
)
