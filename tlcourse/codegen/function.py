"""The shape that every generated function has, whatever the kernel does.

```mlir
module attributes {hivm.module_core_type = #hivm.module_core_type<AIV>, memref.memref_as_ptr} {
  func.func @NAME(%ffts: i64 {..}, %lock: memref<?xi8>, %workspace: memref<?xi8>,
                  user parameters, symbols: i32, six i32 of the grid) attributes {..} {
    hivm.hir.set_ffts_base_addr %ffts
    one memref.reinterpret_cast per tensor parameter, with its shape and strides
    %0 = hivm.hir.get_block_idx -> i64
    ...
  }
}
```

The launcher reads names, core types and element types from this text.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    UnitAttr,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tlcourse.codegen.regions import static_shape
from tlcourse.codegen.shapes import shape_values
from tlcourse.codegen.writer import Writer
from tlcourse.diagnostics import SourceMap
from tlcourse.dialects import tl
from tlcourse.dialects.hacc import ArgTypeAttr, FunctionKindAttr
from tlcourse.dialects.hivm.attrs import FuncCoreTypeAttr, ModuleCoreTypeAttr
from tlcourse.dialects.hivm.base import gm
from tlcourse.dialects.hivm.core import GetBlockIdxOp, GetSubBlockIdxOp, SetFFTSBaseAddrOp
from tlcourse.dialects.memref import type_of

_LEADING = ("ffts", "lock", "workspace")
_GRID = ("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ")


@dataclass(frozen=True, kw_only=True)
class FunctionForm:
    """What differs between the functions of kernels.

    Args:
        name: the function's name.
        core: `AIC`, `AIV` or `MIX`.
        part_of_mix: whether the kernel runs on both kinds of core.
        expert: whether memories are named (Expert) or left to the compiler (Developer).
    """

    name: str
    core: str
    part_of_mix: bool
    expert: bool

    @property
    def mix_mode(self) -> str:
        """What the launcher calls the kernel's cores."""
        return "mix" if self.part_of_mix else self.core.lower()


def module_of(core: str, functions: Sequence[func.FuncOp], like: Operation) -> ModuleOp:
    """The module that holds a kernel's functions."""
    attributes = {
        "hivm.module_core_type": ModuleCoreTypeAttr(core),
        "memref.memref_as_ptr": UnitAttr(),
    }
    module = ModuleOp(list(functions), attributes)
    module.location = like.location
    return module


def open_function(
    source: func.FuncOp, form: FunctionForm, sources: SourceMap
) -> tuple[func.FuncOp, Writer]:
    """Starts a function: its arguments, the flag base and the views of the tensor parameters."""
    block = Block(arg_types=_argument_types(source, form))
    for argument, name in zip(block.args, _argument_names(source), strict=True):
        argument.name_hint = name
    function = func.FuncOp(
        form.name,
        ([argument.type for argument in block.args], []),
        Region(block),
        visibility=None,
        arg_attrs=_argument_attributes(source, form),
    )
    function.attributes |= _function_attributes(form)
    function.location = source.location
    writer = Writer(block, form.core, sources)
    writer.stand_at(source)
    writer.add(SetFFTSBaseAddrOp(block.args[0]))
    _bind_parameters(writer, source)
    return function, writer


@contextmanager
def kernel_body(writer: Writer, kernel: tl.KernelOp) -> Generator[None]:
    """Binds the block ids; the second dimension of a grid is a loop around all that follows."""
    writer.stand_at(kernel)
    *blocks, sub_block = kernel.body.block.args
    writer.values[blocks[0]] = _block_id(writer, GetBlockIdxOp())
    if sub_block.uses.get_length():
        writer.values[sub_block] = _block_id(writer, GetSubBlockIdxOp())
    if len(blocks) == 1:
        yield
        return
    zero, one = writer.constant(0, i32), writer.constant(1, i32)
    body = Block(arg_types=[i32])
    writer.values[blocks[1]] = body.args[0]
    writer.add(scf.ForOp(zero, writer.values[kernel.grid[1]], one, [], body))
    with writer.inside(body):
        yield
        writer.stand_at(kernel)
        writer.add(scf.YieldOp())


