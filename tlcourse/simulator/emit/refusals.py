"""Forms of known ops that have no meaning here yet: refused, never computed wrongly."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, MemRefType, i1
from xdsl.ir import SSAValue

from tlcourse.dialects.hivm.attrs import DmaModeAttr, EnumWord
from tlcourse.dialects.hivm.base import PipeOp, space_of
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.hivm.dma import FixpipeOp, LoadOp
from tlcourse.simulator.emit.emitter import Emitter, memref


def refuse(e: Emitter, op: PipeOp) -> None:
    """Raises where an op asks for more than its meaning says.

    Raises:
        TLError: TL531 the form is not simulated.
    """
    reason = _reason(op)
    if reason:
        raise e.unknown(op, reason)


def _reason(op: PipeOp) -> str:
    if len(op.destinations()) > 1:
        return "it has a second result"
    turned = op.properties.get("transpose")
    if isinstance(turned, DenseArrayBase) and turned.get_values():
        return "it transposes on the way"
    if _packs(op):
        return "a bool takes a byte in GM and a bit on chip, and a DMA changes neither"
    match op:
        case LoadOp():
            return _padding(op)
        case FixpipeOp():
            return _fixpipe(op)
        case MmadL1Op() if op.per_channel_bias is not None:
            return "a bias per column"
        case _:
            return ""


def _packs(op: PipeOp) -> bool:
    """Whether bools would go from bytes to bits or back."""
    bools = [v for v in (*op.sources(), *op.destinations()) if _is_bool_tile(v)]
    return len({space_of(value) == "gm" for value in bools}) > 1


def _is_bool_tile(value: SSAValue) -> bool:
    return isinstance(value.type, MemRefType) and memref(value).element_type == i1


def _padding(op: LoadOp) -> str:
    pads = (op.left_padding_num, op.right_padding_num)
    if any(pad is not None and not _is_zero(pad) for pad in pads):
        return "it pads rows"
    fills = op.init_out_buffer
    if isinstance(fills, IntegerAttr) and fills.value.data:
        return "it fills its destination first"
    return ""


def _fixpipe(op: FixpipeOp) -> str:
    relu = op.pre_relu or op.attributes.get("pre_relu")
    if isinstance(relu, EnumWord) and relu.data not in ("NO_RELU", "NORMAL_RELU"):
        return f"relu of the form {relu.data}"
    mode = op.dma_mode or op.attributes.get("dma_mode")
    if isinstance(mode, DmaModeAttr) and mode.data == "nz2dn":
        return "a column-major result"
    return "a scale for quantisation" if op.quant_scale is not None else ""


def _is_zero(value: SSAValue) -> bool:
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp) or not isinstance(owner.value, IntegerAttr):
        return False
    return owner.value.value.data == 0
