"""What the irregular tile ops of Tile IR share: they list what they read and what they write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, MemRefType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import AttrSizedOperandSegments, IRDLOperation, var_operand_def


class TileOp(IRDLOperation):
    """Base of the tile ops that are no row of the elementwise table.

    Every pass, executor and code generator asks these lists, so a new op needs no case there.
    """

    sources = var_operand_def(MemRefType)
    destinations = var_operand_def(MemRefType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "`ins` `(` $sources `:` type($sources) `)` "
        "`outs` `(` $destinations `:` type($destinations) `)` attr-dict"
    )

    def __init__(
        self,
        sources: Sequence[SSAValue],
        destinations: Sequence[SSAValue],
        properties: dict[str, Attribute | None] | None = None,
    ) -> None:
        super().__init__(operands=[sources, destinations], properties=properties or {})

    def reads_destination(self) -> bool:
        """Whether the op uses what its destinations held before."""
        return False


def integer(value: int) -> IntegerAttr[IntegerType]:
    """An integer property."""
    return IntegerAttr(value, i64)


def integers(values: Sequence[int]) -> DenseArrayBase:
    """An array property."""
    return DenseArrayBase.from_list(i64, list(values))


def numbers_of(array: DenseArrayBase) -> tuple[int, ...]:
    """The integers of an array property."""
    return tuple(int(n) for n in cast("DenseArrayBase[IntegerType]", array).iter_values())
