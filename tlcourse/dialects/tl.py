"""Tile IR: the `tl` dialect holds what a TileLang kernel says and upstream dialects lack.

Scalars are `arith` on i32 and floats, `if` is `scf.if` without results, a kernel is one
`func.func`. Buffers are mutable memrefs with a `#tl.scope<..>`; there are no tensors.

```mlir
tl.kernel(%grid) {
^bb0(%cid : i32, %vid : i32):
  tl.scope "vector" {
    %a = tl.alloc "A_ub" : memref<64x128xf32, #tl.scope<shared>>
    %t = tl.region %A[%i, %j] [] : memref<1024x512xf32, #tl.scope<global>> to memref<64x128xf32, ..>
    tl.copy %t, %a : ..
    tl.vexp ins(%a : ..) outs(%a : ..)
  }
}
```
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    StringAttr,
    UnitAttr,
    i1,
    i32,
)
from xdsl.ir import Attribute, Data, Dialect, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from tlcourse.dialects.vector_ops import VECTOR_OPS, VectorOp

Core = Literal["cube", "vector"]
LoopKind = Literal["serial", "parallel", "pipelined"]

# What the learner's alloc call or parameter asks for, by upstream's scope strings.
SCOPES = (
    "global",
    "shared",
    "shared.dyn",
    "local.fragment",
    "wmma.accumulator",
    "wmma.matrix_a",
    "wmma.matrix_b",
)

# How T.vcast rounds: to nearest (ties to even, ties away from 0), down, up, to 0, to odd.
ROUND_MODES = ("rint", "round", "floor", "ceil", "trunc", "odd")


@irdl_attr_definition
class ScopeAttr(Data[str]):
    """The scope of a buffer: `#tl.scope<global>`, `#tl.scope<"shared.dyn">`."""

    name = "tl.scope"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        with parser.in_angle_brackets():
            return parser.parse_identifier_or_str_literal()

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_identifier_or_string_literal(self.data)


def buffer_type(shape: Sequence[int], element: Attribute, scope: str) -> MemRefType:
    """The type of a buffer or tile view; `DYNAMIC_INDEX` stands for `?`."""
    return MemRefType(element, shape, NoneAttr(), ScopeAttr(scope))


def scope_of(value: SSAValue) -> str:
    """The scope string of a buffer or tile view."""
    space = memref_of(value).memory_space
    assert isinstance(space, ScopeAttr)
    return space.data


def memref_of(value: SSAValue) -> MemRefType:
    """The type of a value that is a buffer or a tile view."""
    assert isinstance(value.type, MemRefType)
    return cast(MemRefType, value.type)


def name_hint(label: str) -> str:
    """An SSA name made from a learner's name: the parser and the printer both keep it."""
    hint = re.sub(r"(_[0-9]+)+$", "", label)
    return hint if hint and hint.isascii() else "v"


@irdl_op_definition
class KernelOp(IRDLOperation):
    """The grid of logical blocks. Block arguments: cid, (by where the grid is 2-D,) vid: i32."""

    name = "tl.kernel"
    grid = var_operand_def(i32)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "`(` $grid `)` $body attr-dict"

    def __init__(self, grid: Sequence[SSAValue], body: Region) -> None:
        super().__init__(operands=[grid], regions=[body])


@irdl_op_definition
class ForOp(IRDLOperation):
    """A loop from `lower` to `upper` by 1. Block argument: the loop variable, i32."""

    name = "tl.for"
    lower = operand_def(i32)
    upper = operand_def(i32)
    kind = prop_def(StringAttr)
    num_stages = opt_prop_def(IntegerAttr)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "$kind $lower `to` $upper (`num_stages` `=` $num_stages^)? $body attr-dict"

    def __init__(
        self,
        lower: SSAValue,
        upper: SSAValue,
        kind: LoopKind,
        body: Region,
        num_stages: int | None = None,
    ) -> None:
        stages = None if num_stages is None else IntegerAttr(num_stages, i32)
        super().__init__(
            operands=[lower, upper],
            properties={"kind": StringAttr(kind), "num_stages": stages},
            regions=[body],
        )

    @property
    def variable(self) -> SSAValue:
        """The loop variable."""
        return self.body.block.args[0]


@irdl_op_definition
class ScopeOp(IRDLOperation):
    """Code for one kind of core: `T.Scope("Cube")` or `T.Scope("Vector")`."""

    name = "tl.scope"
    core = prop_def(StringAttr)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "$core $body attr-dict"

    def __init__(self, core: Core, body: Region) -> None:
        super().__init__(properties={"core": StringAttr(core)}, regions=[body])


@irdl_op_definition
class LetOp(IRDLOperation):
    """A scalar under the learner's name: an identity that Simplify removes."""

    name = "tl.let"
    value = operand_def()
    label = prop_def(StringAttr)
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$label `=` $value `:` type($value) `->` type($result) attr-dict"

    def __init__(self, label: str, value: SSAValue) -> None:
        super().__init__(
            operands=[value], result_types=[value.type], properties={"label": StringAttr(label)}
        )
        self.result.name_hint = name_hint(label)


