"""The tosa dialect: what a neural network computes, one op per mathematical function of tensors.

xDSL's ops, except for those that the AscendNPU IR compiler reads and prints in another form, or
that xDSL lacks.
"""

from __future__ import annotations

from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    I8,
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    TensorType,
    i64,
)
from xdsl.dialects.tosa import (
    TOSA as XDSL_TOSA,
)
from xdsl.dialects.tosa import (
    ElementwiseBinaryOperation,
    ElementwiseUnaryOperation,
)
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Commutative, ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

_FloatTensor = TensorType[AnyFloat]


@irdl_op_definition
class ConstOp(IRDLOperation):
    """`"tosa.const"() <{value = dense<..> : T}> : () -> T`: a tensor known beforehand."""

    name = "tosa.const"
    value = prop_def(DenseIntOrFPElementsAttr)
    output = result_def(TensorType)
    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, value: DenseIntOrFPElementsAttr) -> None:
        super().__init__(properties={"value": value}, result_types=[value.get_type()])


@irdl_op_definition
class ClampOp(IRDLOperation):
    """`tosa.clamp %x {min_fp = 0.0 : f32, ..} : (T) -> T`: each element moved into a range.

    Floats go by `min_fp` and `max_fp`, integers by `min_int` and `max_int`. NaN stays NaN.
    """

    name = "tosa.clamp"
    T: ClassVar[VarConstraint] = VarConstraint("T", AnyAttr())
    min_int = prop_def(IntegerAttr)
    max_int = prop_def(IntegerAttr)
    min_fp = prop_def(FloatAttr)
    max_fp = prop_def(FloatAttr)
    input = operand_def(TensorType.constr(T))
    output = result_def(TensorType.constr(T))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$input attr-dict `:` `(` type($input) `)` `->` type($output)"

    def __init__(self, value: SSAValue, least: float, most: float) -> None:
        kind = cast("_FloatTensor", value.type)
        super().__init__(
            operands=[value],
            properties={
                "min_int": IntegerAttr(int(least), i64),
                "max_int": IntegerAttr(int(most), i64),
                "min_fp": FloatAttr(least, kind.element_type),
                "max_fp": FloatAttr(most, kind.element_type),
            },
            result_types=[kind],
        )


@irdl_op_definition
class MulOp(ElementwiseBinaryOperation):
    """`tosa.mul %a, %b {shift = 0 : i8} : (T, T) -> T`: the product, element by element."""

    name = "tosa.mul"
    shift = opt_prop_def(IntegerAttr[I8])
    traits = traits_def(Pure(), Commutative())
    irdl_options = (ParsePropInAttrDict(),)


@irdl_op_definition
class MaximumOp(ElementwiseBinaryOperation):
    """`tosa.maximum %a, %b : (T, T) -> T`: the greater element, NaN where one of them is."""

    name = "tosa.maximum"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class MinimumOp(ElementwiseBinaryOperation):
    """`tosa.minimum %a, %b : (T, T) -> T`: the lesser element, NaN where one of them is."""

    name = "tosa.minimum"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class ExpOp(ElementwiseUnaryOperation[_FloatTensor]):
    """`tosa.exp %a : (T) -> T`: e to the power of each element."""

    name = "tosa.exp"


@irdl_op_definition
class AbsOp(ElementwiseUnaryOperation[_FloatTensor]):
    """`tosa.abs %a : (T) -> T`: each element without its sign."""

    name = "tosa.abs"


@irdl_op_definition
class SigmoidOp(ElementwiseUnaryOperation[_FloatTensor]):
    """`tosa.sigmoid %a : (T) -> T`: 1 / (1 + exp(-x)) of each element."""

    name = "tosa.sigmoid"


@irdl_op_definition
class MatMulOp(IRDLOperation):
    """`tosa.matmul %a, %b : (B x M x K, B x K x N) -> B x M x N`: a batch of matrix products."""

    name = "tosa.matmul"
    a = operand_def(TensorType)
    b = operand_def(TensorType)
    c = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        a, b, c = (_shape(value) for value in (self.a, self.b, self.c))
        if not len(a) == len(b) == len(c) == 3:
            raise VerifyException("tosa.matmul takes tensors of three dimensions")
        if a[0] != b[0] or a[2] != b[1] or c != (a[0], a[1], b[2]):
            raise VerifyException(f"tosa.matmul cannot make {c} of {a} and {b}")


def _shape(value: SSAValue) -> tuple[int, ...]:
    return cast("TensorType[Attribute]", value.type).get_shape()


_OWN = (
    ConstOp,
    ClampOp,
    MulOp,
    MaximumOp,
    MinimumOp,
    ExpOp,
    AbsOp,
    SigmoidOp,
    MatMulOp,
)
_NAMES = {op.name for op in _OWN}

TOSA = Dialect(
    "tosa",
    [*(op for op in XDSL_TOSA.operations if op.name not in _NAMES), *_OWN],
    list(XDSL_TOSA.attributes),
)
