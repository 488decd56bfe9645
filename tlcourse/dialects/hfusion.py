"""The HFusion dialect: elementwise ops on whole tensors, before anyone thinks of cores.

Above HIVM a kernel says what it computes, not where: named ops on tensors, linalg's where MLIR
has them and hfusion's for the rest. Both are one op per number of operands; a word says which
function it is.

```
linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(%a : T) outs(%e : T) -> T
hfusion.elemwise_unary {fun = #hfusion.unary_fn<relu>} ins(%a : T) outs(%e : T) -> T
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.linalg import Linalg as XdslLinalg
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    opt_region_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tlcourse.dialects.hivm.assembly import AttrDict, Clause, Group, Parts, Result
from tlcourse.dialects.hivm.attrs import EnumWord, define_enum
from tlcourse.dialects.hivm.base import DestinationOp, result_types
from tlcourse.dialects.linalg import BatchMatmulOp

LinalgUnaryFnAttr = define_enum(
    "linalg.unary_fn",
    "LinalgUnaryFnAttr",
    "exp log abs ceil floor negf reciprocal round sqrt rsqrt square tanh erf",
    "A function of one number.",
)
LinalgBinaryFnAttr = define_enum(
    "linalg.binary_fn",
    "LinalgBinaryFnAttr",
    "add sub mul div div_unsigned max_signed min_signed max_unsigned min_unsigned powf",
    "A function of two numbers.",
)
UnaryFnAttr = define_enum(
    "hfusion.unary_fn",
    "UnaryFnAttr",
    "relu sqrt rsqrt rec vnot tanh sin cos atan tan absi erf log2 log10 log1p exp2 expm1 ilogb "
    "asin acos asinh acosh atanh sinh lgamma",
    "A function of one number that linalg lacks.",
)
BinaryFnAttr = define_enum(
    "hfusion.binary_fn",
    "BinaryFnAttr",
    "vor vand vxor minf maxf powf mod modui shli shrsi shrui ldexp ceildivsi ceildivui "
    "floordivsi powi minnumf maxnumf atan2",
    "A function of two numbers that linalg lacks.",
)
FusionKindAttr = define_enum(
    "hfusion.fusion_kind",
    "FusionKindAttr",
    "PURE_ELEMWISE ANY_PB LAST_AXIS_PBR ANY_PBR SINGLE_CUBE SHALLOW_CV SHALLOW_VV MIX_CV MIX_C2 "
    "UNKNOWN",
    "Which ops a fused kernel is made of.",
)


class ElemwiseOp(DestinationOp):
    """Base of the elementwise ops: `fun` of the inputs, point by point, into `outs`.

    Generic text of the real compiler spells the function out in a region. It is kept for the way
    back; readable text leaves it out, and the real compiler then writes it anew.
    """

    ARITY: ClassVar[int]
    DEFAULT: ClassVar[EnumWord]
    fun = prop_def(EnumWord)
    inputs = var_operand_def()
    outputs = var_operand_def()
    result = var_result_def(TensorType)
    spelled_out = opt_region_def()

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            AttrDict(),
            Group("ins", ("inputs",)),
            Group("outs", ("outputs",)),
            Result(),
        )

    @classmethod
    def normalise(cls, parts: Parts) -> None:
        parts.properties.setdefault("fun", cls.DEFAULT)

    def sources(self) -> Sequence[SSAValue]:
        return tuple(self.inputs)

    def destinations(self) -> Sequence[SSAValue]:
        return tuple(self.outputs)

    @property
    def word(self) -> str:
        """The function by its name."""
        return self.fun.data

    def with_operands(self, inputs: Sequence[SSAValue], output: SSAValue) -> Self:
        """The same function of other operands."""
        return type(self).build(
            operands=[inputs, [output]],
            result_types=[result_types(output)],
            properties={"fun": self.fun},
            attributes=dict(self.attributes),
            regions=[[]],
        )

    def verify_(self) -> None:
        if len(self.inputs) != self.ARITY or len(self.outputs) != 1:
            raise VerifyException(
                f"{self.name} takes {self.ARITY} inputs and one output, "
                f"not {len(self.inputs)} and {len(self.outputs)}"
            )


@irdl_op_definition
class LinalgElemwiseUnaryOp(ElemwiseOp):
    """A function of linalg of one tensor."""

    name = "linalg.elemwise_unary"
    ARITY: ClassVar[int] = 1
    DEFAULT: ClassVar[EnumWord] = LinalgUnaryFnAttr("exp")
    fun = prop_def(LinalgUnaryFnAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())


@irdl_op_definition
class LinalgElemwiseBinaryOp(ElemwiseOp):
    """A function of linalg of two tensors."""

    name = "linalg.elemwise_binary"
    ARITY: ClassVar[int] = 2
    DEFAULT: ClassVar[EnumWord] = LinalgBinaryFnAttr("add")
    fun = prop_def(LinalgBinaryFnAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())


@irdl_op_definition
class ElemwiseUnaryOp(ElemwiseOp):
    """A function of hfusion of one tensor."""

    name = "hfusion.elemwise_unary"
    ARITY: ClassVar[int] = 1
    DEFAULT: ClassVar[EnumWord] = UnaryFnAttr("sqrt")
    fun = prop_def(UnaryFnAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())


@irdl_op_definition
class ElemwiseBinaryOp(ElemwiseOp):
    """A function of hfusion of two tensors."""

    name = "hfusion.elemwise_binary"
    ARITY: ClassVar[int] = 2
    DEFAULT: ClassVar[EnumWord] = BinaryFnAttr("vand")
    fun = prop_def(BinaryFnAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())


Linalg = Dialect(
    "linalg",
    [*XdslLinalg.operations, BatchMatmulOp, LinalgElemwiseUnaryOp, LinalgElemwiseBinaryOp],
    [*XdslLinalg.attributes, LinalgUnaryFnAttr, LinalgBinaryFnAttr],
)
HFusion = Dialect(
    "hfusion", [ElemwiseUnaryOp, ElemwiseBinaryOp], [UnaryFnAttr, BinaryFnAttr, FusionKindAttr]
)
