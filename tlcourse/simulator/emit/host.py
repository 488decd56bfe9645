"""What the host functions of executable HIVM tell the launcher."""

from __future__ import annotations

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from tlcourse.dialects.hacc import HostFuncTypeAttr
from tlcourse.records import Signature

_TEXT: dict[type[Operation], str] = {
    arith.AddiOp: "({} + {})",
    arith.SubiOp: "({} - {})",
    arith.MuliOp: "({} * {})",
    arith.DivSIOp: "({} // {})",
    arith.FloorDivSIOp: "({} // {})",
    arith.RemSIOp: "({} % {})",
    arith.MinSIOp: "min({}, {})",
    arith.MaxSIOp: "max({}, {})",
}
_FIRST = 3  # ffts address, lock and workspace


def workspace_bytes(module: ModuleOp, signature: Signature) -> str:
    """Compiler workspace per block as an extent text; "0" where the kernel needs none."""
    for op in module.body.block.ops:
        kind = op.attributes.get("hacc.host_func_type")
        if not isinstance(op, func.FuncOp) or not isinstance(kind, HostFuncTypeAttr):
            continue
        if kind.data == "infer_workspace_shape_function":
            last = op.body.block.last_op
            assert last is not None
            return _extent(last.operands[0], signature)
    return "0"


def _extent(value: SSAValue, signature: Signature) -> str:
    if isinstance(value, BlockArgument):
        return signature.parameters[value.index - _FIRST].name
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return str(op.value.value.data)
    if isinstance(op, (arith.IndexCastOp, arith.ExtSIOp, arith.TruncIOp)):
        return _extent(op.operands[0], signature)
    assert isinstance(op, Operation)
    form = _TEXT[type(op)]
    return form.format(*(_extent(operand, signature) for operand in op.operands))
