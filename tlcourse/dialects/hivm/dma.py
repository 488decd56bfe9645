"""Movers of HIVM: load, store, copy, nd2nz and fixpipe."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, TensorType, UnitAttr, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    var_operand_def,
    var_result_def,
)

from tlcourse.dialects.hivm.assembly import (
    AttrDict,
    Clause,
    Flag,
    Group,
    Operand,
    Parts,
    Result,
    Word,
)
from tlcourse.dialects.hivm.attrs import (
    AtomicKindAttr,
    CoreTypeAttr,
    DmaModeAttr,
    DualDstModeAttr,
    PadModeAttr,
    PreQuantAttr,
    PreReluAttr,
)
from tlcourse.dialects.hivm.base import Batch, Core, Cost, PipeOp, result_types, space_of
from tlcourse.dialects.hivm.unit_flags import UnitFlags


class MoveOp(PipeOp):
    """Base of the movers: one source, one destination; a result only on tensors."""

    src = operand_def()
    dst = operand_def()

    @property
    def core(self) -> Core:
        return "VECTOR"

    @property
    def cost(self) -> Cost:
        return Cost(kind="dma")

    def sources(self) -> Sequence[SSAValue]:
        return (self.src,)

    def destinations(self) -> Sequence[SSAValue]:
        return (self.dst,)

    def batch(self) -> Batch:
        return "tiles"

    def meaning(self) -> str:
        return "{o}.copy_({0})"


@irdl_op_definition
class LoadOp(MoveOp):
    """GM to UB (on the cube core: to L1) by PIPE_MTE2."""

    name = "hivm.hir.load"
    src = operand_def()
    dst = operand_def()
    pad_value = opt_operand_def()
    left_padding_num = opt_operand_def()
    right_padding_num = opt_operand_def()
    init_condition = opt_operand_def()
    pad_mode = opt_prop_def(PadModeAttr)
    init_out_buffer = opt_prop_def(BoolAttr)
    may_implicit_transpose_with_last_axis = opt_prop_def(BoolAttr)
    tcoretype = opt_prop_def(CoreTypeAttr)
    result_tensor = var_result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(self, source: SSAValue, destination: SSAValue) -> None:
        super().__init__(
            operands=[source, destination, [], [], [], []],
            result_types=[result_types(destination)],
            properties={
                "init_out_buffer": BoolAttr.from_bool(False),
                "may_implicit_transpose_with_last_axis": BoolAttr.from_bool(False),
            },
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            Group("ins", ("src",)),
            Group("outs", ("dst",)),
            AttrDict(),
            Word("pad_mode", PadModeAttr, "pad_mode"),
            Operand("pad_value", "pad_value", typed=True),
            Operand("left_padding_num", "left_padding_num", typed=True),
            Flag("init_out_buffer", "init_out_buffer"),
            Operand("right_padding_num", "right_padding_num", typed=True),
            Operand("init_condition", "init_condition", typed=True),
            Flag("may_implicit_transpose_with_last_axis", "may_implicit_transpose_with_last_axis"),
            Word("tcoretype", CoreTypeAttr, "core_type", default="CUBE_OR_VECTOR"),
            Result(),
        )

    @property
    def pipe(self) -> str:
        return "PIPE_MTE2"

    @property
    def core(self) -> Core:
        return "CUBE" if space_of(self.dst) == "cbuf" else "VECTOR"


@irdl_op_definition
class StoreOp(MoveOp):
    """UB to GM by PIPE_MTE3; `atomic = <add>` adds instead."""

    name = "hivm.hir.store"
    src = operand_def()
    dst = operand_def()
    atomic_kind = opt_prop_def(AtomicKindAttr)
    may_implicit_transpose_with_last_axis = opt_prop_def(BoolAttr)
    result_tensor = var_result_def(TensorType)

    def __init__(self, source: SSAValue, destination: SSAValue) -> None:
        super().__init__(operands=[source, destination], result_types=[result_types(destination)])

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            Group("ins", ("src",)),
            Group("outs", ("dst",)),
            AttrDict(),
            Word("atomic_kind", AtomicKindAttr, "atomic"),
            Result(),
        )

    @property
    def pipe(self) -> str:
        return "PIPE_MTE3"

    def reads_destination(self) -> bool:
        return self.atomic_kind is not None and self.atomic_kind.data != "none"

    def meaning(self) -> str:
        return "{o}.add_({0})" if self.reads_destination() else "{o}.copy_({0})"


@irdl_op_definition
class CopyOp(MoveOp):
    """UB to UB by PIPE_V."""

    name = "hivm.hir.copy"
    src = operand_def()
    dst = operand_def()
    pad_mode = opt_prop_def(PadModeAttr)
    pad_value = opt_operand_def()
    collapse_reassociation = opt_prop_def()
    result_tensor = var_result_def(TensorType)

    def __init__(self, source: SSAValue, destination: SSAValue) -> None:
        super().__init__(
            operands=[source, destination, []], result_types=[result_types(destination)]
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            Group("ins", ("src",)),
            Group("outs", ("dst",)),
            AttrDict(),
            Word("pad_mode", PadModeAttr, "pad_mode"),
            Operand("pad_value", "pad_value", typed=True),
            Result(),
        )

    @property
    def pipe(self) -> str:
        return "PIPE_V"

    @property
    def cost(self) -> Cost:
        return Cost(kind="vector", cost_class="simple")


@irdl_op_definition
class ND2NZOp(MoveOp):
    """GM to L1 by PIPE_MTE2, row-major to fractal on the way."""

    name = "hivm.hir.nd2nz"
    src = operand_def()
    dst = operand_def()
    pad_value = opt_operand_def()
    init_condition = opt_operand_def()
    dst_continuous = opt_prop_def(UnitAttr)
    init_out_buffer = opt_prop_def(BoolAttr)
    result_tensor = var_result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(self, source: SSAValue, destination: SSAValue) -> None:
        super().__init__(
            operands=[source, destination, [], []],
            result_types=[result_types(destination)],
            properties={
                "dst_continuous": UnitAttr(),
                "init_out_buffer": BoolAttr.from_bool(False),
            },
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            AttrDict(),
            Group("ins", ("src",)),
            Group("outs", ("dst",)),
            Flag("init_out_buffer", "init_out_buffer"),
            Operand("pad_value", "pad_value", typed=True),
            Operand("init_condition", "init_condition", typed=True),
            Result(),
        )

    @property
    def pipe(self) -> str:
        return "PIPE_MTE2"

    @property
    def core(self) -> Core:
        return "CUBE"

    @property
    def cost(self) -> Cost:
        return Cost(kind="nd2nz")

    def batch(self) -> Batch:
        return "matrices"

    def meaning(self) -> str:
        return "numeric.nd2nz({0}, {o})"


# What an absent property of fixpipe means; it is not printed.
_FIXPIPE_DEFAULTS: dict[str, Attribute] = {
    "dma_mode": DmaModeAttr("normal"),
    "dual_dst_mode": DualDstModeAttr("NO_DUAL"),
    "pre_quant": PreQuantAttr("NO_QUANT"),
    "pre_relu": PreReluAttr("NO_RELU"),
    "channel_split": BoolAttr.from_bool(False),
}


@irdl_op_definition
class FixpipeOp(MoveOp):
    """L0C to GM by PIPE_FIX, fractal to row-major, with a cast and a relu on the way."""

    name = "hivm.hir.fixpipe"
    src = operand_def()
    dst = operand_def()
    unit_flag_cond = var_operand_def(i1)
    quant_scale = opt_operand_def()
    dma_mode = opt_prop_def(DmaModeAttr)
    dual_dst_mode = opt_prop_def(DualDstModeAttr)
    pre_quant = opt_prop_def(PreQuantAttr)
    pre_relu = opt_prop_def(PreReluAttr)
    channel_split = opt_prop_def(BoolAttr)
    unit_flag_mode = opt_prop_def(ArrayAttr)
    result_tensor = var_result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self, source: SSAValue, destination: SSAValue, pre_quant: str = "", pre_relu: str = ""
    ) -> None:
        super().__init__(
            operands=[source, destination, [], []],
            result_types=[result_types(destination)],
            properties={
                "dma_mode": DmaModeAttr("nz2nd"),
                "pre_quant": PreQuantAttr(pre_quant) if pre_quant else None,
                "pre_relu": PreReluAttr(pre_relu) if pre_relu else None,
            },
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            AttrDict(),
            Group("ins", ("src",)),
            Group("outs", ("dst",)),
            UnitFlags(),
            Result(),
        )

    @classmethod
    def normalise(cls, parts: Parts) -> None:
        if parts.attributes.pop("enable_nz2nd", None) is not None:
            parts.properties["dma_mode"] = DmaModeAttr("nz2nd")
        for name, default in _FIXPIPE_DEFAULTS.items():
            if parts.properties.get(name) == default:
                del parts.properties[name]

    @property
    def pipe(self) -> str:
        return "PIPE_FIX"

    @property
    def core(self) -> Core:
        return "CUBE"

    @property
    def cost(self) -> Cost:
        return Cost(kind="fixpipe")

    def is_nz2nd(self) -> bool:
        """Whether the result is row-major."""
        return self.dma_mode is not None and self.dma_mode.data == "nz2nd"

    def batch(self) -> Batch:
        return "matrices" if self.is_nz2nd() else ""

    def meaning(self) -> str:
        relu = self.pre_relu.data if self.pre_relu else "NO_RELU"
        return f"numeric.fixpipe({{0}}, {{o}}, nz2nd={self.is_nz2nd()}, relu={relu!r})"


@irdl_op_definition
class NZ2NDOp(MoveOp):
    """A fractal tile of the cube core to GM by PIPE_MTE3, row-major on the way."""

    name = "hivm.hir.nz2nd"
    src = operand_def()
    dst = operand_def()
    result_tensor = var_result_def(TensorType)

    def __init__(self, source: SSAValue, destination: SSAValue) -> None:
        super().__init__(operands=[source, destination], result_types=[result_types(destination)])

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (AttrDict(), Group("ins", ("src",)), Group("outs", ("dst",)), Result())

    @property
    def pipe(self) -> str:
        return "PIPE_MTE3"

    @property
    def core(self) -> Core:
        return "CUBE"

    @property
    def cost(self) -> Cost:
        return Cost(kind="fixpipe")

    def batch(self) -> Batch:
        return "matrices"

    def meaning(self) -> str:
        return "numeric.fixpipe({0}, {o}, nz2nd=True, relu='NO_RELU')"


DMA = [LoadOp, StoreOp, CopyOp, ND2NZOp, NZ2NDOp, FixpipeOp]
