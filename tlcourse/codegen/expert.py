"""Expert code generation: memrefs in named memories, one function per kind of core.

Each statement becomes the ops that the learner asked for and no others; where data lies and
which core works on it is written in the kernel, and a wish that the chip cannot fulfil is an
error here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp, StridedLayoutAttr, i32
from xdsl.ir import Block, Operation, Region, SSAValue

from tlcourse.codegen.atomics import lower_atomic
from tlcourse.codegen.copies import lower_copy
from tlcourse.codegen.cores import (
    SPACE_WORDS,
    SPACES,
    core_of,
    expert_core,
    in_scope,
    require_core,
    scope_core,
    space_of,
)
from tlcourse.codegen.elementwise import (
    VectorStatement,
    instruction,
    is_plain_copy,
    operands_of,
    sources_of,
)
from tlcourse.codegen.function import (
    FunctionForm,
    close_function,
    kernel_body,
    module_of,
    open_function,
)
from tlcourse.codegen.gemm import gemm_flags, gemm_sizes, is_corner, last_two
from tlcourse.codegen.moves import MOVES, move_memrefs
from tlcourse.codegen.refusals import no_place, unsupported
from tlcourse.codegen.regions import base_of, name_of, part_of, subview
from tlcourse.codegen.reshapes import is_view, reshape_memref
from tlcourse.codegen.scalar_math import in_ub, lower_math
from tlcourse.codegen.scalars import lower_scalar
from tlcourse.codegen.sync import lower_sync
from tlcourse.codegen.writer import Writer
from tlcourse.diagnostics import SourceMap
from tlcourse.dialects import tl
from tlcourse.dialects.hivm.attrs import AddressSpaceAttr
from tlcourse.dialects.hivm.choices import BitcastOp
from tlcourse.dialects.hivm.core import DebugOp
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.memref import CopyOp, type_of
from tlcourse.dialects.signature import function_of, kernel_of


def generate_expert(module: ModuleOp, sources: SourceMap) -> ModuleOp:
    """MLIR of an Expert kernel; see `tlcourse.codegen.generate`."""
    source, kernel = function_of(module), kernel_of(module)
    core = expert_core(kernel)
    cores = ("AIC", "AIV") if core == "MIX" else (core,)
    functions = [_function(source, here, core == "MIX", sources) for here in cores]
    return module_of(core, functions, module)


def _function(source: func.FuncOp, core: str, mix: bool, sources: SourceMap) -> func.FuncOp:
    name = source.sym_name.data
    form = FunctionForm(
        name=f"{name}_mix_{core.lower()}" if mix else name,
        core=core,
        part_of_mix=mix,
        expert=True,
    )
    function, writer = open_function(source, form, sources)
    for op in source.body.block.ops:
        if isinstance(op, tl.KernelOp):
            with kernel_body(writer, op):
                _statements(writer, op.body.block)
        elif not isinstance(op, func.ReturnOp):
            _statement(writer, op)
    return close_function(function, writer)


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
    elif not (lower_scalar(writer, op) or lower_sync(writer, op) or lower_math(writer, op, in_ub)):
        raise unsupported(writer, op, "Expert")


def _alloc(writer: Writer, op: tl.AllocOp) -> None:
    kind = type_of(op.result)
    space = SPACES.get(tl.scope_of(op.result), "")
    if not space:
        raise no_place(writer, op, "Expert")
    if core_of(op) != writer.core and not in_scope(op):
        return  # The other core's function has it; a statement here that uses it is refused.
    require_core(writer, op)
    shape = kind.get_shape()
    layout = StridedLayoutAttr(_row_major(shape))
    here = MemRefType(kind.element_type, shape, layout, AddressSpaceAttr(space))
    buffer = writer.add(memref.AllocOp([], [], here)).memref
    buffer.name_hint = op.result.name_hint
    writer.buffers[op.result] = buffer


def _row_major(shape: tuple[int, ...]) -> list[int]:
    strides = [1]
    for extent in reversed(shape[1:]):
        strides.insert(0, strides[0] * extent)
    return strides


def _vector(writer: Writer, op: VectorStatement) -> None:
    tiles = [v for v in (*sources_of(op), op.destination) if isinstance(v.type, MemRefType)]
    for tile in tiles:
        _require_space(writer, op, tile, "ub", "The vector cores work on tiles in UB only")
    require_core(writer, op)
    operands = operands_of(writer, op)
    sources = [
        subview(writer, writer.buffers[s[0].buffer], *s) if isinstance(s, tuple) else s
        for s in operands.sources
    ]
    part = operands.destination
    destination = subview(writer, writer.buffers[part.buffer], part, operands.dims)
    if is_plain_copy(op, operands):
        writer.add(CopyOp(sources[0], destination))
    else:
        writer.add(instruction(op, sources, destination, operands.broadcast))


def _bitcast(writer: Writer, op: tl.BitcastOp) -> None:
    for tile in op.operands:
        _require_space(writer, op, tile, "ub", "The bits of a tile are read in UB only")
    require_core(writer, op)
    source, destination = (_whole_view(writer, tile) for tile in op.operands)
    bits = writer.add(BitcastOp(source, type_of(destination).element_type)).result
    writer.add(CopyOp(bits, destination))


def _whole_view(writer: Writer, tile: SSAValue) -> SSAValue:
    part = part_of(writer, tile)
    return subview(writer, writer.buffers[part.buffer], part, tuple(range(len(part.sizes))))


def _move(writer: Writer, op: tl.TileOp) -> None:
    for tile in (*op.sources, *op.destinations):
        _require_space(writer, op, tile, "ub", "The vector cores work on tiles in UB only")
    require_core(writer, op)
    move_memrefs(writer, op)


def _reshape(writer: Writer, op: tl.ReshapeOp) -> None:
    if not is_view(op):
        for tile in op.operands:
            _require_space(writer, op, tile, "ub", "Both tiles are used, so elements are copied")
    require_core(writer, op)
    reshape_memref(writer, op)


def _atomic(writer: Writer, op: tl.AtomicAddOp) -> None:
    _require_space(writer, op, op.sources[0], "ub", "Only the way from UB to GM adds")
    require_core(writer, op)
    lower_atomic(writer, op)


def _require_space(writer: Writer, op: Operation, tile: SSAValue, space: str, rule: str) -> None:
    """TL211: a tile operand lies in another memory than the op needs."""
    found = space_of(tile)
    if found == space:
        return
    allocs = {"ub": "T.alloc_ub", "cbuf": "T.alloc_L1", "cc": "T.alloc_L0C"}
    raise writer.error(
        "TL211",
        f"{name_of(tile)} lies in {SPACE_WORDS.get(found, 'no known memory')}, but this "
        f"statement needs it in {SPACE_WORDS[space]}",
        op,
        why=rule,
        fix=f"allocate it with {allocs[space]} and fill it with T.copy",
    )


def _gemm(writer: Writer, op: tl.GemmOp) -> None:
    rule = "The cube core reads its factors from L1 and adds up in L0C"
    for tile, space in ((op.a, "cbuf"), (op.b, "cbuf"), (op.c, "cc")):
        _require_space(writer, op, tile, space, rule)
    require_core(writer, op)
    sizes = gemm_sizes(writer, op)
    a, b, c = (_matrix(writer, tile) for tile in (op.a, op.b, op.c))
    init = writer.values[op.init]
    writer.add(MmadL1Op(a, b, init, sizes, c, **gemm_flags(op)))


def _matrix(writer: Writer, tile: SSAValue) -> SSAValue:
    part = part_of(writer, tile)
    buffer = writer.buffers[part.buffer]
    return buffer if is_corner(part) else subview(writer, buffer, part, last_two(part))


def _for(writer: Writer, op: tl.ForOp) -> None:
    step = writer.constant(1, i32)
    body = Block(arg_types=[i32])
    body.args[0].name_hint = op.variable.name_hint
    writer.values[op.variable] = body.args[0]
    lower, upper = writer.values[op.lower], writer.values[op.upper]
    writer.add(scf.ForOp(lower, upper, step, [], body))
    with writer.inside(body):
        _statements(writer, op.body.block)
        writer.stand_at(op)
        writer.add(scf.YieldOp())


def _if(writer: Writer, op: scf.IfOp) -> None:
    branches = [Block() for region in op.regions if region.blocks]
    then, *others = [Region(branch) for branch in branches]
    writer.add(scf.IfOp(writer.values[op.cond], [], then, others[0] if others else None))
    for branch, region in zip(branches, op.regions, strict=False):
        with writer.inside(branch):
            _statements(writer, region.block)
            writer.stand_at(op)
            writer.add(scf.YieldOp())


def _scope(writer: Writer, op: tl.ScopeOp) -> None:
    if scope_core(op) == writer.core:
        _statements(writer, op.body.block)


def _load(writer: Writer, op: tl.LoadOp) -> None:
    _require_scalar_access(writer, op, op.buffer)
    indices = writer.index_values(op.indices)
    value = writer.add(memref.LoadOp.get(writer.buffers[op.buffer], indices)).res
    writer.values[op.result] = value


def _store(writer: Writer, op: tl.StoreOp) -> None:
    _require_scalar_access(writer, op, op.buffer)
    indices = writer.index_values(op.indices)
    value = writer.values[op.value]
    writer.add(memref.StoreOp.get(value, writer.buffers[op.buffer], indices))


def _require_scalar_access(writer: Writer, op: Operation, buffer: SSAValue) -> None:
    if space_of(buffer) != "gm":
        rule = "The scalar unit reads and writes single elements in UB and GM only"
        _require_space(writer, op, buffer, "ub", rule)
    require_core(writer, op)


def _print(writer: Writer, op: tl.PrintOp) -> None:
    require_core(writer, op)
    value = writer.values.get(op.value)
    if value is None:
        part = part_of(writer, op.value)
        dims = tuple(range(len(part.sizes)))
        value = subview(writer, writer.buffers[base_of(op.value)], part, dims)
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
    **dict.fromkeys(MOVES, _move),
    tl.ReshapeOp: _reshape,
    tl.AtomicAddOp: _atomic,
    tl.GemmOp: _gemm,
    tl.ForOp: _for,
    scf.IfOp: _if,
    tl.ScopeOp: _scope,
    tl.LoadOp: _load,
    tl.StoreOp: _store,
    tl.PrintOp: _print,
    tl.RegionOp: _nothing,
}
