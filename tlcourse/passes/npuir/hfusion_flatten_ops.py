"""Pass hfusion-flatten-ops: elementwise ops forget how many dimensions their tensors have."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, TensorType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from tlcourse.dialects.hfusion import ElemwiseOp
from tlcourse.dialects.rewriting import insert_before, replace
from tlcourse.passes.npuir.cube_vector import tensor_type


@dataclass(frozen=True)
class HFusionFlattenOpsPass(ModulePass):
    """Elementwise ops on tensors of several dimensions work on one long dimension.

    ```
    %y = linalg.elemwise_unary .. ins(%x : tensor<32x7xf32>) ..
      -->
    %f = tensor.collapse_shape %x [[0, 1]] : tensor<32x7xf32> into tensor<224xf32>
    %g = linalg.elemwise_unary .. ins(%f : tensor<224xf32>) ..
    %y = tensor.expand_shape %g [[0, 1]] : tensor<224xf32> into tensor<32x7xf32>
    ```

    A vector instruction takes 256 bytes at a time. Rows of 7 numbers leave most of them unused,
    one row of 224 fills them.

    Algorithm: each operand of an op is collapsed, the result expanded. An expanded value that
    the next op collapses again is taken as it was, so a chain is expanded once, at its end.

    Differs from upstream: only elementwise ops are flattened, and only tensors of fixed shape.
    The tidy mode, which first asks for a whole function which dimensions belong together
    (those that a reduction, a broadcast or a transpose tells apart stay), is left out; for
    HIVM ops `hivm-flatten-ops` does that op by op.
    """

    name = "hfusion-flatten-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in [inner for inner in op.walk() if isinstance(inner, ElemwiseOp)]:
            if inner.results and _can_flatten(inner):
                _flatten(inner)
        for inner in reversed(list(op.walk())):
            if isinstance(inner, tensor.ExpandShapeOp) and not inner.result.uses:
                inner.detach()
                inner.erase()


def _can_flatten(op: ElemwiseOp) -> bool:
    kinds = [tensor_type(value) for value in op.operands if isinstance(value.type, TensorType)]
    return all(kind.has_static_shape() and kind.get_num_dims() > 1 for kind in kinds)


def _flatten(op: ElemwiseOp) -> None:
    inputs = [_flat(value, op) for value in op.inputs]
    made = op.with_operands(inputs, _flat(op.outputs[0], op))
    kind = tensor_type(op.results[0])
    expanded = tensor.ExpandShapeOp(made.results[0], [], _all_dims(kind), kind.get_shape(), kind)
    replace(op, [made, expanded])


def _flat(value: SSAValue, before: Operation) -> SSAValue:
    """A tensor as one row; a scalar as it is."""
    if not isinstance(value.type, TensorType):
        return value
    if isinstance(value.owner, tensor.ExpandShapeOp):
        source = value.owner.src
        if tensor_type(source).get_num_dims() == 1:
            return source
    kind = tensor_type(value)
    row = TensorType(kind.element_type, [prod(kind.get_shape())])
    collapsed = tensor.CollapseShapeOp(
        operands=[value],
        result_types=[row],
        properties={"reassociation": _all_dims(kind)},
    )
    insert_before(before, [collapsed])
    return collapsed.result


def _all_dims(kind: TensorType) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    """One group of all dimensions."""
    dims = [IntegerAttr(dim, i64) for dim in range(kind.get_num_dims())]
    return ArrayAttr([ArrayAttr(dims)])
