"""Pass auto-blockify-parallel-loop: as many blocks as there are cores, each with a loop."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i32, i64
from xdsl.ir import Block, Operation, Region, SSAValue

from tlcourse.chips import CHIPS, DEFAULT_CHIP, Chip
from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.hivm.core import GetBlockIdxOp, SetFFTSBaseAddrOp, SetMaskNormOp
from tlcourse.dialects.locations import inherit
from tlcourse.dialects.rewriting import insert_after
from tlcourse.passes.npuir.functions import DevicePass, core_of, is_entry, is_mixed
from tlcourse.passes.npuir.triton_global_kernel_args_to_hivm_op import MARK

ATTRIBUTE = "autoblockify.subloop"
_STAYS = (arith.ConstantOp, SetFFTSBaseAddrOp, SetMaskNormOp, func.ReturnOp)


@dataclass(frozen=True)
class AutoBlockifyParallelLoopPass(DevicePass):
    """The kernel's grid may have more blocks than the chip has cores: a core takes several.

    ```
    annotation.mark %n {logical_block_num}  -->   annotation.mark %n {logical_block_num}
    %b = hivm.hir.get_block_idx                   %b = hivm.hir.get_block_idx
    use(%b)                                       scf.for %i = %b to %n step 24 {
                                                    use(%i)
                                                  }
    ```

    A launch of a thousand blocks costs the start of a thousand blocks. With this pass a launch
    starts one block a core, and block b does the work of the blocks b, b + 24, b + 48 ...

    Algorithm: the number of blocks is what `triton-global-kernel-args-to-hivm-op` has marked.
    All ops but those that compute it move into a loop from the block index to it. The step is
    the chip's number of vector cores for a kernel that runs on them alone, else of cube cores.
    In the loop the counter takes the place of the block index.

    Differs from upstream: constants stay before the loop, and so does what sets up the core.
    Several readings of the block index count as one.
    """

    name = "auto-blockify-parallel-loop"

    chip: str = DEFAULT_CHIP.name

    def run(self, function: func.FuncOp) -> None:
        block = function.body.block
        mark = next((op for op in block.ops if _is_mark(op)), None)
        indices = [op for op in block.ops if isinstance(op, GetBlockIdxOp)]
        if mark is not None and indices and is_entry(function):
            cores = physical_blocks(function, CHIPS[self.chip])
            _blockify(block, mark, indices, cores)


def physical_blocks(function: func.FuncOp, chip: Chip) -> int:
    """Blocks that run at a time."""
    if core_of(function) == "AIV" and not is_mixed(function):
        return chip.core_groups * chip.vector_cores_per_group
    return chip.core_groups


def _is_mark(op: Operation) -> bool:
    return isinstance(op, MarkOp) and MARK in op.attributes


def _blockify(block: Block, mark: Operation, indices: list[GetBlockIdxOp], physical: int) -> None:
    count, index = mark.operands[0], indices[0]
    before = {mark, *indices, *_makers(count)}
    moved = [op for op in block.ops if op not in before and not isinstance(op, _STAYS)]
    body = Block(arg_types=[i32])
    wide = arith.ExtSIOp(body.args[0], i64)
    for other in indices:
        other.result.replace_all_uses_with(wide.result)
    start = arith.TruncIOp(index.result, i32)
    step = arith.ConstantOp(IntegerAttr(physical, i32))
    loop = scf.ForOp(start.result, count, step.result, [], Region(body))
    loop.attributes[ATTRIBUTE] = UnitAttr()
    for op in moved:
        op.detach()
    body.add_ops([wide, *moved, scf.YieldOp()])
    inherit([wide, loop], index.location)
    last = block.last_op
    assert last is not None
    anchor = last.prev_op
    assert anchor is not None
    insert_after(anchor, [start, step, loop], like=index)


def _makers(value: SSAValue) -> set[Operation]:
    """The ops that a value is computed by."""
    owner = value.owner
    if not isinstance(owner, Operation):
        return set()
    return {owner}.union(*(_makers(operand) for operand in owner.operands))
