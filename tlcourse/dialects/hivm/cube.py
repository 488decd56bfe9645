"""The matrix op of HIVM: mmadL1, a macro over PIPE_MTE1 (L1 to L0A and L0B) and PIPE_M."""

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
    var_operand_def,
    var_result_def,
)

from tlcourse.dialects.hivm.assembly import AttrDict, Clause, Group, Result
from tlcourse.dialects.hivm.base import Batch, Core, Cost, PipeOp, result_types
from tlcourse.dialects.hivm.unit_flags import UnitFlags

_SIZES = ("real_m", "real_k", "real_n")


@irdl_op_definition
class MmadL1Op(PipeOp):
    """c = a @ b, added to c unless `init_condition` is true.

    a, b: tiles in L1, f16 or bf16 (int8); c: tile in L0C, f32 (int32). `real_m`, `real_k`
    and `real_n` are the sizes that count. `sync_related_args`, seven i64: event ids of L1 A
    ready, L1 B ready, L1 A free, L1 B free, parity of the k loop, and two of M to MTE1; -1
    means none.
    """

    name = "hivm.hir.mmadL1"
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

    def __init__(
        self,
        a: SSAValue,
        b: SSAValue,
        init: SSAValue,
        sizes: Sequence[SSAValue],
        c: SSAValue,
        *,
        a_transpose: bool = False,
        b_transpose: bool = False,
        sync: Sequence[SSAValue] = (),
    ) -> None:
        m, k, n = sizes
        super().__init__(
            operands=[a, b, init, m, k, n, c, sync, [], []],
            result_types=[result_types(c)],
            properties={
                "a_transpose": UnitAttr() if a_transpose else None,
                "b_transpose": UnitAttr() if b_transpose else None,
            },
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            AttrDict(),
            Group("ins", ("a", "b", "init_condition", *_SIZES, "per_channel_bias")),
            Group("outs", ("c",)),
            Group("sync_related_args", ("sync_related_args",)),
            UnitFlags(),
            Result(),
        )

    @property
    def pipe(self) -> str:
        return "PIPE_M"

    @property
    def core(self) -> Core:
        return "CUBE"

    @property
    def cost(self) -> Cost:
        return Cost(kind="mmad")

    def sources(self) -> Sequence[SSAValue]:
        return (self.a, self.b, self.init_condition, self.real_m, self.real_k, self.real_n)

    def destinations(self) -> Sequence[SSAValue]:
        return (self.c,)

    def reads_destination(self) -> bool:
        return True

    def batch(self) -> Batch:
        return "matrices"

    def meaning(self) -> str:
        flags = f"a_transpose={self._has('a_transpose')}, b_transpose={self._has('b_transpose')}"
        return f"numeric.mmad({{0}}, {{1}}, {{2}}, {{3}}, {{4}}, {{5}}, {{o}}, {flags})"

    def _has(self, name: str) -> bool:
        return name in self.properties


CUBE = [MmadL1Op]
