"""Ops of Tile IR on tile views: regions, element access, copies, products, vector ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    StringAttr,
    UnitAttr,
    i1,
    i32,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tlcourse.dialects.tl.buffers import buffer_type, memref_of, scope_of
from tlcourse.dialects.vector_ops import ALL_OPS, COMPOSITE_OPS, VECTOR_OPS, VectorOp


@irdl_op_definition
class RegionOp(IRDLOperation):
    """A rectangular part of a buffer as a tile view.

    `offsets` has one i32 per dimension of the buffer; the result type holds the extents,
    with one i32 in `sizes` per `?`. Rank is kept: a dimension with one index has extent 1.
    """

    name = "tl.region"
    buffer = operand_def(MemRefType)
    offsets = var_operand_def(i32)
    sizes = var_operand_def(i32)
    result = result_def(MemRefType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())
    assembly_format = (
        "$buffer `[` $offsets `]` `[` $sizes `]` attr-dict `:` type($buffer) `to` type($result)"
    )

    def __init__(
        self,
        buffer: SSAValue,
        offsets: Sequence[SSAValue],
        extents: Sequence[int | SSAValue],
    ) -> None:
        kind = memref_of(buffer)
        shape = [extent if isinstance(extent, int) else DYNAMIC_INDEX for extent in extents]
        sizes = [extent for extent in extents if isinstance(extent, SSAValue)]
        super().__init__(
            operands=[buffer, offsets, sizes],
            result_types=[buffer_type(shape, kind.element_type, scope_of(buffer))],
        )

    def extents(self) -> list[int | SSAValue]:
        """The extent of each dimension: an integer, or an i32 value."""
        kind = memref_of(self.result)
        sizes = iter(self.sizes)
        return [next(sizes) if dim == DYNAMIC_INDEX else dim for dim in kind.get_shape()]

    def verify_(self) -> None:
        kind, out = memref_of(self.buffer), memref_of(self.result)
        if len(self.offsets) != kind.get_num_dims() or out.get_num_dims() != kind.get_num_dims():
            raise VerifyException(
                f"tl.region keeps the rank: buffer has {kind.get_num_dims()} dimensions, "
                f"{len(self.offsets)} offsets and {out.get_num_dims()} extents are given"
            )


@irdl_op_definition
class LoadOp(IRDLOperation):
    """One element of a buffer as a scalar."""

    name = "tl.load"
    buffer = operand_def(MemRefType)
    indices = var_operand_def(i32)
    result = result_def()
    assembly_format = "$buffer `[` $indices `]` attr-dict `:` type($buffer) `->` type($result)"

    def __init__(self, buffer: SSAValue, indices: Sequence[SSAValue]) -> None:
        kind = memref_of(buffer)
        super().__init__(operands=[buffer, indices], result_types=[kind.element_type])


@irdl_op_definition
class StoreOp(IRDLOperation):
    """Writes a scalar into one element of a buffer."""

    name = "tl.store"
    value = operand_def()
    buffer = operand_def(MemRefType)
    indices = var_operand_def(i32)
    assembly_format = (
        "$value `,` $buffer `[` $indices `]` attr-dict `:` type($value) `,` type($buffer)"
    )

    def __init__(self, value: SSAValue, buffer: SSAValue, indices: Sequence[SSAValue]) -> None:
        super().__init__(operands=[value, buffer, indices])


@irdl_op_definition
class CopyOp(IRDLOperation):
    """Copies a tile; extents that are not 1 agree in order. Only `dst`'s region changes.

    With `relu` negative numbers turn to 0 on the way, which the FIX pipe out of L0C can do.
    """

    name = "tl.copy"
    src = operand_def(MemRefType)
    dst = operand_def(MemRefType)
    relu = opt_prop_def(UnitAttr)
    assembly_format = "(`relu` $relu^)? $src `,` $dst attr-dict `:` type($src) `to` type($dst)"

    def __init__(self, src: SSAValue, dst: SSAValue, *, relu: bool = False) -> None:
        super().__init__(operands=[src, dst], properties={"relu": UnitAttr() if relu else None})


@irdl_op_definition
class BroadcastOp(IRDLOperation):
    """Fills a tile with a scalar of its dtype, or repeats a tile along its extents of 1."""

    name = "tl.vbrc"
    source = operand_def()
    destination = operand_def(MemRefType)
    assembly_format = (
        "`ins` `(` $source `:` type($source) `)` "
        "`outs` `(` $destination `:` type($destination) `)` attr-dict"
    )

    def __init__(self, source: SSAValue, destination: SSAValue) -> None:
        super().__init__(operands=[source, destination])


@irdl_op_definition
class CastOp(IRDLOperation):
    """Converts a tile to another dtype; `round_mode` says how floats lose digits."""

    name = "tl.vcast"
    source = operand_def(MemRefType)
    destination = operand_def(MemRefType)
    round_mode = prop_def(StringAttr)
    assembly_format = (
        "$round_mode `ins` `(` $source `:` type($source) `)` "
        "`outs` `(` $destination `:` type($destination) `)` attr-dict"
    )

    def __init__(self, source: SSAValue, destination: SSAValue, round_mode: str = "rint") -> None:
        super().__init__(
            operands=[source, destination], properties={"round_mode": StringAttr(round_mode)}
        )


@irdl_op_definition
class GemmOp(IRDLOperation):
    """c = op(a) @ op(b), added to c unless `init` is true. f32 (int32) accumulation.

    a [M, K] ([K, M] if a_transpose) and b [K, N] ([N, K] if b_transpose), c [M, N].
    """

    name = "tl.gemm"
    a = operand_def(MemRefType)
    b = operand_def(MemRefType)
    init = operand_def(i1)
    c = operand_def(MemRefType)
    a_transpose = opt_prop_def(UnitAttr)
    b_transpose = opt_prop_def(UnitAttr)
    assembly_format = (
        "(`a_transpose` $a_transpose^)? (`b_transpose` $b_transpose^)? "
        "`ins` `(` $a `,` $b `,` $init `:` type($a) `,` type($b) `)` "
        "`outs` `(` $c `:` type($c) `)` attr-dict"
    )

    def __init__(
        self,
        a: SSAValue,
        b: SSAValue,
        init: SSAValue,
        c: SSAValue,
        *,
        a_transpose: bool = False,
        b_transpose: bool = False,
    ) -> None:
        super().__init__(
            operands=[a, b, init, c],
            properties={
                "a_transpose": UnitAttr() if a_transpose else None,
                "b_transpose": UnitAttr() if b_transpose else None,
            },
        )


class ElementwiseOp(IRDLOperation):
    """Base of the elementwise ops, most of them from the table: `tl.vexp ins(%a) outs(%b)`.

    Sources are tile views that broadcast to the destination; the last one may be a scalar.
    """

    sources = var_operand_def()
    destination = operand_def(MemRefType)
    assembly_format = (
        "`ins` `(` $sources `:` type($sources) `)` "
        "`outs` `(` $destination `:` type($destination) `)` attr-dict"
    )

    def __init__(self, sources: Sequence[SSAValue], destination: SSAValue) -> None:
        super().__init__(operands=[sources, destination])

    @property
    def row(self) -> VectorOp:
        """The op's row in the table of vector ops."""
        return ALL_OPS[self.name.removeprefix("tl.")]

    def statement(self, dtype: str) -> str:
        """The torch statement that computes the op into a destination of `dtype`."""
        return self.row.torch_statement(dtype)

    def on(self, sources: Sequence[SSAValue], destination: SSAValue) -> Self:
        """The same op on other operands."""
        return type(self).create(operands=[*sources, destination], properties=dict(self.properties))


def _elementwise(row: VectorOp) -> type[ElementwiseOp]:
    members = {
        "__module__": __name__,
        "__doc__": row.doc,
        "name": f"tl.{row.mnemonic}",
    }
    class_name = f"{row.mnemonic[0].upper()}{row.mnemonic[1:].capitalize()}Op"
    return irdl_op_definition(type(class_name, (ElementwiseOp,), members))


ELEMENTWISE: dict[str, type[ElementwiseOp]] = {
    mnemonic: _elementwise(row) for mnemonic, row in (VECTOR_OPS | COMPOSITE_OPS).items()
}
