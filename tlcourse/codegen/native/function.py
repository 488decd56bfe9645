"""The C file of a kernel: a function for one block, and one that shares out all blocks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from tlcourse.codegen.native import products, scalars, tiles
from tlcourse.codegen.native.code import BYTES, C_TYPES, SHORT, Code, loaded, stored
from tlcourse.codegen.native.names import may_write
from tlcourse.codegen.native.poison import needs_poison, poison, uses_of
from tlcourse.codegen.native.rows import Group, groups_of, is_home, is_late, written_by
from tlcourse.codegen.native.views import Extent, NotNative, View, dense, product_text, times
from tlcourse.dialects import tl
from tlcourse.dialects.dtypes import dtype_of
from tlcourse.dialects.expansion import expanded
from tlcourse.dialects.signature import function_of, kernel_of

_FILE = """\
#include "runtime.h"

static int block(void **args, const int64_t *sizes, const int64_t *grid, char *tiles, int64_t n) {{
{body}
  return 0;
}}

int run(void **args, const int64_t *sizes, const int64_t *grid, int threads) {{
  int64_t blocks = {blocks}, share = most(blocks / (16 * threads), 1);
  int wrong = 0;
#pragma omp parallel num_threads(threads) reduction(| : wrong)
  {{
    char *tiles = aligned_alloc(64, {bytes});
    if (tiles == NULL)
      wrong = 2;
    else {{
#pragma omp for schedule(dynamic, share) nowait
      for (int64_t n = 0; n < blocks; n++)
        wrong |= block(args, sizes, grid, tiles, n);
    }}
    free(tiles);
  }}
  return wrong ? wrong : 4 * ({looks});
}}
"""
_IGNORED = (tl.SetFlagOp, tl.WaitFlagOp, tl.PipeBarrierOp, scf.YieldOp, func.ReturnOp)


def native_source(tile: ModuleOp) -> str | None:
    """The C text of a kernel, or None where the generator has no form for a part of it.

    It includes `runtime.h` of the functional executor, which builds and runs it.

    Args:
        tile: Tile IR as the functional executor gets it; not changed.
    """
    tile = expanded(tile)
    code = Code()
    try:
        _write(code, tile)
    except NotNative:
        return None
    rank = len(kernel_of(tile).grid)
    return _FILE.format(
        body="\n".join(code.lines),
        blocks=" * ".join(f"grid[{dim}]" for dim in range(rank)),
        bytes=max(code.tile_bytes, 64),
        looks=" | ".join(code.looks) or "0",
    )


def _write(code: Code, module: ModuleOp) -> None:
    function, kernel = function_of(module), kernel_of(module)
    if any(isinstance(op, tl.ScopeOp) for op in kernel.walk()):
        raise NotNative("two kinds of cores")
    _arguments(code, function)
    for op in function.body.block.ops:
        if op is not kernel:
            _statement(code, op)
    *blocks, vid = kernel.body.block.args
    rest = "n"
    for dim in reversed(range(1, len(blocks))):
        code.scalars[blocks[dim]] = _new(code, "int64_t", f"{rest} % grid[{dim}]")
        rest = _new(code, "int64_t", f"{rest} / grid[{dim}]")
    code.scalars[blocks[0]] = rest
    code.scalars[vid] = "0"
    _block(code, kernel.body.block)


def _arguments(code: Code, function: func.FuncOp) -> None:
    """Tensors as pointers with their extents, numbers by value."""
    place = 0
    for position, value in enumerate(function.body.block.args):
        if not isinstance(value.type, MemRefType):
            c_type = scalars.c_type(value.type)
            wide = "int64_t" if c_type == "int64_t" else "double"
            text = scalars.rounded(value.type, f"({c_type})*({wide} *)args[{position}]")
            code.scalars[value] = _new(code, c_type, text, value.name_hint)
            continue
        kind = tl.memref_of(value)
        dtype = dtype_of(kind.element_type).name
        shape: list[Extent] = []
        for dim, extent in enumerate(kind.get_shape()):
            known = extent != DYNAMIC_INDEX
            shape.append(extent if known else _new(code, "int64_t", f"sizes[{place + dim}]"))
        if "float" in dtype and any(may_write(one, value) for one in uses_of(value)):
            code.looks.append(_look(position, place, dtype, kind.get_shape()))
        place += len(shape)
        pointer = _new(code, f"{C_TYPES[dtype]} *", f"args[{position}]", value.name_hint)
        code.views[value] = View(
            start=pointer, dtype=dtype, shape=tuple(shape), strides=_named(code, dense(shape))
        )


def _look(position: int, place: int, dtype: str, shape: Sequence[int]) -> str:
    """C that says whether an output holds inf or NaN."""
    if dtype not in SHORT:
        return "1"
    sizes = [f"sizes[{place + i}]" if n == DYNAMIC_INDEX else n for i, n in enumerate(shape)]
    return f"odd_{SHORT[dtype]}(args[{position}], {product_text(sizes)})"


def _named(code: Code, strides: tuple[Extent, ...]) -> tuple[Extent, ...]:
    return tuple(
        _new(code, "int64_t", one) if isinstance(one, str) and " " in one else one
        for one in strides
    )


def _new(code: Code, kind: str, text: str, hint: str | None = None) -> str:
    name = code.name(hint)
    code.line(f"{kind}{'' if kind.endswith('*') else ' '}{name} = {text};")
    return name


def _block(code: Code, block: Block) -> None:
    for group in groups_of(list(block.ops)):
        if group.rows:
            _rows(code, group)
        else:
            _statement(code, group.ops[0])


def _rows(code: Code, group: Group) -> None:
    name = code.name("row")
    homes = [op for op in group.ops if is_home(op, group.ops)]
    for op in homes:
        assert isinstance(op, tl.CopyOp)
        code.views[op.src] = code.views[op.dst]
    with code.block(f"for (int64_t {name} = 0; {name} < {group.rows}; {name}++)"):
        code.row = name
        for op in group.ops:
            if op in homes:
                continue
            if is_late(op, group.ops):
                assert isinstance(op, tl.CopyOp)
                code.late[op.dst] = tiles.fetched(code, code.views[op.src])
                continue
            _statement(code, op)
            if (written := written_by(op)) is not None:
                code.late.pop(written, None)
        code.row = ""


def _statement(code: Code, op: Operation) -> None:
    match op:
        case tl.ForOp():
            lower, upper = code.scalars[op.lower], code.scalars[op.upper]
            name = code.name(op.variable.name_hint or "i")
            code.scalars[op.variable] = name
            with code.block(f"for (int64_t {name} = {lower}; {name} < {upper}; {name}++)"):
                _block(code, op.body.block)
        case scf.IfOp():
            with code.block(f"if ({code.scalars[op.cond]})"):
                _block(code, op.true_region.block)
            if op.false_region.blocks:
                with code.block("else"):
                    _block(code, op.false_region.block)
        case tl.AllocOp():
            _allocate(code, op)
        case tl.RegionOp():
            _region(code, op)
        case tl.LoadOp() | tl.StoreOp():
            _element(code, op)
        case _:
            _tile_statement(code, op)


def _tile_statement(code: Code, op: Operation) -> None:
    match op:
        case tl.CopyOp():
            tiles.copy(code, op)
        case tl.BroadcastOp():
            tiles.broadcast(code, op)
        case tl.CastOp():
            tiles.cast(code, op)
        case tl.GemmOp():
            products.gemm(code, op)
        case tl.ElementwiseOp():
            tiles.elementwise(code, op)
        case tl.ReduceOp():
            products.reduce(code, op)
        case tl.ArangeOp():
            tiles.arange(code, op)
        case _ if isinstance(op, _IGNORED):
            return
        case _:
            _scalar(code, op)


def _scalar(code: Code, op: Operation) -> None:
    match op:
        case arith.ConstantOp():
            code.scalars[op.result] = scalars.constant(op)
        case tl.LetOp():
            code.scalars[op.result] = code.scalars[op.value]
        case _:
            if len(op.results) != 1 or any(one not in code.scalars for one in op.operands):
                raise NotNative(op.name)
            operands = [code.scalars[one] for one in op.operands]
            position = scalars.divisor(op)
            if position is not None and not operands[position].isdecimal():
                code.refuse([f"{operands[position]} == 0"])
            text = scalars.expression(op, operands)
            result = op.results[0]
            code.scalars[result] = _new(code, scalars.c_type(result.type), text, result.name_hint)


def _allocate(code: Code, op: tl.AllocOp) -> None:
    kind = tl.memref_of(op.result)
    dtype = dtype_of(kind.element_type).name
    shape = tuple(kind.get_shape())
    if DYNAMIC_INDEX in shape:
        raise NotNative("a buffer of open size")
    count = 1
    for extent in shape:
        count *= extent
    place = code.room(count * BYTES[dtype])
    start = _new(
        code, f"{C_TYPES[dtype]} *", f"({C_TYPES[dtype]} *)(tiles + {place})", op.label.data
    )
    code.views[op.result] = View(start=start, dtype=dtype, shape=shape, strides=dense(shape))
    if needs_poison(op):
        code.line(poison(start, dtype, count))


def _region(code: Code, op: tl.RegionOp) -> None:
    view = code.views[op.buffer]
    extents = [code.extent(one) for one in op.extents()]
    offsets = [code.scalars[one] for one in op.offsets]
    faults: list[str] = []
    terms: list[str] = []
    for offset, extent, whole, stride in zip(
        offsets, extents, view.shape, view.strides, strict=True
    ):
        faults += _outside(offset, extent, whole)
        if offset != "0":
            terms.append(str(times(offset, stride)))
    code.refuse(faults)
    start = view.start
    if terms:
        start = _new(code, f"{C_TYPES[view.dtype]} *", f"{start} + {' + '.join(terms)}")
    code.views[op.result] = View(
        start=start, dtype=view.dtype, shape=tuple(extents), strides=view.strides
    )


def _outside(offset: str, extent: Extent, whole: Extent) -> list[str]:
    """Conditions under which a part leaves its buffer; none where that cannot be."""
    if offset == "0" and extent == whole:
        return []
    if offset.isdecimal() and isinstance(extent, int) and isinstance(whole, int):
        if int(offset) + extent <= whole:
            return []
    below = [] if offset.isdecimal() else [f"{offset} < 0"]
    empty = [] if isinstance(extent, int) else [f"{extent} < 0"]
    return [*below, *empty, f"{offset} + {extent} > {whole}"]


def _element(code: Code, op: tl.LoadOp | tl.StoreOp) -> None:
    view = code.views[op.buffer]
    indices = [code.scalars[one] for one in op.indices]
    faults: list[str] = []
    for index, whole in zip(indices, view.shape, strict=True):
        faults += _outside(index, 1, whole)
    code.refuse(faults)
    place = tiles.element(view, indices)
    if isinstance(op, tl.LoadOp):
        result: SSAValue = op.result
        kind = scalars.c_type(result.type)
        code.scalars[result] = _new(code, kind, loaded(view.dtype, place), result.name_hint)
    else:
        code.line(f"{place} = {stored(view.dtype, code.scalars[op.value])};")
