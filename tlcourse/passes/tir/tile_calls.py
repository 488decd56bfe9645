"""Taking calls on tiles out of a T.Parallel loop: each call does all iterations at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType, i32
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.dialects.rewriting import insert_before, replace
from tlcourse.passes.npuir.folding import constant_of
from tlcourse.passes.tir.element_loops import Nest, Place, is_pure
from tlcourse.passes.tir.element_tiles import hoist
from tlcourse.passes.tir.element_values import is_same_value, name_of

_STATEMENTS = (tl.CopyOp, tl.BroadcastOp, tl.CastOp, tl.ElementwiseOp)
_NAMES = (
    *("vexp", "vabs", "vadd", "vmul", "vsub", "vdiv", "vsigmoid", "vln", "vsqrt", "vrsqrt"),
    *("vmin", "vmax", "vcmp", "vselect"),
)


@dataclass(frozen=True, kw_only=True)
class Access:
    """One tile operand of a call.

    Args:
        value: the operand.
        buffer: the buffer it is a part of.
        axis: the dimension that the loop walks; none for the same part in all iterations.
        place: the index along that dimension.
        writes: whether the call writes it.
        is_piece: whether the parts of all iterations lie in one piece.
    """

    value: SSAValue
    buffer: SSAValue
    axis: int | None
    place: Place | None
    writes: bool
    is_piece: bool = True


def calls_in(loop: tl.ForOp) -> list[Operation]:
    """The calls on tiles right in the body of a loop."""
    return [op for op in loop.body.block.ops if _is_call(op)]


def split(loop: tl.ForOp) -> list[tl.ForOp]:
    """Gives each call a loop of its own where some can take the loop in and others cannot.

    Returns:
        The loops in order; the loop itself where nothing is to be split.
    """
    nest = Nest(loops=(loop,))
    statements = [op for op in nest.body.ops if isinstance(op, _STATEMENTS)]
    others = [op for op in nest.body.ops if not isinstance(op, _STATEMENTS)]
    if not nest.is_constant() or any(_why_no_call(nest, op) for op in others):
        return [loop]
    found = [_accesses(nest, op) for op in statements]
    known = [accesses for accesses in found if not isinstance(accesses, str)]
    if len(known) < len(found) or _why_ordered(nest, [a for part in known for a in part]):
        return [loop]
    fits = [not _why_alone(nest, *pair) for pair in zip(statements, known, strict=True)]
    if all(fits) or not any(fits):
        return [loop]
    return _one_each(loop, len(statements))


def _one_each(loop: tl.ForOp, count: int) -> list[tl.ForOp]:
    """Copies of a loop that each keep one of the calls, in order, in place of the loop."""
    copies = [loop.clone() for _ in range(count)]
    for number, copy in enumerate(copies):
        calls = [op for op in copy.body.block.ops if isinstance(op, _STATEMENTS)]
        for call in [*calls[:number], *calls[number + 1 :]]:
            call.detach()
            call.erase()
    replace(loop, copies, [])
    return copies


def _why_alone(nest: Nest, call: Operation, accesses: Sequence[Access]) -> str:
    return _why_no_fit(nest, call, accesses) if _is_call(call) else f"{call.name} in its body"


def absorb(loop: tl.ForOp) -> str:
    """Takes the calls out of a loop and removes it.

    Returns:
        Why the loop has to stay; empty if it is gone.
    """
    nest = Nest(loops=(loop,))
    calls = calls_in(loop)
    reason = _why_not(nest, calls)
    if reason:
        return reason
    hoist(nest)
    for call in calls:
        _take_out(nest, call)
    loop.detach()
    loop.erase()
    return ""


def _why_not(nest: Nest, calls: Sequence[Operation]) -> str:
    if not nest.is_constant():
        return "extent not constant"
    for op in nest.body.ops:
        reason = "" if _is_call(op) else _why_no_call(nest, op)
        if reason:
            return reason
    if not calls:
        return "no call on tiles in its body"
    accesses: list[Access] = []
    for call in calls:
        found = _accesses(nest, call)
        reason = found if isinstance(found, str) else _why_no_fit(nest, call, found)
        if reason or isinstance(found, str):
            return reason
        accesses += found
    return _why_ordered(nest, accesses)


def _why_no_call(nest: Nest, op: Operation) -> str:
    if isinstance(op, scf.IfOp):
        return "branch on data"
    if isinstance(op, tl.ForOp):
        return "a loop inside its body"
    if isinstance(op, tl.StoreOp):
        return "several statements in its body, one of them on elements"
    if isinstance(op, tl.LoadOp):
        return "" if nest.is_invariant(op.result) else f"{name_of(op.buffer)} is read as a scalar"
    return "" if is_pure(op) else f"{op.name} in its body"


def _is_call(op: Operation) -> bool:
    if isinstance(op, (tl.CopyOp, tl.BroadcastOp, tl.CastOp)):
        return True
    return isinstance(op, tl.ElementwiseOp) and op.name.removeprefix("tl.") in _NAMES


def _written(call: Operation) -> SSAValue:
    if isinstance(call, tl.CopyOp):
        return call.dst
    assert isinstance(call, (tl.BroadcastOp, tl.CastOp, tl.ElementwiseOp))
    return call.destination


def _accesses(nest: Nest, call: Operation) -> list[Access] | str:
    """The tile operands of a call, or why the loop cannot be taken into one of them."""
    found: list[Access] = []
    for value in call.operands:
        if isinstance(value.type, MemRefType):
            access = _access(nest, value, writes=value is _written(call))
            if isinstance(access, str):
                return access
            found.append(access)
        elif not nest.is_invariant(value):
            return f"a scalar of {call.name} differs between the iterations"
    return found


def _access(nest: Nest, value: SSAValue, *, writes: bool) -> Access | str:
    region = value.owner
    if nest.is_invariant(value) or not isinstance(region, tl.RegionOp):
        buffer = region.buffer if isinstance(region, tl.RegionOp) else value
        return Access(value=value, buffer=buffer, axis=None, place=None, writes=writes)
    name = name_of(region.buffer)
    places = [nest.place(offset) for offset in region.offsets]
    walked = [axis for axis, p in enumerate(places) if p is None or p.depth is not None]
    if len(walked) != 1 or places[walked[0]] is None:
        return f"an index of {name} is no loop variable"
    axis, extents = walked[0], region.extents()
    if extents[axis] != 1:
        return _in_pieces(name)
    return Access(
        value=value,
        buffer=region.buffer,
        axis=axis,
        place=places[axis],
        writes=writes,
        is_piece=all(extent == 1 for extent in extents[:axis]) and _is_full(region, axis + 1),
    )


def _in_pieces(name: str) -> str:
    return f"the loop takes a part of {name} that does not lie in one piece"


def _is_full(region: tl.RegionOp, first: int) -> bool:
    """Whether a region has all of its buffer from a dimension on."""
    shape = tl.memref_of(region.buffer).get_shape()
    rest = zip(region.extents()[first:], region.offsets[first:], shape[first:], strict=True)
    return all(
        isinstance(extent, int) and extent == whole and constant_of(offset) == 0
        for extent, offset, whole in rest
    )


def _why_no_fit(nest: Nest, call: Operation, accesses: Sequence[Access]) -> str:
    """Whether the tiles of all iterations fit together as those of one iteration do."""
    target = next(access for access in accesses if access.writes)
    if target.axis is None:
        return f"{name_of(target.buffer)} is written at the same place again and again"
    for access in accesses:
        if not access.is_piece:
            return _in_pieces(name_of(access.buffer))
        if access.axis is None and not _repeats(call, access, target):
            return f"{name_of(access.buffer)} is the same in all iterations"
        moved = access.axis is not None and access.axis != target.axis
        if moved and not isinstance(call, tl.CopyOp):
            return f"{name_of(access.buffer)} is walked along another dimension"
    return ""


def _repeats(call: Operation, access: Access, target: Access) -> bool:
    shape = tl.memref_of(access.value).get_shape()
    assert target.axis is not None, "the written tile is walked"
    same_rank = len(shape) == len(tl.memref_of(target.value).get_shape())
    row_repeats = isinstance(call, tl.ElementwiseOp) and call.row.repeats
    can_repeat = isinstance(call, tl.BroadcastOp) or row_repeats
    return can_repeat and same_rank and shape[target.axis] == 1


def _why_ordered(nest: Nest, accesses: Sequence[Access]) -> str:
    """Whether an iteration uses what another one writes."""
    loaded = [op.buffer for op in nest.body.ops if isinstance(op, tl.LoadOp)]
    for buffer in [access.buffer for access in accesses if access.writes]:
        if any(buffer is other for other in loaded):
            return f"{name_of(buffer)} is also loaded as a scalar"
    for written in [access for access in accesses if access.writes]:
        for other in accesses:
            if other.buffer is written.buffer and not _is_same_place(written, other):
                return f"{name_of(written.buffer)} is also used at another place"
    return ""


def _is_same_place(one: Access, other: Access) -> bool:
    if one.axis != other.axis or one.place is None or other.place is None:
        return False
    pairs = zip(one.place.terms, other.place.terms, strict=False)
    same_count = len(one.place.terms) == len(other.place.terms)
    return same_count and all(s == t and is_same_value(x, y) for (s, x), (t, y) in pairs)


def _take_out(nest: Nest, call: Operation) -> None:
    """Puts a call on the tiles of all iterations in front of the loop."""
    accesses = _accesses(nest, call)
    assert not isinstance(accesses, str), "the loop was checked"
    wide = {a.value: _widened(nest, a, call) for a in accesses if a.axis is not None}
    for index, operand in enumerate(call.operands):
        call.operands[index] = wide.get(operand, operand)
    call.detach()
    insert_before(nest.loops[0], [call])


def _widened(nest: Nest, access: Access, call: Operation) -> SSAValue:
    region, axis, place = access.value.owner, access.axis, access.place
    assert isinstance(region, tl.RegionOp), "a walked operand is a region"
    assert axis is not None, "a walked operand has its dimension"
    assert place is not None, "a walked operand has its index"
    extents = region.extents()
    extents[axis] = nest.count(0)
    shape = list(tl.memref_of(region.buffer).get_shape())
    start = nest.range_of(place)
    before = [constant_of(offset) for offset in region.offsets[:axis]]
    if extents == shape and start is not None and start[0] == 0 and not any(before):
        return region.buffer
    offsets = list(region.offsets)
    offsets[axis] = start_of(nest, place, call)
    part = tl.RegionOp(region.buffer, offsets, extents)
    insert_before(nest.loops[0], [part], like=call)
    return part.result


def start_of(nest: Nest, place: Place, like: Operation) -> SSAValue:
    """The index of the first iteration, in front of the loop."""
    first = 0 if place.depth is None else nest.bounds(place.depth)[0]
    constant = arith.ConstantOp(IntegerAttr(first, i32))
    ops: list[Operation] = [constant]
    value: SSAValue = constant.result
    for sign, term in place.terms:
        op = arith.AddiOp(value, term) if sign == 1 else arith.SubiOp(value, term)
        ops.append(op)
        value = op.result
    insert_before(nest.loops[0], ops, like=like)
    return value
