"""Tensors that a function takes and gives back as tensors: their buffers belong to the caller."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import MemRefType, NoneAttr, StridedLayoutAttr, TensorType
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects.bufferization import ToMemrefOp, ToTensorOp
from tlcourse.dialects.rewriting import insert_before
from tlcourse.passes.npuir.cube_vector import tensor_type
from tlcourse.passes.npuir.partial_bufferize import buffer_of

_VIEWS = (
    memref.SubviewOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.ReinterpretCastOp,
    memref.CastOp,
)


def borrow(function: func.FuncOp, *, identity: bool = False) -> dict[SSAValue, SSAValue]:
    """The buffers of the tensors that a function takes; nothing is known of where they lie.

    Args:
        function: the function, whose arguments stay tensors.
        identity: their elements lie row after row.
    """
    taken = [one for one in function.body.block.args if isinstance(one.type, TensorType)]
    layout = None if identity else _open_layout
    return {argument: buffer_of(argument, layout=layout) for argument in taken if argument.uses}


def drop_unread(function: func.FuncOp) -> None:
    """Erases the buffers of a caller's tensors that nobody reads."""
    for op in list(function.body.block.ops):
        if isinstance(op, ToMemrefOp) and not op.memref.first_use:
            op.detach()
            op.erase()


def is_borrowed(buffer: SSAValue) -> bool:
    """Whether a buffer is a part of a caller's tensor, which nobody may write."""
    owner = buffer.owner
    while isinstance(owner, _VIEWS):
        owner = owner.operands[0].owner
    return isinstance(owner, ToMemrefOp)


def give_back(
    function: func.FuncOp, buffer_of_tensor: Callable[[SSAValue, Operation], SSAValue]
) -> None:
    """Lets a function return tensors that are read from the buffers of its results."""
    end = function.body.block.last_op
    assert end is not None
    for index, value in enumerate(end.operands):
        if isinstance(value.type, TensorType):
            border = ToTensorOp(buffer_of_tensor(value, end))
            border.properties.clear()
            insert_before(end, [border])
            end.operands[index] = border.tensor


def _open_layout(value: SSAValue) -> MemRefType:
    kind = tensor_type(value)
    rank = len(kind.get_shape())
    layout = StridedLayoutAttr([None] * rank, None) if rank else NoneAttr()
    return MemRefType(kind.element_type, kind.get_shape(), layout)
