"""What if this flag were not there? Small changes to executable HIVM, by the number of a line.

The kernel's source stays as it is: a lesson takes one flag away, exchanges two instructions or
makes a buffer smaller, and the simulator shows what the chip would do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from tlcourse.diagnostics import SourceMap, TLError, error
from tlcourse.dialects.hivm.core import PointerCastOp
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.passes.npuir.operands import set_operands
from tlcourse.passes.npuir.simplify import constant
from tlcourse.pipeline.instructions import Place, places, short_name
from tlcourse.simulator.emit.plan import Placed, placed
from tlcourse.simulator.generate import device_functions

# Planned buffers start at multiples of this many bytes.
_SLOT_BYTES = 32
_SEE_LISTING = "take a number from `kernel.instructions()` or `tlcourse whatif FILE`"


@dataclass(frozen=True, kw_only=True)
class Remove:
    """Takes away the flags or barriers with these numbers."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Swap:
    """Exchanges two instructions of one block; what computes their operands comes along."""

    first: int
    second: int


@dataclass(frozen=True, kw_only=True)
class Shrink:
    """Plans a buffer with fewer bytes: the buffers behind it move into its end.

    Args:
        buffer: its name in the memory map.
        size_bytes: what it keeps; rounded up to 32 bytes.
    """

    buffer: str
    size_bytes: int


Edit = Remove | Swap | Shrink


def edited(executable: ModuleOp, edits: Sequence[Edit], sources: SourceMap) -> ModuleOp:
    """The module with all edits made; numbers are those of the module as it came.

    Args:
        executable: executable HIVM; it is not changed.
        edits: what to change.
        sources: the texts that its locations point into.

    Raises:
        TLError: TL340 there is no such line or buffer, or the edit cannot be made.
    """
    module = executable.clone()
    lines = list(places(module, sources))
    buffers = placed(device_functions(module, sources).values(), sources)
    for edit in edits:
        match edit:
            case Remove():
                for number in edit.numbers:
                    _remove(_at(lines, number))
            case Swap():
                _swap(_at(lines, edit.first), _at(lines, edit.second))
            case Shrink():
                _shrink(buffers, edit)
    return module


def _at(lines: Sequence[Place], number: int) -> Place:
    if not 0 <= number < len(lines):
        raise _impossible(
            f"the kernel has no instruction {number}",
            why=f"its executable form has {len(lines)}, numbered from 0",
            fix=_SEE_LISTING,
        )
    return lines[number]


def _remove(place: Place) -> None:
    if not place.is_sync:
        raise _impossible(
            f"{short_name(place.op)} is neither a flag nor a barrier",
            why="only synchronisation can go without changing what the kernel computes",
            fix=_SEE_LISTING,
        )
    if place.flag < 0:
        Rewriter.erase_op(place.op)
        return
    assert isinstance(place.op, MmadL1Op)
    arguments = list(place.op.sync_related_args)
    arguments[place.flag] = constant(_function_of(place.op), -1, i64)
    set_operands(place.op, "sync_related_args", arguments)


def _swap(first: Place, second: Place) -> None:
    block = first.op.parent
    if block is None or block is not second.op.parent or first.op is second.op:
        raise _impossible(
            "these two instructions cannot change places",
            why="they are one, or stand in different loops, branches or cores",
            fix="take two instructions of one core and one loop body",
        )
    upper, lower = sorted((first.op, second.op), key=block.get_operation_index)
    if upper.results:
        raise _impossible(
            f"{short_name(upper)} cannot move down",
            why="later instructions use its result",
            fix="take two instructions without results",
        )
    _bring_operands(lower, upper, block)
    behind = InsertPoint.after(lower)
    lower.detach()
    Rewriter.insert_op(lower, InsertPoint.before(upper))
    upper.detach()
    Rewriter.insert_op(upper, behind)


def _bring_operands(op: Operation, to: Operation, block: Block) -> None:
    """Moves what computes an op's operands in front of an earlier op."""
    for operand in op.operands:
        maker = operand.owner
        if not isinstance(maker, Operation) or maker.parent is not block:
            continue
        if block.get_operation_index(maker) < block.get_operation_index(to):
            continue
        if not is_side_effect_free(maker):
            raise _impossible(
                f"{short_name(op)} cannot move up",
                why=f"it uses the result of {short_name(maker)}, which comes between",
                fix="take two instructions that do not depend on one another",
            )
        _bring_operands(maker, to, block)
        maker.detach()
        Rewriter.insert_op(maker, InsertPoint.before(to))


def _shrink(buffers: Sequence[Placed], edit: Shrink) -> None:
    found = next((entry for entry in buffers if entry.buffer.name == edit.buffer), None)
    if found is None:
        names = ", ".join(sorted({entry.buffer.name for entry in buffers}))
        raise _impossible(
            f"the kernel has no buffer {edit.buffer}",
            why=f"its memory map has {names}",
            fix="take one of these names",
        )
    old = found.buffer
    less = (old.size_bytes - edit.size_bytes) // _SLOT_BYTES * _SLOT_BYTES
    if less <= 0 or edit.size_bytes < 0:
        raise _impossible(
            f"{old.name} cannot shrink to {edit.size_bytes:,} bytes",
            why=f"it has {old.size_bytes:,}, planned in steps of {_SLOT_BYTES}",
            fix=f"give 0 to {old.size_bytes - _SLOT_BYTES:,} bytes",
        )
    end = old.offset_bytes + old.size_bytes
    behind = [e for e in buffers if e.space == found.space and e.buffer.offset_bytes >= end]
    for entry in behind:
        _move(entry, entry.buffer.offset_bytes - less)


def _move(entry: Placed, address: int) -> None:
    op = entry.value.owner
    assert isinstance(op, PointerCastOp)
    op.operands = [constant(_function_of(op), address, i64), *op.dynamic_sizes]


def _function_of(op: Operation) -> func.FuncOp:
    parent = op.parent_op()
    while not isinstance(parent, func.FuncOp):
        assert parent is not None
        parent = parent.parent_op()
    return parent


def _impossible(what: str, *, why: str, fix: str) -> TLError:
    return error("TL340", what, why=why, fix=fix)
