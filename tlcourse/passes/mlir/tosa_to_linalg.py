"""Pass tosa-to-linalg: what is computed becomes how one element is computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, math, tensor, tosa
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    AnyFloat,
    FloatAttr,
    ModuleOp,
    TensorType,
)
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass

from tlcourse.dialects import tosa as own
from tlcourse.dialects.rewriting import replace
from tlcourse.passes.mlir.refusals import no_way_down

# The scalar twins of the ops that have one.
_SCALARS: dict[type[Operation], Callable[..., Operation]] = {
    tosa.AddOp: arith.AddfOp,
    tosa.SubOp: arith.SubfOp,
    tosa.SinOp: math.SinOp,
    tosa.CosOp: math.CosOp,
    own.MulOp: arith.MulfOp,
    own.MaximumOp: arith.MaximumfOp,
    own.MinimumOp: arith.MinimumfOp,
    own.ExpOp: math.ExpOp,
    own.AbsOp: math.AbsFOp,
}
_LATER = (own.ConstOp, own.MatMulOp)
_KNOWN = "add, sub, mul, maximum, minimum, clamp, abs, exp, sin, cos, sigmoid, reciprocal"


@dataclass(frozen=True)
class TosaToLinalgPass(ModulePass):
    """Each elementwise op of tosa becomes a `linalg.generic` with its scalar twin inside.

    ```
    %c = tosa.add %a, %b      -->   %e = tensor.empty()
                                    %c = linalg.generic {identity maps, "parallel"}
                                         ins(%a, %b) outs(%e) { x, y, _: yield x + y }
    ```

    tosa says "add two tensors". linalg says the same as a loop nest without the loops: which
    elements of the operands belong together (the maps), which dimensions may run in any order
    (the iterators), and what happens to one element (the body).

    Algorithm: an empty tensor takes the result; all iterators are parallel; a map is the
    identity, but with 0 for a dimension of extent 1, which is how broadcasting is written.

    Differs from upstream: floats and fixed shapes only; an op that has no place in the table is
    an error here and left alone there. `tosa.const` and `tosa.matmul` have passes of their own.
    """

    name = "tosa-to-linalg"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if inner.name.startswith("tosa.") and not isinstance(inner, _LATER):
                _convert(inner)


def _convert(op: Operation) -> None:
    kind = checked_type(op, TosaToLinalgPass.name)
    empty = tensor.EmptyOp([], kind)
    element = kind.element_type
    inputs = list(op.operands)
    body = Block(arg_types=[element] * (len(inputs) + 1))
    scalars = _scalars(op, body.args[: len(inputs)], element)
    body.add_ops([*scalars, YieldOp(scalars[-1].results[0])])
    maps = [_map(value, kind) for value in inputs]
    generic = GenericOp(
        inputs=inputs,
        outputs=[empty.tensor],
        body=Region(body),
        indexing_maps=[*maps, AffineMapAttr(AffineMap.identity(kind.get_num_dims()))],
        iterator_types=[IteratorTypeAttr.parallel()] * kind.get_num_dims(),
        result_types=[kind],
    )
    replace(op, [empty, generic], [generic.results[0]])


def checked_type(op: Operation, pass_name: str) -> TensorType[AnyFloat]:
    """The type of an op's result.

    Raises:
        TL360: it is not a tensor of floats of fixed extents.
    """
    kind = cast("TensorType[Attribute]", op.results[0].type)
    if not isinstance(kind.element_type, AnyFloat):
        why = f"its result is {kind}, and tensors of floats are what this pass knows"
        raise no_way_down(op, pass_name, why, "use f32, f16 or f64 elements")
    if DYNAMIC_INDEX in kind.get_shape():
        why = f"its result is {kind}, and memory is only reserved for extents that are known"
        raise no_way_down(op, pass_name, why, "write a number for each `?`")
    return cast("TensorType[AnyFloat]", kind)


def _map(value: SSAValue, result: TensorType[AnyFloat]) -> AffineMapAttr:
    """Which element of an operand belongs to an element of the result."""
    shape = cast("TensorType[Attribute]", value.type).get_shape()
    places: list[AffineExpr] = [
        AffineConstantExpr(0) if extent == 1 else AffineDimExpr(dim)
        for dim, extent in enumerate(shape)
    ]
    return AffineMapAttr(AffineMap(result.get_num_dims(), 0, tuple(places)))


def _scalars(op: Operation, values: Sequence[SSAValue], kind: AnyFloat) -> list[Operation]:
    """What happens to one element; the last op makes the result."""
    match op:
        case own.ClampOp():
            least = arith.ConstantOp(FloatAttr(op.min_fp.value.data, kind))
            most = arith.ConstantOp(FloatAttr(op.max_fp.value.data, kind))
            lowered = arith.MinimumfOp(values[0], most.result)
            return [least, most, lowered, arith.MaximumfOp(lowered.result, least.result)]
        case own.SigmoidOp():
            one = arith.ConstantOp(FloatAttr(1.0, kind))
            negative = arith.NegfOp(values[0])
            power = math.ExpOp(negative.result)
            total = arith.AddfOp(power.result, one.result)
            return [one, negative, power, total, arith.DivfOp(one.result, total.result)]
        case tosa.ReciprocalOp():
            one = arith.ConstantOp(FloatAttr(1.0, kind))
            return [one, arith.DivfOp(one.result, values[0])]
        case _ if type(op) in _SCALARS:
            return [_SCALARS[type(op)](*values)]
        case _:
            why = f"of tosa it knows {_KNOWN}"
            raise no_way_down(op, TosaToLinalgPass.name, why, "build the op from these")