def close_function(function: func.FuncOp, writer: Writer) -> func.FuncOp:
    """Ends a function and drops the scalar ops that nothing came to use."""
    writer.stand_at(function)
    writer.add(func.ReturnOp())
    for op in reversed(list(function.walk())):
        scalar = op.name.startswith("arith.") or isinstance(op, GetSubBlockIdxOp)
        if scalar and not any(result.uses.get_length() for result in op.results):
            op.detach()
            op.erase()
    return function


def _block_id(writer: Writer, op: GetBlockIdxOp | GetSubBlockIdxOp) -> SSAValue:
    return writer.add(arith.TruncIOp(writer.add(op).result, i32)).result


def _argument_types(source: func.FuncOp, form: FunctionForm) -> list[Attribute]:
    raw_bytes = MemRefType(i8, [DYNAMIC_INDEX])
    user = [_user_type(kind, form) for kind in source.function_type.inputs]
    return [i64, raw_bytes, raw_bytes, *user, *[i32] * len(_GRID)]


def _user_type(kind: Attribute, form: FunctionForm) -> Attribute:
    if not isinstance(kind, MemRefType):
        return kind
    space = gm() if form.expert else NoneAttr()
    return MemRefType(cast(MemRefType, kind).element_type, [DYNAMIC_INDEX], NoneAttr(), space)


def _argument_names(source: func.FuncOp) -> list[str | None]:
    user = [_text(entry.get("tl.name")) for entry in _entries(source)]
    return [*_LEADING, *user, *_GRID]


def _argument_attributes(source: func.FuncOp, form: FunctionForm) -> ArrayAttr[DictionaryAttr]:
    kinds = ["ffts_base_address"] + ([] if form.expert else ["sync_block_lock", "workspace"])
    leading = [DictionaryAttr({"hacc.arg_type": ArgTypeAttr(kind)}) for kind in kinds]
    count = len(_LEADING) + len(source.function_type.inputs) + len(_GRID)
    return ArrayAttr([*leading, *[DictionaryAttr({})] * (count - len(leading))])


def _function_attributes(form: FunctionForm) -> dict[str, Attribute]:
    part_of_mix = {"hivm.part_of_mix": UnitAttr()} if form.part_of_mix else {}
    return {
        "SyncBlockLockArgIdx": IntegerAttr(0, i64),
        "WorkspaceArgIdx": IntegerAttr(1, i64),
        "hacc.entry": UnitAttr(),
        "hacc.function_kind": FunctionKindAttr("DEVICE"),
        "hivm.func_core_type": FuncCoreTypeAttr(form.core),
        **part_of_mix,
        "mix_mode": StringAttr(form.mix_mode),
    }


def _bind_parameters(writer: Writer, source: func.FuncOp) -> None:
    """Scalars are the arguments themselves; tensors get a view with their shape."""
    here = writer.block.args[len(_LEADING) : -len(_GRID)]
    arguments = source.body.block.args
    entries = _entries(source)
    scalars = {
        _text(entry.get("tl.name")) or "": value
        for entry, value in zip(entries, here, strict=True)
        if not isinstance(value.type, MemRefType)
    }
    for argument, entry, value in zip(arguments, entries, here, strict=True):
        if isinstance(value.type, MemRefType):
            _bind_tensor(writer, argument, value, entry, scalars)
        else:
            writer.values[argument] = value


def _bind_tensor(
    writer: Writer,
    argument: SSAValue,
    value: SSAValue,
    entry: dict[str, Attribute],
    scalars: Mapping[str, SSAValue],
) -> None:
    texts = [_text(extent) or "" for extent in cast(ArrayAttr[Attribute], entry["tl.extents"])]
    sizes, strides = shape_values(writer, texts, scalars)
    kind = type_of(value)
    layout = StridedLayoutAttr([s if isinstance(s, int) else None for s in strides])
    shaped = MemRefType(kind.element_type, static_shape(sizes), layout, kind.memory_space)
    cast_op = memref.ReinterpretCastOp.from_dynamic(value, [0], sizes, strides, shaped)
    view = writer.add(cast_op).result
    view.name_hint = value.name_hint
    writer.buffers[argument] = view
    writer.shapes[argument] = tuple(sizes)


def _entries(source: func.FuncOp) -> list[dict[str, Attribute]]:
    attributes = source.arg_attrs.data if source.arg_attrs else ()
    return [dict(entry.data) for entry in attributes]


def _text(attribute: Attribute | None) -> str | None:
    return attribute.data if isinstance(attribute, StringAttr) else None
