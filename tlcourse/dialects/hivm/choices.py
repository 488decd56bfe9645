"""Vector ops of HIVM with a bool tile or a property: comparison, choice, shift; bitcast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, MemRefType, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure

from tlcourse.dialects.hivm.assembly import AttrDict, Clause, Dims, Flag, Group, Result, Word
from tlcourse.dialects.hivm.attrs import CompareModeAttr
from tlcourse.dialects.hivm.base import Batch, Cost, result_types
from tlcourse.dialects.hivm.vector import ElementwiseOp, VectorPipeOp, element_of
from tlcourse.dialects.vector_ops import CHOICE_OPS

_INS, _OUTS = Group("ins", ("src",)), Group("outs", ("dst",))
_TEMP = Group("temp_buffer", ("temp_buffer",))
_ALONG_THE_WAY = (Dims("broadcast", "broadcast"), Dims("transpose", "transpose"), Result())


def _dims(values: Sequence[int] = ()) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, list(values))


@irdl_op_definition
class VCmpOp(VectorPipeOp):
    """Compares into a bool tile: `vcmp ins(%a, %b) outs(%m) compare_mode = <ge>`."""

    name = "hivm.hir.vcmp"
    src = var_operand_def()
    dst = var_operand_def()
    compare_mode = opt_prop_def(CompareModeAttr)
    transpose = opt_prop_def(DenseArrayBase)
    broadcast = opt_prop_def(DenseArrayBase)
    result = var_result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(self, sources: Sequence[SSAValue], destination: SSAValue, mode: str) -> None:
        super().__init__(
            operands=[sources, [destination]],
            result_types=[result_types(destination)],
            properties={
                "compare_mode": CompareModeAttr(mode),
                "transpose": _dims(),
                "broadcast": _dims(),
            },
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        mode = Word("compare_mode", CompareModeAttr, "compare_mode", default="eq")
        return (AttrDict(), _INS, _OUTS, mode, *_ALONG_THE_WAY)

    @property
    def cost(self) -> Cost:
        return Cost(kind="vector", cost_class=CHOICE_OPS["vcmp"].cost)

    def sources(self) -> Sequence[SSAValue]:
        return tuple(self.src)

    def destinations(self) -> Sequence[SSAValue]:
        return tuple(self.dst)

    def scalars_like(self) -> str:
        return "{0}"

    def batch(self) -> Batch:
        return "tiles"

    def meaning(self) -> str:
        mode = self.compare_mode.data if self.compare_mode else "eq"
        return CHOICE_OPS["vcmp"].meaning.replace("MODE", mode)


@irdl_op_definition
class VSelOp(ElementwiseOp):
    """Takes %a where the mask is true, else %b: `vsel ins(%mask, %a, %b) outs(%c)`."""

    name = "hivm.hir.vsel"

    @property
    def cost(self) -> Cost:
        return Cost(kind="vector", cost_class=CHOICE_OPS["vselect"].cost)

    def meaning(self) -> str:
        return CHOICE_OPS["vselect"].meaning


@irdl_op_definition
class VShROp(VectorPipeOp):
    """Shifts right with the sign: `vshr ins(%a, %b) outs(%c) round : true`."""

    name = "hivm.hir.vshr"
    src = var_operand_def()
    dst = var_operand_def()
    temp_buffer = opt_operand_def(MemRefType)
    round = opt_prop_def(BoolAttr)
    transpose = opt_prop_def(DenseArrayBase)
    broadcast = opt_prop_def(DenseArrayBase)
    result = var_result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        sources: Sequence[SSAValue],
        destination: SSAValue,
        broadcast: Sequence[int] = (),
        *,
        rounds: bool,
    ) -> None:
        super().__init__(
            operands=[sources, [destination], []],
            result_types=[result_types(destination)],
            properties={
                "round": BoolAttr.from_bool(rounds),
                "transpose": _dims(),
                "broadcast": _dims(broadcast),
            },
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (AttrDict(), _INS, _OUTS, _TEMP, Flag("round", "round", ":"), *_ALONG_THE_WAY)

    @property
    def cost(self) -> Cost:
        return Cost(kind="vector", cost_class=CHOICE_OPS["vshr"].cost)

    def sources(self) -> Sequence[SSAValue]:
        return tuple(self.src)

    def destinations(self) -> Sequence[SSAValue]:
        return tuple(self.dst)

    def batch(self) -> Batch:
        return "tiles"

    def meaning(self) -> str:
        # Rounding is the default of the instruction; only a scalar amount has it.
        wanted = self.round is None or bool(self.round.value.data)
        by_tile = isinstance(self.src[1].type, (MemRefType, TensorType))
        return CHOICE_OPS["vshr"].meaning.replace("ROUND", str(wanted and not by_tile))


@irdl_op_definition
class BitcastOp(IRDLOperation):
    """The same bytes as another element type of the same width: a view, no instruction."""

    name = "hivm.hir.bitcast"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$src `:` type($src) `->` type($result) attr-dict"

    def __init__(self, source: SSAValue, element: Attribute) -> None:
        super().__init__(operands=[source], result_types=[_with_element(source, element)])


def _with_element(source: SSAValue, element: Attribute) -> Attribute:
    kind = source.type
    if isinstance(kind, MemRefType):
        here = cast("MemRefType[Attribute]", kind)
        return MemRefType(element, here.get_shape(), here.layout, here.memory_space)
    assert isinstance(kind, TensorType), f"{element_of(source)} is no tile"
    return TensorType(element, cast("TensorType[Attribute]", kind).get_shape())


CHOICES = [VCmpOp, VSelOp, VShROp, BitcastOp]
