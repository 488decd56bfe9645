"""Developer code generation: tensors in one function; the compiler decides where they live.

A buffer of the kernel becomes a chain of tensor values, a new one for each statement that
writes it. Loops and branches carry the newest values; a statement that writes a part of a
buffer inserts its result into the buffer's last value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import func, memref, scf, tensor
from xdsl.dialects.builtin import MemRefType, ModuleOp, i32
from xdsl.ir import Block, Operation, Region, SSAValue

from tlcourse.codegen.atomics import lower_atomic
from tlcourse.codegen.cores import developer_core
from tlcourse.codegen.elementwise import VectorStatement, instruction, is_plain_copy, operands_of
from tlcourse.codegen.function import (
    FunctionForm,
    close_function,
    kernel_body,
    module_of,
    open_function,
)
from tlcourse.codegen.gemm import gemm_flags, gemm_sizes, is_corner, last_two
from tlcourse.codegen.moves import MOVES, move_tensors
from tlcourse.codegen.refusals import no_place, unsupported
from tlcourse.codegen.regions import Part, extract, insert, part_of, subview
from tlcourse.codegen.reshapes import reshape_tensor
from tlcourse.codegen.scalar_math import in_tensor, lower_math
from tlcourse.codegen.scalars import lower_scalar
from tlcourse.codegen.tensor_copies import empty, lower_copy
from tlcourse.codegen.write_sets import carried
from tlcourse.codegen.writer import Writer
from tlcourse.diagnostics import SourceMap
from tlcourse.dialects import tl
from tlcourse.dialects.hivm.choices import BitcastOp
from tlcourse.dialects.hivm.core import DebugOp
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.memref import type_of
from tlcourse.dialects.signature import function_of, kernel_of

_SCOPES = ("shared", "shared.dyn", "local.fragment", "local", "local.var")


def generate_developer(module: ModuleOp, sources: SourceMap) -> ModuleOp:
    """MLIR of a Developer kernel; see `tlcourse.codegen.generate`."""
    source, kernel = function_of(module), kernel_of(module)
    core = developer_core(kernel)
    form = FunctionForm(
        name=source.sym_name.data, core=core, part_of_mix=core == "MIX", expert=False
    )
    function, writer = open_function(source, form, sources)
    for op in source.body.block.ops:
        if isinstance(op, tl.KernelOp):
            with kernel_body(writer, op):
                _statements(writer, op.body.block)
        elif not isinstance(op, func.ReturnOp):
            _statement(writer, op)
    return module_of(core, [close_function(function, writer)], module)


def _statements(writer: Writer, block: Block) -> None:
    for op in block.ops:
        if not isinstance(op, scf.YieldOp):
            _statement(writer, op)


def _statement(writer: Writer, op: Operation) -> None:
    writer.stand_at(op)
    kind = tl.ElementwiseOp if isinstance(op, tl.ElementwiseOp) else type(op)
    handler = _HANDLERS.get(kind)
    if handler is not None:
        handler(writer, op)
    elif not (lower_scalar(writer, op) or lower_math(writer, op, in_tensor)):
        raise unsupported(writer, op, "Developer")


def _alloc(writer: Writer, op: tl.AllocOp) -> None:
    kind = type_of(op.result)
    if tl.scope_of(op.result) not in _SCOPES:
        raise no_place(writer, op, "Developer")
    writer.keep(op.result, empty(writer, kind.get_shape(), kind.element_type))


def _vector(writer: Writer, op: VectorStatement) -> None:
    operands = operands_of(writer, op)
    sources = [
        extract(writer, writer.buffers[s[0].buffer], *s) if isinstance(s, tuple) else s
        for s in operands.sources
    ]
    part, dims = operands.destination, operands.dims
    if is_plain_copy(op, operands):
        value = sources[0]
    else:
        room = empty(writer, [part.sizes[dim] for dim in dims], part.element)
        value = writer.add(instruction(op, sources, room, operands.broadcast)).results[0]
    writer.keep(part.buffer, insert(writer, value, writer.buffers[part.buffer], part, dims))


def _bitcast(writer: Writer, op: tl.BitcastOp) -> None:
    source, part = part_of(writer, op.sources[0]), part_of(writer, op.destinations[0])
    dims = tuple(range(len(source.sizes)))
    value = extract(writer, writer.buffers[source.buffer], source, dims)
    bits = writer.add(BitcastOp(value, part.element)).result
    writer.keep(part.buffer, insert(writer, bits, writer.buffers[part.buffer], part, dims))


def _gemm(writer: Writer, op: tl.GemmOp) -> None:
    sizes = gemm_sizes(writer, op)
    a, b, c = (_matrix(writer, part_of(writer, tile)) for tile in (op.a, op.b, op.c))
    part = part_of(writer, op.c)
    base, init = writer.buffers[part.buffer], writer.values[op.init]
    product = writer.add(MmadL1Op(a, b, init, sizes, c, **gemm_flags(op))).results[0]
    if not is_corner(part):
        product = insert(writer, product, base, part, last_two(part))
    writer.keep(part.buffer, product)


def _matrix(writer: Writer, part: Part) -> SSAValue:
    buffer = writer.buffers[part.buffer]
    return buffer if is_corner(part) else extract(writer, buffer, part, last_two(part))


def _for(writer: Writer, op: tl.ForOp) -> None:
    buffers = carried(op)
    starts = [writer.buffers[buffer] for buffer in buffers]
    body = Block(arg_types=[i32, *(value.type for value in starts)])
    variable, *values = body.args
    variable.name_hint = op.variable.name_hint
    writer.values[op.variable] = variable
    step = writer.constant(1, i32)
    lower, upper = writer.values[op.lower], writer.values[op.upper]
    loop = writer.add(scf.ForOp(lower, upper, step, starts, body))
    _hand_on(writer, op, [(body, op.body.block)], buffers, values, loop.res)


def _if(writer: Writer, op: scf.IfOp) -> None:
    buffers = carried(op)
    starts = [writer.buffers[buffer] for buffer in buffers]
    blocks = [region.block if region.blocks else None for region in op.regions]
    if blocks[1] is None and not buffers:
        blocks = blocks[:1]
    branches = [(Block(), block) for block in blocks]
    then, *others = [Region(branch) for branch, _ in branches]
    types = [value.type for value in starts]
    choice = scf.IfOp(writer.values[op.cond], types, then, others[0] if others else None)
    writer.add(choice)
    _hand_on(writer, op, branches, buffers, starts, choice.output)


def _hand_on(
    writer: Writer,
    op: Operation,
    bodies: Sequence[tuple[Block, Block | None]],
    buffers: Sequence[SSAValue],
    starts: Sequence[SSAValue],
    results: Sequence[SSAValue],
) -> None:
    """Fills blocks that begin with `starts` as the buffers' values and end with the newest."""
    before = dict(writer.buffers)
    for here, there in bodies:
        writer.buffers = dict(before)
        for buffer, start in zip(buffers, starts, strict=True):
            writer.keep(buffer, start)
        with writer.inside(here):
            if there is not None:
                _statements(writer, there)
            writer.stand_at(op)
            writer.add(scf.YieldOp(*(writer.buffers[buffer] for buffer in buffers)))
    writer.buffers = before
    for buffer, result in zip(buffers, results, strict=True):
        writer.keep(buffer, result)


