"""Pass tosa-to-linalg-named: a matrix product keeps a name in linalg."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import FloatAttr, ModuleOp
from xdsl.dialects.linalg.ops import FillOp
from xdsl.passes import ModulePass

from tlcourse.dialects.linalg import BatchMatmulOp
from tlcourse.dialects.rewriting import replace
from tlcourse.dialects.tosa import MatMulOp
from tlcourse.passes.mlir.tosa_to_linalg import checked_type


@dataclass(frozen=True)
class TosaToLinalgNamedPass(ModulePass):
    """Each `tosa.matmul` becomes a `linalg.batch_matmul` that adds to a tensor of zeros.

    ```
    %c = tosa.matmul %a, %b   -->   %e = tensor.empty()
                                    %z = linalg.fill ins(%zero) outs(%e)
                                    %c = linalg.batch_matmul ins(%a, %b) outs(%z)
    ```

    A product sums, so its op reads what it writes: `outs` is where the sums start.

    Differs from upstream: MLIR's pass also converts convolutions, pooling and transposes.
    """

    name = "tosa-to-linalg-named"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if isinstance(inner, MatMulOp):
                _convert(inner)


def _convert(op: MatMulOp) -> None:
    kind = checked_type(op, TosaToLinalgNamedPass.name)
    zero = arith.ConstantOp(FloatAttr(0.0, kind.element_type))
    empty = tensor.EmptyOp([], kind)
    zeros = FillOp([zero.result], [empty.tensor], [kind])
    product = BatchMatmulOp([op.a, op.b], [zeros.results[0]])
    replace(op, [zero, empty, zeros, product])
