"""One text for modules that say the same: what comparisons of two compilers look at.

Two compilers, or two runs of one, name values differently, write constants at other places and
in another order, and lay the workspaces of a kernel out as they come. None of that is meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import cast

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, UnknownLoc
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import ParseError

from tlcourse.dialects.memref_ext import AllocWorkspaceOp
from tlcourse.dialects.text import from_text, to_text

# What a module says of the chip and of the tool that wrote it, not of the kernel.
_OF_THE_TOOL = ("dlti.target_system_spec", "hacc.hivmc_version", "hacc.hivmc_compatible_print")
_PLACE = r'(?:[^()"]|"[^"]*"|\((?:[^()"]|"[^"]*"|\((?:[^()"]|"[^"]*")*\))*\))*'
_LOCATION = re.compile(r" ?\bloc\(" + _PLACE + r"\)")
_VALUE = re.compile(r"%[\w$.-]+")


def normal_form(code: str | ModuleOp) -> str:
    """The text of a module with everything taken out that is no meaning.

    Values are numbered in order of their definition; equal constants of a function are one, at
    its start, in order of first use; functions stand in order of their names; workspaces in GM
    have numbers in order of first use instead of places; attributes stand in order of their names;
    locations, and what the module says of chip and tool, are left out.

    Args:
        code: a module, which is not changed, or its text. A text that xDSL does not read (affine
            maps over symbols) gets new names for its values only.
    """
    if isinstance(code, ModuleOp):
        return _of_module(code.clone())
    try:
        module = from_text(code)
    except (ParseError, NotImplementedError):  # xDSL's two ways of not reading a text
        return _of_text(code)
    return _of_module(module)


def _of_module(module: ModuleOp) -> str:
    for name in _OF_THE_TOOL:
        module.attributes.pop(name, None)
    for op in module.walk():
        _forget_names(op)
        _sort_attributes(op)
    functions = [op for op in module.walk() if isinstance(op, func.FuncOp) and op.body.blocks]
    functions.sort(key=lambda function: function.sym_name.data)
    _order_workspaces(functions)
    for function in functions:
        _gather_constants(function)
    block = module.body.block
    for function in functions:
        function.detach()
        block.add_op(function)
    return to_text(module)


def _forget_names(op: Operation) -> None:
    op.location = UnknownLoc()
    arguments = [value for region in op.regions for block in region.blocks for value in block.args]
    for value in (*op.results, *arguments):
        value.name_hint = None


def _sort_attributes(op: Operation) -> None:
    """By name, as MLIR keeps them; xDSL keeps the order in which they were given."""
    for entries in (op.attributes, op.properties):
        found = sorted(entries.items())
        entries.clear()
        entries.update((name, _sorted(value)) for name, value in found)


def _sorted(value: Attribute) -> Attribute:
    if isinstance(value, ArrayAttr):
        members = cast("ArrayAttr[Attribute]", value).data
        return ArrayAttr([_sorted(member) for member in members])
    if isinstance(value, DictionaryAttr):
        return DictionaryAttr({name: _sorted(one) for name, one in sorted(value.data.items())})
    return value


def _order_workspaces(functions: Iterable[func.FuncOp]) -> None:
    """Workspaces get numbers 0, 1, .. in order of first use, and are made in that order."""
    numbers: dict[int, int] = {}
    for function in functions:
        position = {op: index for index, op in enumerate(function.walk())}
        places = [op for op in position if _is_workspace(op)]
        places.sort(key=lambda op: _first_use(op, position))
        for op in places:
            index = 1 if isinstance(op, memref.ViewOp) else len(op.operands) - 1
            base, offset = _split(op.operands[index])
            _put(op, index, base, numbers.setdefault(offset, len(numbers)))
        _make_in_order(places)


def _is_workspace(op: Operation) -> bool:
    """A part of the workspace argument that has got its place."""
    if isinstance(op, AllocWorkspaceOp):
        return len(op.offset) == 1
    return isinstance(op, memref.ViewOp) and isinstance(op.source, BlockArgument)


def _first_use(op: Operation, position: dict[Operation, int]) -> tuple[int, int]:
    places = [(position[use.operation], use.index) for use in op.results[0].uses]
    return min(places, default=(0, 0))


def _make_in_order(places: Sequence[Operation]) -> None:
    """Moves workspaces, each with what computes its place, to where the first of them stands."""
    slices = [_slice(op) for op in places]
    if not slices or any(not one for one in slices):
        return
    block = places[0].parent_block()
    assert block is not None
    order = {op: index for index, op in enumerate(block.ops)}
    start = min((op for one in slices for op in one), key=lambda op: order[op])
    mark = arith.ConstantOp(IntegerAttr.from_index_int_value(0))
    Rewriter.insert_op(mark, InsertPoint.before(start))
    for one in slices:
        for op in one:
            op.detach()
        Rewriter.insert_op(one, InsertPoint.before(mark))
    Rewriter.erase_op(mark)


def _slice(place: Operation) -> list[Operation]:
    """The ops that nothing but `place` needs, in order; empty where others need them too."""
    found: list[Operation] = [place]
    for op in found:
        for value in op.operands:
            owner = value.owner
            if isinstance(owner, Operation) and not isinstance(owner, arith.ConstantOp):
                if owner not in found:
                    found.append(owner)
    block = place.parent_block()
    assert block is not None
    users = {use.operation for op in found[1:] for result in op.results for use in result.uses}
    alone = users <= set(found) and all(op.parent_block() is block for op in found)
    return [op for op in block.ops if op in found] if alone else []


def _split(place: SSAValue) -> tuple[SSAValue | None, int]:
    """A place in bytes as what depends on the block, and a constant."""
    found = _constant(place)
    if found is not None:
        return None, found
    if isinstance(place.owner, arith.AddiOp):
        left, right = place.owner.lhs, place.owner.rhs
        for base, other in ((left, right), (right, left)):
            offset = _constant(other)
            if offset is not None:
                return base, offset
    return place, 0


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def _put(op: Operation, index: int, base: SSAValue | None, number: int) -> None:
    old = op.operands[index]
    new: list[Operation] = [arith.ConstantOp(IntegerAttr.from_index_int_value(number))]
    if base is not None:
        new.append(arith.AddiOp(base, new[0].results[0]))
    Rewriter.insert_op(new, InsertPoint.before(op))
    op.operands[index] = new[-1].results[0]
    if isinstance(old.owner, arith.AddiOp) and not old.uses:
        Rewriter.erase_op(old.owner)


def _gather_constants(function: func.FuncOp) -> None:
    first: dict[object, arith.ConstantOp] = {}
    for op in list(function.walk()):
        for value in op.operands:
            owner = value.owner
            if isinstance(owner, arith.ConstantOp):
                kept = first.setdefault((owner.value, value.type), owner)
                if kept is not owner:
                    value.replace_all_uses_with(kept.result)
    kept = list(first.values())
    for op in list(function.walk()):
        if isinstance(op, arith.ConstantOp) and op not in kept:
            Rewriter.erase_op(op)
    _move_to_start(function, kept)


def _move_to_start(function: func.FuncOp, ops: Sequence[Operation]) -> None:
    for op in ops:
        op.detach()
    block = function.body.blocks[0]
    if block.first_op is None:
        block.add_ops(ops)
    elif ops:
        block.insert_ops_before(ops, block.first_op)


def _of_text(text: str) -> str:
    names: dict[str, str] = {}
    bare = _LOCATION.sub("", text)
    return _VALUE.sub(lambda found: names.setdefault(found[0], f"%{len(names)}"), bare)