def _load(writer: Writer, op: tl.LoadOp) -> None:
    buffer, indices = writer.buffers[op.buffer], writer.index_values(op.indices)
    if isinstance(buffer.type, MemRefType):
        writer.values[op.result] = writer.add(memref.LoadOp.get(buffer, indices)).res
        return
    extracted = tensor.ExtractOp(buffer, indices, op.result.type)
    writer.values[op.result] = writer.add(extracted).result


def _store(writer: Writer, op: tl.StoreOp) -> None:
    buffer, indices = writer.buffers[op.buffer], writer.index_values(op.indices)
    value = writer.values[op.value]
    if isinstance(buffer.type, MemRefType):
        writer.add(memref.StoreOp.get(value, buffer, indices))
        return
    writer.keep(op.buffer, writer.add(tensor.InsertOp(value, buffer, indices)).result)


def _print(writer: Writer, op: tl.PrintOp) -> None:
    value = writer.values.get(op.value)
    if value is None:
        part = part_of(writer, op.value)
        buffer, dims = writer.buffers[part.buffer], tuple(range(len(part.sizes)))
        view = subview if isinstance(buffer.type, MemRefType) else extract
        value = view(writer, buffer, part, dims)
    writer.add(DebugOp(op.message.data, value, hex=op.hex is not None))


def _nothing(writer: Writer, op: Operation) -> None:
    """A region is written where it is used, so that it bears that statement's location."""


_HANDLERS: dict[type[Operation], Callable[[Writer, Any], None]] = {
    tl.AllocOp: _alloc,
    tl.CopyOp: lower_copy,
    tl.ElementwiseOp: _vector,
    tl.BroadcastOp: _vector,
    tl.CastOp: _vector,
    tl.BitcastOp: _bitcast,
    **dict.fromkeys(MOVES, move_tensors),
    tl.ReshapeOp: reshape_tensor,
    tl.AtomicAddOp: lower_atomic,
    tl.GemmOp: _gemm,
    tl.ForOp: _for,
    scf.IfOp: _if,
    tl.LoadOp: _load,
    tl.StoreOp: _store,
    tl.PrintOp: _print,
    tl.RegionOp: _nothing,
}
