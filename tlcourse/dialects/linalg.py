"""A batch of matrix products as an op of linalg, which xDSL lacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, TensorType
from xdsl.dialects.linalg.abstract_ops import NamedOperation
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import MatmulOp
from xdsl.ir import Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import irdl_op_definition

_MAPS = (
    AffineMap.from_callable(lambda batch, i, _, k: (batch, i, k)),
    AffineMap.from_callable(lambda batch, _, j, k: (batch, k, j)),
    AffineMap.from_callable(lambda batch, i, j, _: (batch, i, j)),
)


@irdl_op_definition
class BatchMatmulOp(NamedOperation):
    """`linalg.batch_matmul ins(%a, %b) outs(%c)`: a[n] @ b[n] is added to c[n] for each n."""

    name = "linalg.batch_matmul"
    PRINT_ATTRS_IN_FRONT: ClassVar[bool] = True

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
    ) -> None:
        kinds = [one.type for one in outputs]
        super().__init__(
            ins=inputs,
            outs=outputs,
            result_types=[kind for kind in kinds if TensorType.name == kind.name],
            hidden_region=self.get_hidden_region(inputs, outputs),
        )

    @classmethod
    def get_hidden_region(cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
        """What happens to three elements: that of a matrix product of two dimensions."""
        return MatmulOp.get_hidden_region(inputs, outputs)

    def get_default_indexing_maps(self) -> Sequence[AffineMap]:
        """Which elements of a, b and c belong together."""
        return _MAPS

    def get_indexing_maps(self) -> ArrayAttr[AffineMapAttr]:
        """The same as attributes."""
        return ArrayAttr([AffineMapAttr(one) for one in _MAPS])

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        """Three dimensions of c, which may run in any order, and the one that is summed over."""
        parallel, sum_over = IteratorTypeAttr.parallel(), IteratorTypeAttr.reduction()
        return ArrayAttr([parallel, parallel, parallel, sum_over])
