"""Pass triton-global-kernel-args-to-hivm-op: block ids come from the core, not from arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    FunctionType,
    UnitAttr,
    VectorType,
    i1,
    i32,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.hivm.core import GetBlockIdxOp
from tlcourse.dialects.locations import inherit
from tlcourse.passes.npuir.buffers import is_static, memref_kind
from tlcourse.passes.npuir.functions import DevicePass, is_entry

_GRID = 3  # extents x, y, z; the three block ids stand behind them
MARK = "logical_block_num"


@dataclass(frozen=True)
class TritonGlobalKernelArgsToHivmOpPass(DevicePass):
    """Of six grid arguments the three block ids go; the number of logical blocks is marked.

    ```
    func @k(.., %x, %y, %z: i32,        -->   func @k(.., %x, %y, %z: i32) {
            %idx, %idy, %idz: i32) {            %1 = (x * y) * z
      use(%idx)                                 annotation.mark %1 {logical_block_num}
                                                use((get_block_idx / (y * z)) % x)
    ```

    Algorithm: an id that is used becomes block index divided by the extents to its right,
    modulo its own extent; then the last three arguments are erased, and
    `func_dyn_memref_args` says which arguments are memrefs of unknown extent.

    Differs from upstream: ids that nobody uses leave no arithmetic behind.
    """

    name = "triton-global-kernel-args-to-hivm-op"

    def run(self, function: func.FuncOp) -> None:
        if not is_entry(function) or MARK in function.attributes:
            return
        block = function.body.block
        arguments = block.args[-2 * _GRID :]
        if len(arguments) < 2 * _GRID or any(value.type != i32 for value in arguments):
            return
        new_ops = _mark_block_count(arguments[:_GRID])
        new_ops += _replace_ids(arguments[:_GRID], arguments[_GRID:])
        inherit(new_ops, function.location)
        Rewriter.insert_op(new_ops, InsertPoint.at_start(block))
        _erase_ids(function, block)


def _mark_block_count(extents: Sequence[SSAValue]) -> list[Operation]:
    x, y, z = extents
    plane = arith.MuliOp(x, y)
    count = arith.MuliOp(plane.result, z)
    mark = MarkOp(count.result)
    mark.attributes[MARK] = UnitAttr()
    return [plane, count, mark]


def _replace_ids(extents: Sequence[SSAValue], ids: Sequence[SSAValue]) -> list[Operation]:
    if not any(value.first_use for value in ids):
        return []
    index = GetBlockIdxOp()
    rest = arith.TruncIOp(index.result, i32)
    ops: list[Operation] = [index, rest]
    left: SSAValue = rest.result
    for extent, identity in reversed(list(zip(extents, ids, strict=True))):
        own, further = arith.RemSIOp(left, extent), arith.DivSIOp(left, extent)
        identity.replace_all_uses_with(own.result)
        left = further.result
        ops += [own, further]
    return ops


def _erase_ids(function: func.FuncOp, block: Block) -> None:
    for argument in reversed(block.args[-_GRID:]):
        block.erase_arg(argument)
    kinds = [argument.type for argument in block.args]
    memrefs = [memref_kind(argument) for argument in block.args]
    function.function_type = FunctionType.from_lists(kinds, list(function.function_type.outputs))
    if function.arg_attrs is not None:
        function.arg_attrs = ArrayAttr(function.arg_attrs.data[: len(kinds)])
    flags = [kind is not None and not is_static(kind) for kind in memrefs]
    function.attributes["func_dyn_memref_args"] = DenseIntOrFPElementsAttr.from_list(
        VectorType(i1, [len(flags)]), [int(flag) for flag in flags]
    )
