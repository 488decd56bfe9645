"""Vector ops of HIVM that sort, multiply up, or give a product in two halves."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerAttr, MemRefType, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
    var_result_def,
)

from tlcourse.dialects.hivm.assembly import AttrDict, Clause, Dims, Flag, Group, Result
from tlcourse.dialects.hivm.base import Cost, result_types
from tlcourse.dialects.hivm.clauses import Number
from tlcourse.dialects.hivm.shapes import MovingOp
from tlcourse.dialects.hivm.vector import dims_of

_INS, _OUTS = Group("ins", ("src",)), Group("outs", ("dst",))
_TEMP = Group("temp_buffer", ("temp_buffer",))


class SequenceOp(MovingOp):
    """Base of the ops whose elements depend on all those before them."""

    @property
    def cost(self) -> Cost:
        return Cost(kind="vector", cost_class="scalar")


@irdl_op_definition
class VCumprodOp(SequenceOp):
    """Multiplies up along a dimension: `vcumprod ins outs cum_dims = [0] reverse = false`."""

    name = "hivm.hir.vcumprod"
    src = operand_def()
    dst = operand_def()
    cum_dims = prop_def(DenseArrayBase)
    reverse = opt_prop_def(BoolAttr)
    result = var_result_def(TensorType)

    def __init__(
        self, source: SSAValue, destination: SSAValue, dim: int, *, reverse: bool = False
    ) -> None:
        super().__init__(
            operands=[source, destination],
            result_types=[result_types(destination)],
            properties={
                "cum_dims": DenseArrayBase.from_list(i64, [dim]),
                "reverse": BoolAttr.from_bool(reverse),
            },
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        dims, reverse = Dims("cum_dims", "cum_dims"), Flag("reverse", "reverse")
        return (AttrDict(), _INS, _OUTS, dims, reverse, Result())

    def meaning(self) -> str:
        reverse = self.reverse is not None and bool(self.reverse.value.data)
        return f"numeric.cumprod({{o}}, {{0}}, {dims_of(self.cum_dims)[0]}, {reverse})"


@irdl_op_definition
class VSortOp(SequenceOp):
    """Sorts the last dimension: `vsort ins outs(%v, %i) descending = true sort_axis = 0`."""

    name = "hivm.hir.vsort"
    src = operand_def()
    dst = var_operand_def()
    temp_buffer = opt_operand_def(MemRefType)
    descending = opt_prop_def(BoolAttr)
    sort_axis = prop_def(IntegerAttr)
    result = var_result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self, source: SSAValue, destinations: Sequence[SSAValue], axis: int, *, descending: bool
    ) -> None:
        super().__init__(
            operands=[source, destinations, []],
            result_types=[result_types(*destinations)],
            properties={
                "descending": BoolAttr.from_bool(descending),
                "sort_axis": IntegerAttr(axis, i64),
            },
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        order, axis = Flag("descending", "descending"), Number("sort_axis", "sort_axis")
        return (AttrDict(), _INS, _OUTS, order, axis, _TEMP, Result())

    @property
    def is_descending(self) -> bool:
        """Whether the greatest element comes first."""
        return self.descending is not None and bool(self.descending.value.data)

    def meaning(self) -> str:
        outputs = "({o}, {o1})" if len(self.dst) == 2 else "({o},)"
        axis = self.sort_axis.value.data
        return f"numeric.sort({outputs}, {{0}}, {axis}, {self.is_descending})"


@irdl_op_definition
class VMulextendedOp(MovingOp):
    """The low and the high half of each product: `vmulextended ins(%a, %b) outs(%lo, %hi)`."""

    name = "hivm.hir.vmulextended"
    src = var_operand_def()
    dst = var_operand_def()
    temp_buffer = opt_operand_def(MemRefType)
    result = var_result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(self, sources: Sequence[SSAValue], destinations: Sequence[SSAValue]) -> None:
        super().__init__(
            operands=[sources, destinations, []], result_types=[result_types(*destinations)]
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (AttrDict(), _INS, _OUTS, _TEMP, Result())

    def pairs_elements(self) -> bool:
        return True

    def meaning(self) -> str:
        return "numeric.multiply_extended(({o}, {o1}), {0}, {1})"


SEQUENCES = [VCumprodOp, VSortOp, VMulextendedOp]
