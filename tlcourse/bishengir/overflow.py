"""Which tiles fill a memory, where the real compiler says only how many bits are too many.

What `bishengir-opt` writes when `hivm-plan-memory` fails ends with the function that the pass was
given. Its buffers have lost their names, but not their places in the learner's text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import FileLineColLoc
from xdsl.utils.exceptions import ParseError, VerifyException

from tlcourse.chips import CHIPS, Chip
from tlcourse.diagnostics import Diagnostic, SourceMap, TLError
from tlcourse.dialects.locations import point
from tlcourse.dialects.text import from_text
from tlcourse.passes.npuir.lifetimes import Buffer, buffers_of, order_of
from tlcourse.passes.npuir.memory_overflow import overflow
from tlcourse.passes.npuir.placement import Block

_FUNCTION = re.compile(
    r"^// -----// IR Dump After \S+ Failed \(hivm-plan-memory\).*\n(?P<text>(?s:.*))", re.MULTILINE
)
# The tool's own places, in its input, are none of the learner's.
_OWN_PLACE = re.compile(r'"(?:-|<stdin>)":\d+:\d+')


@dataclass(frozen=True, kw_only=True)
class Overflow:
    """What the tool says: the memory, and bytes that are needed and there."""

    space: str
    needed_bytes: int
    capacity_bytes: int


def tiles_of(stderr: str, found: Overflow, sources: SourceMap) -> Diagnostic | None:
    """The embedded planner's message for the function that the tool could not place.

    Args:
        stderr: what the tool wrote.
        found: what it says.
        sources: texts that hold the names of the tiles.

    Returns:
        None where the output holds no such function, or no buffer in the memory.
    """
    chip = next((c for c in CHIPS.values() if _fits(c, found)), None)
    function = _function(stderr)
    if chip is None or function is None:
        return None
    try:
        known = buffers_of(function, order_of(function))
    except TLError:  # a buffer of a size that only the launch knows
        return None
    buffers = [buffer for buffer in known if buffer.space == found.space]
    if not buffers:
        return None
    for buffer in buffers:
        buffer.op.memref.name_hint = _name_at(point(buffer.op.location), sources)
    groups, blocks = [[buffer] for buffer in buffers], _blocks(buffers, chip)
    told = overflow(function, groups, blocks, found.space, chip, found.needed_bytes)
    return told.diagnostic


def _fits(chip: Chip, found: Overflow) -> bool:
    return chip.sizes_bytes.get(found.space) == found.capacity_bytes


def _function(stderr: str) -> func.FuncOp | None:
    dump = _FUNCTION.search(stderr)
    if dump is None:
        return None
    try:
        module = from_text(_OWN_PLACE.sub("unknown", dump["text"]))
    except (ParseError, VerifyException):  # an attribute that only the tool can read
        return None
    return next((op for op in module.walk() if isinstance(op, func.FuncOp)), None)


def _name_at(place: FileLineColLoc | None, sources: SourceMap) -> str | None:
    """The variable that a line assigns, or the tile that its statement writes, its last one."""
    source = sources.get(place.filename.data) if place is not None else None
    if source is None or place is None:
        return None
    lines = source.text.splitlines()
    number = place.line.data
    try:
        (statement,) = ast.parse(lines[number - 1].strip()).body
    except (IndexError, SyntaxError, ValueError):  # the line is part of a longer statement
        return None
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case ast.Expr(value=ast.Call(args=[*_, last])):
            tile = last.value if isinstance(last, ast.Subscript) else last
            return tile.id if isinstance(tile, ast.Name) else None
        case _:
            return None


def _blocks(buffers: Sequence[Buffer], chip: Chip) -> list[Block]:
    granule = chip.align_bytes[buffers[0].space]
    return [
        Block(
            size_bytes=-(-buffer.size_bytes // granule) * granule,
            copies=buffer.copies,
            first=buffer.first,
            last=buffer.last,
            pipes=buffer.pipes,
        )
        for buffer in buffers
    ]
