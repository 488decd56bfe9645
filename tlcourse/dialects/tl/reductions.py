"""Ops of Tile IR that run along a dimension: reductions and prefix sums."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def

from tlcourse.dialects.tl.tile_op import TileOp, integer, integers, numbers_of

INDEX_MODES = (
    "max_with_index_left",
    "max_with_index_right",
    "min_with_index_left",
    "min_with_index_right",
)
ABS_MODES = {"abssum": "sum", "absmax": "max"}
# What joins a result with the tile's old contents where these are kept.
JOINING = {"sum": "vadd", "max": "vmax", "min": "vmin", "abssum": "vadd", "absmax": "vmax"}
PLAIN_MODES = ("sum", "prod", "max", "min", "any", "all", "xori", "ori")
REDUCE_MODES = (*PLAIN_MODES, *INDEX_MODES, *ABS_MODES)


@irdl_op_definition
class ReduceOp(TileOp):
    """Reduces along dimensions, which keep extent 1; with `accumulate` into what was there.

    The modes with an index have a second destination: int32 positions along the dimension.
    """

    name = "tl.reduce"
    mode = prop_def(StringAttr)
    dims = prop_def(DenseArrayBase.constr(i64))
    accumulate = opt_prop_def(UnitAttr)
    assembly_format = (
        "(`accumulate` $accumulate^)? $mode $dims `ins` `(` $sources `:` type($sources) `)` "
        "`outs` `(` $destinations `:` type($destinations) `)` attr-dict"
    )

    def __init__(
        self,
        source: SSAValue,
        destinations: Sequence[SSAValue],
        mode: str,
        dims: Sequence[int],
        *,
        accumulate: bool = False,
    ) -> None:
        super().__init__(
            [source],
            destinations,
            {
                "mode": StringAttr(mode),
                "dims": integers(dims),
                "accumulate": UnitAttr() if accumulate else None,
            },
        )

    def dimensions(self) -> tuple[int, ...]:
        """The dimensions that are reduced."""
        return numbers_of(self.dims)

    def reads_destination(self) -> bool:
        return self.accumulate is not None


@irdl_op_definition
class CumsumOp(TileOp):
    """Sums up along a dimension: each element is the sum of those up to it; `reverse`: from it."""

    name = "tl.cumsum"
    dim = prop_def(IntegerAttr)
    reverse = opt_prop_def(UnitAttr)
    assembly_format = (
        "(`reverse` $reverse^)? $dim `ins` `(` $sources `:` type($sources) `)` "
        "`outs` `(` $destinations `:` type($destinations) `)` attr-dict"
    )

    def __init__(
        self, source: SSAValue, destination: SSAValue, dim: int, *, reverse: bool = False
    ) -> None:
        super().__init__(
            [source],
            [destination],
            {"dim": integer(dim), "reverse": UnitAttr() if reverse else None},
        )
