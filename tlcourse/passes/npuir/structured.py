"""Buffers of linalg ops and of constants, and tensors that come and go by a function's border."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, cast

from xdsl.dialects import arith, func, memref, tensor
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    TensorType,
)
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from tlcourse.diagnostics import TLError, error
from tlcourse.dialects.memref import CopyOp
from tlcourse.dialects.rewriting import insert_before
from tlcourse.passes.npuir.labels import labels_of

Scalar = IntegerAttr[IntegerType | IndexType] | FloatAttr[AnyFloat]


class FindPlace(Protocol):
    """Says where an op writes a result that starts from an old tensor."""

    def __call__(
        self, op: Operation, result: SSAValue, old: SSAValue, /, *, reads: bool
    ) -> SSAValue:
        """`reads`: whether the old contents count."""
        ...


def bufferize_structured(
    op: LinalgStructuredOperation,
    buffer_of: Callable[[SSAValue, Operation], SSAValue],
    place_of_result: FindPlace,
) -> dict[SSAValue, SSAValue]:
    """Puts the same computation of buffers before an op, which is left without its body.

    Returns:
        the buffer of each result.
    """
    is_tensor = [isinstance(one.type, TensorType) for one in op.inputs]
    inputs = [
        buffer_of(one, op) if known else one
        for one, known in zip(op.inputs, is_tensor, strict=True)
    ]
    arguments = op.body.block.args[len(op.inputs) :]
    reads = any(bool(list(argument.uses)) for argument in arguments)
    outputs: list[SSAValue] = []
    for old, result in zip(op.outputs, op.results, strict=True):
        place = place_of_result(op, result, old, reads=False)
        starts_from = None if isinstance(old.owner, tensor.EmptyOp) else buffer_of(old, op)
        if reads and starts_from is not None and place is not starts_from:
            insert_before(op, [CopyOp(starts_from, place)])
        outputs.append(place)
    made = type(op).build(
        operands=[inputs, outputs],
        result_types=[[]],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        regions=[op.detach_region(op.body)],
    )
    insert_before(op, [made])
    return dict(zip(op.results, outputs, strict=True))


def constant_buffer(op: arith.ConstantOp) -> list[Operation]:
    """A buffer filled with a constant; its op comes first.

    Raises:
        TL361: the elements are not all equal.
    """
    element = splat(op)
    if element is None:
        raise _not_splat(op)
    alloc = memref.AllocOp([], [], place_of(op.result))
    scalar = arith.ConstantOp(element)
    return [alloc, scalar, FillOp([scalar.result], [alloc.memref], [])]


def splat(op: arith.ConstantOp) -> Scalar | None:
    """The one value of all elements of a constant tensor."""
    value = op.value
    if not isinstance(value, DenseIntOrFPElementsAttr) or not value.is_splat():
        return None
    return next(iter(cast("Iterator[Scalar]", value.iter_attrs())))


def place_of(value: SSAValue) -> MemRefType:
    """The type of a tensor's buffer: its elements row after row."""
    kind = cast("TensorType[Attribute]", value.type)
    return MemRefType(kind.element_type, kind.get_shape())


def open_border(function: func.FuncOp) -> dict[SSAValue, SSAValue]:
    """Tensors that a function takes become buffers; each stands for itself from here on."""
    taken: dict[SSAValue, SSAValue] = {}
    for argument in list(function.body.block.args):
        if isinstance(argument.type, TensorType):
            made = Rewriter.replace_value_with_new_type(argument, place_of(argument))
            taken[made] = made
    return taken


def close_border(
    function: func.FuncOp, buffer_of: Callable[[SSAValue, Operation], SSAValue]
) -> None:
    """Returns buffers for tensors, and writes the types that go in and out into the function's."""
    end = function.body.block.last_op
    assert isinstance(end, func.ReturnOp)
    end.operands = [
        buffer_of(value, end) if isinstance(value.type, TensorType) else value
        for value in end.arguments
    ]
    inputs = [argument.type for argument in function.body.block.args]
    outputs = [value.type for value in end.arguments]
    function.function_type = FunctionType.from_lists(inputs, outputs)


def _not_splat(op: Operation) -> TLError:
    return error(
        "TL361",
        "A constant tensor with different elements has no buffer",
        why="one-shot-bufferize fills a buffer with one value; a table of values in the program "
        "is not part of these passes",
        fix="make the tensor a parameter of the function",
        labels=labels_of(op, "this constant"),
    )


def unknown_op(op: Operation) -> TLError:
    """The error for an op on tensors that no buffer form is known of, TL306."""
    return error(
        "TL306",
        f"{op.name} takes a tensor, and no buffer form of it is known",
        why="bufferization gives each tensor a buffer, and rewrites the ops that it knows",
        fix="lower the op to HIVM before this pass, as the pipeline does",
        labels=labels_of(op),
    )
