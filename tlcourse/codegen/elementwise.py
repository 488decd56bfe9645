"""What both kinds of code need to know about a vector op: ranks, broadcast, scalars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DenseArrayBase, MemRefType, i64
from xdsl.ir import Attribute, Operation, SSAValue

from tlcourse.codegen.regions import Part, part_of
from tlcourse.codegen.scalars import cast_scalar
from tlcourse.codegen.writer import Writer
from tlcourse.dialects import tl
from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.hivm.choices import VCmpOp, VSelOp, VShROp
from tlcourse.dialects.hivm.vector import ELEMENTWISE, VBrcOp, VCastOp, element_of

VectorStatement = tl.ElementwiseOp | tl.BroadcastOp | tl.CastOp
Source = tuple[Part, tuple[int, ...]] | SSAValue


@dataclass(frozen=True, kw_only=True)
class Operands:
    """The operands of a vector op at one rank.

    Args:
        sources: parts with the dimensions that stay, or scalars in the destination's dtype.
        destination: the part that is written.
        dims: the dimensions of the destination that stay.
        broadcast: dimensions, after leaving out, along which a source is repeated.
    """

    sources: tuple[Source, ...]
    destination: Part
    dims: tuple[int, ...]
    broadcast: tuple[int, ...]


def sources_of(op: VectorStatement) -> Sequence[SSAValue]:
    """The sources of a vector statement."""
    return op.sources if isinstance(op, tl.ElementwiseOp) else (op.source,)


def operands_of(writer: Writer, op: VectorStatement) -> Operands:
    """Resolves the operands; leading dimensions of extent 1 go where ranks differ."""
    destination = part_of(writer, op.destination)
    element = _element(op, destination)
    parts = [_operand(writer, source, element) for source in sources_of(op)]
    tiles = [part for part in parts if isinstance(part, Part)]
    rank = min(len(part.sizes) for part in [*tiles, destination])
    return Operands(
        sources=tuple((p, _last(p, rank)) if isinstance(p, Part) else p for p in parts),
        destination=destination,
        dims=_last(destination, rank),
        broadcast=_broadcast(tiles, destination, rank),
    )


def instruction(
    op: VectorStatement,
    sources: Sequence[SSAValue],
    destination: SSAValue,
    broadcast: Sequence[int],
) -> PipeOp:
    """The HIVM op of a vector statement."""
    match op:
        case tl.CastOp():
            made = VCastOp(sources[0], destination, op.round_mode.data)
            made.broadcast = DenseArrayBase.from_list(i64, list(broadcast))
            return made
        case tl.BroadcastOp():
            return VBrcOp(sources[0], destination, broadcast)
        case tl.VcmpOp():
            return VCmpOp(sources, destination, op.mode.data)
        case tl.VshrOp():
            return VShROp(sources, destination, broadcast, rounds=op.round is not None)
        case tl.VselectOp():
            return VSelOp(sources, destination, broadcast)
        case _:
            return ELEMENTWISE[op.row.mnemonic](sources, destination, broadcast)


def is_plain_copy(op: Operation, operands: Operands) -> bool:
    """Whether a broadcast has nothing to repeat: HIVM refuses it, a copy does the same."""
    tile = isinstance(op, tl.BroadcastOp) and isinstance(op.source.type, MemRefType)
    return tile and not operands.broadcast


def _element(op: VectorStatement, destination: Part) -> Attribute:
    """The element type of scalar operands: a comparison's result is no guide."""
    return element_of(op.sources[0]) if isinstance(op, tl.VcmpOp) else destination.element


def _operand(writer: Writer, source: SSAValue, element: Attribute) -> Part | SSAValue:
    if isinstance(source.type, MemRefType):
        return part_of(writer, source)
    return cast_scalar(writer, source, element)


def _last(part: Part, rank: int) -> tuple[int, ...]:
    return tuple(range(len(part.sizes) - rank, len(part.sizes)))


def _broadcast(tiles: Sequence[Part], destination: Part, rank: int) -> tuple[int, ...]:
    wide = destination.sizes[-rank:]
    return tuple(
        dim
        for dim in range(rank)
        if wide[dim] != 1 and any(part.sizes[-rank:][dim] == 1 for part in tiles)
    )
