"""Ops of Tile IR that move elements inside the chip, make index tiles, or add into GM."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, i32, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    var_operand_def,
)

from tlcourse.dialects.tl.tile_op import TileOp, integer, integers, numbers_of

CHANNELS = ("ALL_CHANNELS", "CHANNEL_0", "CHANNEL_1")
_MOVES = (
    " `ins` `(` $sources `:` type($sources) `)` "
    "`outs` `(` $destinations `:` type($destinations) `)` attr-dict"
)


@irdl_op_definition
class TransposeOp(TileOp):
    """Permutes: dimension i of the result is dimension `permutation[i]` of the source."""

    name = "tl.transpose"
    permutation = prop_def(DenseArrayBase.constr(i64))
    assembly_format = "$permutation" + _MOVES

    def __init__(self, source: SSAValue, destination: SSAValue, permutation: Sequence[int]) -> None:
        super().__init__([source], [destination], {"permutation": integers(permutation)})

    def order(self) -> tuple[int, ...]:
        """The permutation."""
        return numbers_of(self.permutation)


@irdl_op_definition
class ConcatOp(TileOp):
    """Joins tiles along a dimension."""

    name = "tl.concat"
    dim = prop_def(IntegerAttr)
    assembly_format = "$dim" + _MOVES

    def __init__(self, sources: Sequence[SSAValue], destination: SSAValue, dim: int) -> None:
        super().__init__(sources, [destination], {"dim": integer(dim)})


@irdl_op_definition
class PadOp(TileOp):
    """Surrounds a tile with a number; `low` and `high` hold one i32 for each dimension."""

    name = "tl.pad"
    value = operand_def()
    low = var_operand_def(i32)
    high = var_operand_def(i32)
    assembly_format = (
        "`[` $low `]` `[` $high `]` `value` `(` $value `:` type($value) `)` "
        "`ins` `(` $sources `:` type($sources) `)` "
        "`outs` `(` $destinations `:` type($destinations) `)` attr-dict"
    )

    def __init__(
        self,
        source: SSAValue,
        destination: SSAValue,
        value: SSAValue,
        low: Sequence[SSAValue],
        high: Sequence[SSAValue],
    ) -> None:
        super(TileOp, self).__init__(operands=[value, low, high, [source], [destination]])


@irdl_op_definition
class InterleaveOp(TileOp):
    """Takes elements of two tiles in turn along the last dimension."""

    name = "tl.interleave"

    def __init__(self, sources: Sequence[SSAValue], destination: SSAValue) -> None:
        super().__init__(sources, [destination])


@irdl_op_definition
class DeinterleaveOp(TileOp):
    """Splits the last dimension in even and odd positions; a channel word keeps one of them."""

    name = "tl.deinterleave"
    channels = prop_def(StringAttr)
    assembly_format = "$channels" + _MOVES

    def __init__(self, source: SSAValue, destinations: Sequence[SSAValue], channels: str) -> None:
        super().__init__([source], destinations, {"channels": StringAttr(channels)})


@irdl_op_definition
class FlipOp(TileOp):
    """Reverses the order along a dimension."""

    name = "tl.flip"
    axis = prop_def(IntegerAttr)
    assembly_format = "$axis" + _MOVES

    def __init__(self, source: SSAValue, destination: SSAValue, axis: int) -> None:
        super().__init__([source], [destination], {"axis": integer(axis)})


@irdl_op_definition
class GatherOp(TileOp):
    """Picks along the last dimension: dst[.., j] = src[.., indices[.., j]]. Sources: both."""

    name = "tl.gather"

    def __init__(self, source: SSAValue, indices: SSAValue, destination: SSAValue) -> None:
        super().__init__([source, indices], [destination])


@irdl_op_definition
class ArangeOp(TileOp):
    """Fills with offset + the sum of index times stride; one i32 stride for each dimension."""

    name = "tl.arange"
    offset = operand_def(i32)
    strides = var_operand_def(i32)
    assembly_format = (
        "$offset `[` $strides `]` (`ins` `(` $sources^ `:` type($sources) `)`)? "
        "`outs` `(` $destinations `:` type($destinations) `)` attr-dict"
    )

    def __init__(
        self, destination: SSAValue, strides: Sequence[SSAValue], offset: SSAValue
    ) -> None:
        super(TileOp, self).__init__(operands=[offset, strides, [], [destination]])


@irdl_op_definition
class ReshapeOp(TileOp):
    """The elements of a tile, row by row, in another shape of as many elements."""

    name = "tl.reshape"

    def __init__(self, source: SSAValue, destination: SSAValue) -> None:
        super().__init__([source], [destination])


@irdl_op_definition
class AtomicAddOp(TileOp):
    """Adds a tile into global memory, element by element, while other cores may do the same."""

    name = "tl.atomic_add"

    def __init__(self, source: SSAValue, destination: SSAValue) -> None:
        super().__init__([source], [destination])

    def reads_destination(self) -> bool:
        return True
