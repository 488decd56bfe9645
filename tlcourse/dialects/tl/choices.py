"""Elementwise ops of Tile IR with a bool tile or a property: comparison, choice, shift; bits."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType, StringAttr, UnitAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def

from tlcourse.dialects.tl.tile_op import TileOp
from tlcourse.dialects.tl.tiles import ElementwiseOp

COMPARE_MODES = ("eq", "ne", "lt", "gt", "ge", "le")
_OPERANDS = (
    "`ins` `(` $sources `:` type($sources) `)` "
    "`outs` `(` $destination `:` type($destination) `)` attr-dict"
)


@irdl_op_definition
class VcmpOp(ElementwiseOp):
    """Compares a tile with a tile or scalar; the destination is a bool tile."""

    name = "tl.vcmp"
    mode = prop_def(StringAttr)
    assembly_format = "$mode " + _OPERANDS

    def __init__(self, sources: Sequence[SSAValue], destination: SSAValue, mode: str) -> None:
        super(ElementwiseOp, self).__init__(
            operands=[sources, destination], properties={"mode": StringAttr(mode)}
        )

    def statement(self, dtype: str) -> str:
        return self.row.torch_statement(dtype).replace("MODE", self.mode.data)


@irdl_op_definition
class VshrOp(ElementwiseOp):
    """Shifts right with the sign; `round` adds half of the last bit, for scalar amounts only."""

    name = "tl.vshr"
    round = opt_prop_def(UnitAttr)
    assembly_format = "(`round` $round^)? " + _OPERANDS

    def __init__(
        self, sources: Sequence[SSAValue], destination: SSAValue, *, rounds: bool = False
    ) -> None:
        super(ElementwiseOp, self).__init__(
            operands=[sources, destination],
            properties={"round": UnitAttr() if rounds else None},
        )

    def statement(self, dtype: str) -> str:
        by_scalar = not isinstance(self.sources[1].type, MemRefType)
        rounds = self.round is not None and by_scalar
        return self.row.torch_statement(dtype).replace("ROUND", str(rounds))


@irdl_op_definition
class VselectOp(ElementwiseOp):
    """Takes the second source where the first, a bool tile, is true, else the third."""

    name = "tl.vselect"
    assembly_format = _OPERANDS


@irdl_op_definition
class BitcastOp(TileOp):
    """The bits of a tile as a tile of another dtype of the same width."""

    name = "tl.bitcast"

    def __init__(self, source: SSAValue, destination: SSAValue) -> None:
        super().__init__([source], [destination])


CHOICES: dict[str, type[ElementwiseOp]] = {
    "vcmp": VcmpOp,
    "vshr": VshrOp,
    "vselect": VselectOp,
}
