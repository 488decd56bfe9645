"""The llvm dialect: xDSL's ops, and two functions of floats that it lacks."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import AnyFloatConstr
from xdsl.dialects.llvm import LLVM as XDSL_LLVM
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure


class _FloatPairOp(IRDLOperation):
    """Base of the functions of two floats."""

    T: ClassVar[VarConstraint] = VarConstraint("T", AnyFloatConstr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "`(` operands `)` attr-dict `:` functional-type(operands, results)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue) -> None:
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])


@irdl_op_definition
class MaximumOp(_FloatPairOp):
    """`llvm.intr.maximum(%a, %b) : (f32, f32) -> f32`: the greater one; NaN where one of them is.

    `llvm.intr.maxnum`, which xDSL has, gives the other number instead.
    """

    name = "llvm.intr.maximum"


@irdl_op_definition
class MinimumOp(_FloatPairOp):
    """`llvm.intr.minimum(%a, %b) : (f32, f32) -> f32`: the lesser one; NaN where one of them is."""

    name = "llvm.intr.minimum"


LLVM = Dialect("llvm", [*XDSL_LLVM.operations, MaximumOp, MinimumOp], list(XDSL_LLVM.attributes))
