"""The frame of a kernel in Tile IR: grid, loops, core scopes, scalars and allocations."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    IntegerAttr,
    MemRefType,
    StringAttr,
    i32,
)
from xdsl.ir import Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import NoTerminator, Pure

from tlcourse.dialects.tl.buffers import Core, LoopKind, name_hint


@irdl_op_definition
class KernelOp(IRDLOperation):
    """The grid of logical blocks. Block arguments: cid, (by where the grid is 2-D,) vid: i32."""

    name = "tl.kernel"
    grid = var_operand_def(i32)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "`(` $grid `)` $body attr-dict"

    def __init__(self, grid: Sequence[SSAValue], body: Region) -> None:
        super().__init__(operands=[grid], regions=[body])


@irdl_op_definition
class ForOp(IRDLOperation):
    """A loop from `lower` to `upper` by 1. Block argument: the loop variable, i32."""

    name = "tl.for"
    lower = operand_def(i32)
    upper = operand_def(i32)
    kind = prop_def(StringAttr)
    num_stages = opt_prop_def(IntegerAttr)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "$kind $lower `to` $upper (`num_stages` `=` $num_stages^)? $body attr-dict"

    def __init__(
        self,
        lower: SSAValue,
        upper: SSAValue,
        kind: LoopKind,
        body: Region,
        num_stages: int | None = None,
    ) -> None:
        stages = None if num_stages is None else IntegerAttr(num_stages, i32)
        super().__init__(
            operands=[lower, upper],
            properties={"kind": StringAttr(kind), "num_stages": stages},
            regions=[body],
        )

    @property
    def variable(self) -> SSAValue:
        """The loop variable."""
        return self.body.block.args[0]


@irdl_op_definition
class ScopeOp(IRDLOperation):
    """Code for one kind of core: `T.Scope("Cube")` or `T.Scope("Vector")`."""

    name = "tl.scope"
    core = prop_def(StringAttr)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "$core $body attr-dict"

    def __init__(self, core: Core, body: Region) -> None:
        super().__init__(properties={"core": StringAttr(core)}, regions=[body])


@irdl_op_definition
class LetOp(IRDLOperation):
    """A scalar under the learner's name: an identity that Simplify removes."""

    name = "tl.let"
    value = operand_def()
    label = prop_def(StringAttr)
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$label `=` $value `:` type($value) `->` type($result) attr-dict"

    def __init__(self, label: str, value: SSAValue) -> None:
        super().__init__(
            operands=[value], result_types=[value.type], properties={"label": StringAttr(label)}
        )
        self.result.name_hint = name_hint(label)


@irdl_op_definition
class FloorModOp(IRDLOperation):
    """Python's `%` on i32: the result has the sign of the divisor."""

    name = "tl.floormod"
    lhs = operand_def(i32)
    rhs = operand_def(i32)
    result = result_def(i32)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict"

    def __init__(self, lhs: SSAValue, rhs: SSAValue) -> None:
        super().__init__(operands=[lhs, rhs], result_types=[i32])


@irdl_op_definition
class AllocOp(IRDLOperation):
    """An on-chip buffer under the learner's name; its contents are undefined until written."""

    name = "tl.alloc"
    label = prop_def(StringAttr)
    result = result_def(MemRefType)
    assembly_format = "$label `:` type($result) attr-dict"

    def __init__(self, label: str, kind: MemRefType) -> None:
        super().__init__(result_types=[kind], properties={"label": StringAttr(label)})
        self.result.name_hint = name_hint(label)
