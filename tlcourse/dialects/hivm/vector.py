"""Vector ops of HIVM. Regular ones are made from the table VECTOR_OPS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerType,
    MemRefType,
    ShapedType,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, SSAValue
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

from tlcourse.dialects.dtypes import dtype_of
from tlcourse.dialects.hivm.assembly import AttrDict, Clause, Dims, Group, Result, Word
from tlcourse.dialects.hivm.attrs import CastAttr, ReduceOpAttr, RoundModeAttr
from tlcourse.dialects.hivm.base import Batch, Core, Cost, PipeOp, result_types
from tlcourse.dialects.vector_ops import VECTOR_OPS, VectorOp


def element_of(value: SSAValue) -> Attribute:
    """The element type of a memref or tensor, or the type of a scalar."""
    return shaped(value).element_type if isinstance(value.type, ShapedType) else value.type


def shaped(value: SSAValue) -> MemRefType | TensorType[Attribute]:
    """The type of a memref or tensor."""
    assert isinstance(value.type, (MemRefType, TensorType))
    return cast(MemRefType | TensorType[Attribute], value.type)


def dims_of(array: DenseArrayBase) -> list[int]:
    """The dimensions that an array property lists."""
    return [int(dim) for dim in cast(DenseArrayBase[IntegerType], array).get_values()]


class VectorPipeOp(PipeOp):
    """Base of the ops of PIPE_V. On tensors an op has one result, on memrefs none."""

    @property
    def pipe(self) -> str:
        return "PIPE_V"

    @property
    def core(self) -> Core:
        return "VECTOR"


class ElementwiseOp(VectorPipeOp):
    """Base of the ops made from VECTOR_OPS: `hivm.hir.vexp ins(..) outs(..) broadcast = [1]`."""

    src = var_operand_def()
    dst = var_operand_def()
    temp_buffer = opt_operand_def(MemRefType)
    transpose = opt_prop_def(DenseArrayBase)
    broadcast = opt_prop_def(DenseArrayBase)
    result = var_result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self, sources: Sequence[SSAValue], destination: SSAValue, broadcast: Sequence[int] = ()
    ) -> None:
        empty = DenseArrayBase.from_list(i64, [])
        super().__init__(
            operands=[sources, [destination], []],
            result_types=[result_types(destination)],
            properties={
                "transpose": empty,
                "broadcast": DenseArrayBase.from_list(i64, list(broadcast)),
            },
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            AttrDict(),
            Group("ins", ("src",)),
            Group("outs", ("dst",)),
            Group("temp_buffer", ("temp_buffer",)),
            Dims("broadcast", "broadcast"),
            Dims("transpose", "transpose"),
            Result(),
        )

    @property
    def row(self) -> VectorOp:
        """The op's row in VECTOR_OPS."""
        return VECTOR_OPS[self.name.removeprefix("hivm.hir.")]

    @property
    def cost(self) -> Cost:
        return Cost(kind="vector", cost_class=self.row.cost)

    def sources(self) -> Sequence[SSAValue]:
        return tuple(self.src)

    def destinations(self) -> Sequence[SSAValue]:
        return tuple(self.dst)

    def batch(self) -> Batch:
        return "tiles"

    def meaning(self) -> str:
        return self.row.torch_statement(dtype_of(element_of(self.dst[0])).name)


def _elementwise(row: VectorOp) -> type[ElementwiseOp]:
    members = {"__module__": __name__, "__doc__": row.doc, "name": f"hivm.hir.{row.mnemonic}"}
    class_name = f"V{row.mnemonic[1:].capitalize()}Op"
    return irdl_op_definition(type(class_name, (ElementwiseOp,), members))


ELEMENTWISE: dict[str, type[ElementwiseOp]] = {
    mnemonic: _elementwise(row) for mnemonic, row in VECTOR_OPS.items()
}


@irdl_op_definition
class VCastOp(VectorPipeOp):
    """Converts elements: `hivm.hir.vcast ins(..) outs(..) round_mode = <rint>`."""

    name = "hivm.hir.vcast"
    src = var_operand_def()
    dst = var_operand_def()
    temp_buffer = opt_operand_def(MemRefType)
    round_mode = opt_prop_def(RoundModeAttr)
    cast = opt_prop_def(CastAttr)
    transpose = opt_prop_def(DenseArrayBase)
    broadcast = opt_prop_def(DenseArrayBase)
    result = var_result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(self, source: SSAValue, destination: SSAValue, round_mode: str = "rint") -> None:
        empty = DenseArrayBase.from_list(i64, [])
        super().__init__(
            operands=[[source], [destination], []],
            result_types=[result_types(destination)],
            properties={
                "round_mode": RoundModeAttr(round_mode),
                "cast": CastAttr("cast_signed"),
                "transpose": empty,
                "broadcast": empty,
            },
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            AttrDict(),
            Group("ins", ("src",)),
            Group("outs", ("dst",)),
            Group("temp_buffer", ("temp_buffer",)),
            Word("round_mode", RoundModeAttr, "round_mode", default="rint"),
            Word("cast", CastAttr, "cast", default="cast_signed"),
            Dims("broadcast", "broadcast"),
            Dims("transpose", "transpose"),
            Result(),
        )

    @property
    def cost(self) -> Cost:
        return Cost(kind="vector", cost_class="cast")

    def sources(self) -> Sequence[SSAValue]:
        return tuple(self.src)

    def destinations(self) -> Sequence[SSAValue]:
        return tuple(self.dst)

    def batch(self) -> Batch:
        return "tiles"

    def meaning(self) -> str:
        mode = self.round_mode.data if self.round_mode else "rint"
        return f"numeric.cast({{0}}, {{o}}, {mode!r})"


