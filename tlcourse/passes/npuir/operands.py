"""Giving an op an operand that it did not have: scratch buffers, flag addresses, sync arguments."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import SSAValue

from tlcourse.dialects.hivm.assembly import HivmTextOp

_SEGMENTS = "operandSegmentSizes"


def set_operands(op: HivmTextOp, name: str, values: Sequence[SSAValue]) -> None:
    """Replaces the operands of one name, `[]` for none, and keeps all others."""
    names = [known for known, _ in op.get_irdl_definition().operands]
    groups = [values if known == name else op.values(known) for known in names]
    op.operands = [value for group in groups for value in group]
    if _SEGMENTS in op.properties:
        sizes = [len(group) for group in groups]
        op.properties[_SEGMENTS] = DenseArrayBase.from_list(i32, sizes)
