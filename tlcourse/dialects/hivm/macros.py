"""Matrix ops of HIVM that the compiler knows and the simulator does not run.

Products of batches, convolutions, and whole matrix products on global memory. They are read,
printed and carried through the passes; a kernel of T reaches none of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IndexType, TensorType, UnitAttr, i1, i64
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

from tlcourse.dialects.hivm.assembly import AttrDict, Clause, Group, Operand, Result, Word
from tlcourse.dialects.hivm.attrs import DescaleModeAttr
from tlcourse.dialects.hivm.base import DestinationOp
from tlcourse.dialects.hivm.clauses import Present
from tlcourse.dialects.hivm.unit_flags import UnitFlags


class CubeMacroOp(DestinationOp):
    """Base of the ops of this file: they run on the cube core."""


@irdl_op_definition
class BatchMmadL1Op(CubeMacroOp):
    """mmadL1 on a batch: the tiles have one dimension more, in front."""

    name = "hivm.hir.batchMmadL1"
    a = operand_def()
    b = operand_def()
    init_condition = operand_def(i1)
    real_m = operand_def(IndexType)
    real_k = operand_def(IndexType)
    real_n = operand_def(IndexType)
    c = operand_def()
    sync_related_args = var_operand_def(i64)
    unit_flag_cond = var_operand_def(i1)
    per_channel_bias = opt_operand_def()
    a_transpose = opt_prop_def(UnitAttr)
    b_transpose = opt_prop_def(UnitAttr)
    enable_HF32 = opt_prop_def(UnitAttr)
    enable_I4 = opt_prop_def(UnitAttr)
    unit_flag_mode = opt_prop_def(ArrayAttr)
    result_tensors = var_result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        sizes = ("real_m", "real_k", "real_n")
        return (
            AttrDict(),
            Group("ins", ("a", "b", "init_condition", *sizes, "per_channel_bias")),
            Group("outs", ("c",)),
            Group("sync_related_args", ("sync_related_args",)),
            UnitFlags(),
            Result(),
        )

    def sources(self) -> Sequence[SSAValue]:
        return (self.a, self.b, *self.values("per_channel_bias"))

    def destinations(self) -> Sequence[SSAValue]:
        return (self.c,)

    def reads_destination(self) -> bool:
        return True


class ConvOp(CubeMacroOp):
    """Base of the convolutions: input, weight, start from zero or not, a bias where there is one.

    `padding` is a number, or one number for each direction; `groups` splits the channels.
    """

    input = operand_def()
    weight = operand_def()
    bias = opt_operand_def()
    init = operand_def()
    init_condition = operand_def(i1)
    sync_related_args = var_operand_def(i64)
    padding = prop_def()
    groups = prop_def()
    result_tensors = var_result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            AttrDict(),
            Group("ins", ("input", "weight", "init_condition", "bias")),
            Group("outs", ("init",)),
            Group("sync_related_args", ("sync_related_args",)),
            Result(),
        )

    def sources(self) -> Sequence[SSAValue]:
        return (self.input, self.weight, *self.values("bias"))

    def destinations(self) -> Sequence[SSAValue]:
        return (self.init,)

    def reads_destination(self) -> bool:
        return True


@irdl_op_definition
class Conv1DL1Op(ConvOp):
    """A convolution along one direction."""

    name = "hivm.hir.Conv1dL1"


@irdl_op_definition
class Conv2DL1Op(ConvOp):
    """A convolution along two directions."""

    name = "hivm.hir.Conv2dL1"


@irdl_op_definition
class Conv3DL1Op(ConvOp):
    """A convolution along three directions."""

    name = "hivm.hir.Conv3dL1"


class GlobalMatmulOp(CubeMacroOp):
    """Base of the whole products c = a @ b on matrices in global memory."""

    a = operand_def()
    b = operand_def()
    tiling_params = opt_operand_def()
    bias = opt_operand_def()
    descale = opt_operand_def()
    a_transpose = opt_prop_def(UnitAttr, prop_name="aTranspose")
    b_transpose = opt_prop_def(UnitAttr, prop_name="bTranspose")
    descale_mode = opt_prop_def(DescaleModeAttr, prop_name="descaleMode")
    block_sizes = var_operand_def(i64)
    process_sizes = var_operand_def(i64)
    swizzle_offset = opt_operand_def(i64)
    swizzle_direction = opt_operand_def(i64)
    epilogue_p_tiles = opt_operand_def(i64)
    c = operand_def()
    result = var_result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            AttrDict(),
            Group("ins", cls.inputs()),
            *(Group(name, (name,)) for name in cls.extras()),
            Group("outs", ("c",)),
            *(Operand(name, name, typed=True) for name in cls.parameters()),
            Operand("bias", "bias", typed=True),
            Operand("descale", "descale", typed=True),
            Present("aTranspose", "a_transpose"),
            Present("bTranspose", "b_transpose"),
            Word("descaleMode", DescaleModeAttr, "descale_mode"),
            Group("block_sizes", ("block_sizes",)),
            Group("process_sizes", ("process_sizes",)),
            Operand("swizzle_offset", "swizzle_offset", typed=True),
            Operand("swizzle_direction", "swizzle_direction", typed=True),
            Operand("epilogue_p_tiles", "epilogue_p_tiles", typed=True),
            Result(),
        )

    @classmethod
    def inputs(cls) -> tuple[str, ...]:
        """The operands in `ins(..)`."""
        return ("a", "b")

    @classmethod
    def extras(cls) -> tuple[str, ...]:
        """Operand lists for the vector function that is fused into the product."""
        return ()

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        """Operands that steer the tiling and the communication."""
        return ("tiling_params",)

    def sources(self) -> Sequence[SSAValue]:
        return [value for value in self.operands if value is not self.c]

    def destinations(self) -> Sequence[SSAValue]:
        return (self.c,)


@irdl_op_definition
class MatmulOp(GlobalMatmulOp):
    """A matrix product on global memory."""

    name = "hivm.hir.matmul"


@irdl_op_definition
class MixMatmulOp(GlobalMatmulOp):
    """A matrix product with a vector function on its tiles."""

    name = "hivm.hir.mix_matmul"
    a = operand_def()
    b = operand_def()
    post_vector_func_ins = var_operand_def()
    workspace_ins = var_operand_def()
    tiling_params = opt_operand_def()
    comm_params = opt_operand_def()
    bias = opt_operand_def()
    descale = opt_operand_def()
    block_sizes = var_operand_def(i64)
    process_sizes = var_operand_def(i64)
    swizzle_offset = opt_operand_def(i64)
    swizzle_direction = opt_operand_def(i64)
    epilogue_p_tiles = opt_operand_def(i64)
    c = operand_def()

    @classmethod
    def extras(cls) -> tuple[str, ...]:
        return ("post_vector_func_ins", "workspace_ins")

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        return ("tiling_params", "comm_params")


@irdl_op_definition
class MixGroupMatmulOp(GlobalMatmulOp):
    """One product for each expert, as many rows as it has tokens, with a vector function."""

    name = "hivm.hir.mix_group_matmul"
    a = operand_def()
    b = operand_def()
    tokens_per_expert = operand_def()
    post_vector_func_ins = var_operand_def()
    post_vector_func_outs = var_operand_def()
    workspace_ins = var_operand_def()
    tiling_params = opt_operand_def()
    comm_params = opt_operand_def()
    bias = opt_operand_def()
    descale = opt_operand_def()
    block_sizes = var_operand_def(i64)
    process_sizes = var_operand_def(i64)
    swizzle_offset = opt_operand_def(i64)
    swizzle_direction = opt_operand_def(i64)
    epilogue_p_tiles = opt_operand_def(i64)
    c = operand_def()

    @classmethod
    def inputs(cls) -> tuple[str, ...]:
        return ("a", "b", "tokens_per_expert")

    @classmethod
    def extras(cls) -> tuple[str, ...]:
        return ("post_vector_func_ins", "post_vector_func_outs", "workspace_ins")

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        return ("tiling_params", "comm_params")


MACROS = [
    BatchMmadL1Op,
    Conv1DL1Op,
    Conv2DL1Op,
    Conv3DL1Op,
    MatmulOp,
    MixMatmulOp,
    MixGroupMatmulOp,
]