@irdl_op_definition
class VBrcOp(VectorPipeOp):
    """Fills with a scalar, or repeats along `broadcast_dims`."""

    name = "hivm.hir.vbrc"
    src = operand_def()
    dst = operand_def()
    temp_buffer = opt_operand_def(MemRefType)
    broadcast_dims = opt_prop_def(DenseArrayBase)
    result = var_result_def(TensorType)

    def __init__(self, source: SSAValue, destination: SSAValue, dims: Sequence[int] = ()) -> None:
        super().__init__(
            operands=[source, destination, []],
            result_types=[result_types(destination)],
            properties={"broadcast_dims": DenseArrayBase.from_list(i64, list(dims))},
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            AttrDict(),
            Group("ins", ("src",)),
            Group("outs", ("dst",)),
            Group("temp_buffer", ("temp_buffer",)),
            Dims("broadcast_dims", "broadcast_dims"),
            Result(),
        )

    @property
    def cost(self) -> Cost:
        return Cost(kind="vector", cost_class="simple")

    def sources(self) -> Sequence[SSAValue]:
        return (self.src,)

    def destinations(self) -> Sequence[SSAValue]:
        return (self.dst,)

    def batch(self) -> Batch:
        return "tiles"

    def meaning(self) -> str:
        if isinstance(self.src.type, ShapedType):
            return "{o}.copy_({0})"
        return "{o}.fill_({0})"


_REDUCTIONS = {
    "sum": "torch.sum({0}, dim=DIMS, keepdim=True, out={o})",
    "max": "torch.amax({0}, dim=DIMS, keepdim=True, out={o})",
    "min": "torch.amin({0}, dim=DIMS, keepdim=True, out={o})",
}
_INDEX_MEANING = "numeric.reduce_with_index({{o}}, {{o1}}, {{0}}, {mode!r}, {dim})"


@irdl_op_definition
class VReduceOp(VectorPipeOp):
    """Reduces along dimensions that keep extent 1: `vreduce <sum> ins outs reduce_dims = [1]`."""

    name = "hivm.hir.vreduce"
    src = operand_def()
    dst = var_operand_def()
    temp_buffer = opt_operand_def(MemRefType)
    indices = opt_operand_def()
    arith = prop_def(ReduceOpAttr)
    reduce_dims = prop_def(DenseArrayBase)
    result = var_result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        source: SSAValue,
        destination: SSAValue | Sequence[SSAValue],
        kind: str,
        dims: Sequence[int],
    ) -> None:
        outputs = [destination] if isinstance(destination, SSAValue) else list(destination)
        super().__init__(
            operands=[source, outputs, [], []],
            result_types=[result_types(*outputs)],
            properties={
                "arith": ReduceOpAttr(kind),
                "reduce_dims": DenseArrayBase.from_list(i64, list(dims)),
            },
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            AttrDict(),
            Word("arith", ReduceOpAttr),
            Group("ins", ("src",)),
            Group("indices", ("indices",)),
            Group("outs", ("dst",)),
            Group("temp_buffer", ("temp_buffer",)),
            Dims("reduce_dims", "reduce_dims"),
            Result(),
        )

    @property
    def cost(self) -> Cost:
        return Cost(kind="vector", cost_class="reduce")

    def sources(self) -> Sequence[SSAValue]:
        return (self.src,)

    def destinations(self) -> Sequence[SSAValue]:
        return tuple(self.dst)

    def batch(self) -> Batch:
        return "tiles"

    def meaning(self) -> str:
        mode, rank = self.arith.data, len(shaped(self.src).get_shape())
        dims = [dim - rank for dim in dims_of(self.reduce_dims)]
        if "_with_index_" in mode:
            return _INDEX_MEANING.format(mode=mode, dim=dims[0])
        plain = _REDUCTIONS.get(mode, f"numeric.reduce({{o}}, {{0}}, {mode!r}, DIMS)")
        return plain.replace("DIMS", str(dims))


VECTOR = [*ELEMENTWISE.values(), VCastOp, VBrcOp, VReduceOp]