@irdl_op_definition
class FloorModOp(IRDLOperation):
    """Python's `%` on i32: the result has the sign of the divisor."""

    name = "tl.floormod"
    lhs = operand_def(i32)
    rhs = operand_def(i32)
    result = result_def(i32)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict"

    def __init__(self, lhs: SSAValue, rhs: SSAValue) -> None:
        super().__init__(operands=[lhs, rhs], result_types=[i32])


@irdl_op_definition
class AllocOp(IRDLOperation):
    """An on-chip buffer under the learner's name; its contents are undefined until written."""

    name = "tl.alloc"
    label = prop_def(StringAttr)
    result = result_def(MemRefType)
    assembly_format = "$label `:` type($result) attr-dict"

    def __init__(self, label: str, kind: MemRefType) -> None:
        super().__init__(result_types=[kind], properties={"label": StringAttr(label)})
        self.result.name_hint = name_hint(label)


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
    """Copies a tile; extents that are not 1 agree in order. Only `dst`'s region changes."""

    name = "tl.copy"
    src = operand_def(MemRefType)
    dst = operand_def(MemRefType)
    assembly_format = "$src `,` $dst attr-dict `:` type($src) `to` type($dst)"

    def __init__(self, src: SSAValue, dst: SSAValue) -> None:
        super().__init__(operands=[src, dst])


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
    """Base of the ops made from VECTOR_OPS: `tl.vexp ins(%a : ..) outs(%b : ..)`.

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
        """The op's row in VECTOR_OPS."""
        return VECTOR_OPS[self.name.removeprefix("tl.")]


def _elementwise(row: VectorOp) -> type[ElementwiseOp]:
    members = {
        "__module__": __name__,
        "__doc__": row.doc,
        "name": f"tl.{row.mnemonic}",
    }
    class_name = f"{row.mnemonic[0].upper()}{row.mnemonic[1:].capitalize()}Op"
    return irdl_op_definition(type(class_name, (ElementwiseOp,), members))


ELEMENTWISE: dict[str, type[ElementwiseOp]] = {
    mnemonic: _elementwise(row) for mnemonic, row in VECTOR_OPS.items()
}


class SyncOp(IRDLOperation):
    """Base of the synchronisation ops. Each carries the pipe that `T.rs` named."""

    pipe = prop_def(StringAttr)


class FlagOp(SyncOp):
    """Base of set_flag and wait_flag: `pipe` runs it, `other` is the pipe at the other end."""

    other = prop_def(StringAttr)
    event = operand_def(IntegerType)
    assembly_format = "$pipe `,` $other `,` $event attr-dict `:` type($event)"

    def __init__(self, pipe: str, other: str, event: SSAValue) -> None:
        super().__init__(
            operands=[event], properties={"pipe": StringAttr(pipe), "other": StringAttr(other)}
        )


@irdl_op_definition
class SetFlagOp(FlagOp):
    """`pipe` signals `other` of the same core after its earlier work."""

    name = "tl.set_flag"


@irdl_op_definition
class WaitFlagOp(FlagOp):
    """`pipe` stands until `other` of the same core has set the flag."""

    name = "tl.wait_flag"


@irdl_op_definition
class PipeBarrierOp(SyncOp):
    """Later work of `pipe` waits for its earlier work; PIPE_ALL means all pipes."""

    name = "tl.pipe_barrier"
    assembly_format = "$pipe attr-dict"

    def __init__(self, pipe: str) -> None:
        super().__init__(properties={"pipe": StringAttr(pipe)})


class BlockFlagOp(SyncOp):
    """Base of the cross-core flags inside one block."""

    flag = operand_def(IntegerType)
    assembly_format = "$pipe `,` $flag attr-dict `:` type($flag)"

    def __init__(self, pipe: str, flag: SSAValue) -> None:
        super().__init__(operands=[flag], properties={"pipe": StringAttr(pipe)})


@irdl_op_definition
class SyncBlockSetOp(BlockFlagOp):
    """Raises a flag for the other kind of core once `pipe` has drained. A counter."""

    name = "tl.sync_block_set"


@irdl_op_definition
class SyncBlockWaitOp(BlockFlagOp):
    """`pipe` waits for one raise of a flag by the other kind of core."""

    name = "tl.sync_block_wait"


@irdl_op_definition
class PrintOp(IRDLOperation):
    """Prints a scalar or a tile, with the learner's message."""

    name = "tl.print"
    value = operand_def()
    message = prop_def(StringAttr)
    hex = opt_prop_def(UnitAttr)
    assembly_format = "(`hex` $hex^)? $message `,` $value attr-dict `:` type($value)"

    def __init__(self, message: str, value: SSAValue, *, hex: bool = False) -> None:
        super().__init__(
            operands=[value],
            properties={"message": StringAttr(message), "hex": UnitAttr() if hex else None},
        )


OPS: list[type[Operation]] = [
    KernelOp,
    ForOp,
    ScopeOp,
    LetOp,
    FloorModOp,
    AllocOp,
    RegionOp,
    LoadOp,
    StoreOp,
    CopyOp,
    BroadcastOp,
    CastOp,
    GemmOp,
    *ELEMENTWISE.values(),
    SetFlagOp,
    WaitFlagOp,
    PipeBarrierOp,
    SyncBlockSetOp,
    SyncBlockWaitOp,
    PrintOp,
]

TL = Dialect("tl", OPS, [ScopeAttr])
