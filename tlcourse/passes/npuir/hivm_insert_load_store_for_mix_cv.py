"""hivm-insert-load-store-for-mix-cv: explicit moves at every border between the cores.

No data path joins the two kinds of core on these chips. What one makes and the other
reads goes out to global memory and comes back.

```
%t = fixpipe ins(%r) outs(%e)                %t = fixpipe ins(%r) outs(%e)
%y = vexp ins(%t) outs(%o)           -->     %l = load ins(%t) outs(%e2) core_type = <VECTOR>
                                             %y = vexp ins(%l) outs(%o)

%p = vcast ins(%s) outs(%o)                  %p = vcast ins(%s) outs(%o)
%r = mmadL1 ins(%p, %b, ..)          -->     %w = store ins(%p) outs(%e) -> tensor
                                             %l = load ins(%w) outs(%e2) core_type = <CUBE>
                                             %r = mmadL1 ins(%l, %b, ..)
```

A tile of global memory that both kinds of core read is loaded once for each. With
`enable-legacy` the older rules of `core_borders` are used instead.

Differs from upstream: the older rules there also give the cube core a copy of single elements
that the vector cores' tiles hold.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref, scf, tensor
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.passes import ModulePass

from tlcourse.dialects.bufferization import ToTensorOp
from tlcourse.dialects.hivm.attrs import CoreTypeAttr
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.hivm.dma import FixpipeOp, LoadOp, StoreOp
from tlcourse.dialects.hivm.vector import VectorPipeOp
from tlcourse.dialects.rewriting import insert_after, insert_at_start
from tlcourse.passes.npuir.core_borders import join_cores
from tlcourse.passes.npuir.cube_vector import (
    Core,
    empty_like,
    filled_buffer,
    is_matrix_input,
    loaded_tensors,
    readers_by,
)
from tlcourse.passes.npuir.definitions import definition
from tlcourse.passes.npuir.functions import device_functions


@dataclass(frozen=True)
class HivmInsertLoadStoreForMixCVPass(ModulePass):
    """Adds the load (and store) that carries a tile over a border between the cores."""

    name = "hivm-insert-load-store-for-mix-cv"

    enable_legacy: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.enable_legacy:
            for function in device_functions(op):
                join_cores(function)
            return
        for inner in list(op.walk()):
            if isinstance(inner, FixpipeOp) and inner.results:
                _from_cube(inner)
            elif isinstance(inner, MmadL1Op):
                _to_matrix(inner)
            elif isinstance(inner, LoadOp) and not inner.results:
                _load_for_both(inner)


def _from_cube(fixpipe: FixpipeOp) -> None:
    """The vector cores read what the fixpipe wrote."""
    product = fixpipe.results[0]
    uses = [use for use in product.uses if not _is_for_matrix(use)]
    if uses:
        _load(product, "VECTOR", fixpipe, uses)


def _to_matrix(op: MmadL1Op) -> None:
    """The cube core reads what it wrote itself, or what the vector cores made, or a part of it."""
    for value in (op.a, op.b):
        if definition(value, _is_fixpipe, through_parts=False):
            _load(value, "CUBE", op, _matrix_uses(value))
        elif definition(value, _is_vector):
            _store_and_load(value, op)


def _is_fixpipe(op: Operation) -> bool:
    return isinstance(op, FixpipeOp)


def _is_vector(op: Operation) -> bool:
    if isinstance(op, tensor.InsertSliceOp):
        return isinstance(op.dest.owner, Operation) and _is_vector(op.dest.owner)
    return isinstance(op, VectorPipeOp)


def _is_for_matrix(use: Use) -> bool:
    """Whether only matrix ops read what is used, or a part of it."""
    found = readers_by(use)
    return bool(found) and all(isinstance(op, MmadL1Op) for op in found)


def _matrix_uses(value: SSAValue) -> list[Use]:
    return [use for use in value.uses if is_matrix_input(use.operation, value)]


def _store_and_load(value: SSAValue, reader: Operation) -> None:
    uses = _matrix_uses(value)
    out = empty_like(value)
    store = StoreOp(value, out.tensor)
    store.attributes["inserted-store"] = UnitAttr()
    _put_behind(value, [out, store], reader)
    _load(store.results[0], "CUBE", reader, uses)


def _load(value: SSAValue, core: Core, like: Operation, uses: list[Use]) -> None:
    out = empty_like(value)
    load = LoadOp(value, out.tensor)
    load.attributes["inserted-load"] = UnitAttr()
    load.tcoretype = CoreTypeAttr(core)
    _put_behind(value, [out, load], like)
    for use in uses:
        use.operation.operands[use.index] = load.results[0]


def _put_behind(value: SSAValue, new_ops: list[Operation], like: Operation) -> None:
    if isinstance(value.owner, Block):
        insert_at_start(value.owner, new_ops, like=like)
    else:
        insert_after(value.owner, new_ops)


def _load_for_both(load: LoadOp) -> None:
    """Gives the vector cores a load of their own where the cube core reads the tile as well."""
    for value in loaded_tensors(load):
        uses = list(value.uses)
        matrix = [use for use in uses if _is_for_matrix(use)]
        others = [use for use in uses if use not in matrix and not _is_plain(use.operation)]
        if matrix and others:
            _second_load(load, others)


def _second_load(load: LoadOp, uses: list[Use]) -> None:
    first = filled_buffer(load).owner
    assert isinstance(first, memref.AllocOp)
    alloc = first.clone()
    new_ops: list[Operation] = [alloc]
    again = load.clone()
    again.operands[1] = alloc.memref
    if isinstance(load.dst.owner, memref.SubviewOp):
        part = load.dst.owner.clone()
        part.operands[0] = alloc.memref
        again.operands[1] = part.result
        new_ops.append(part)
    again.tcoretype = CoreTypeAttr("VECTOR")
    tile = ToTensorOp(alloc.memref)
    insert_after(load, [*new_ops, again, tile])
    for use in uses:
        use.operation.operands[use.index] = tile.tensor


def _is_plain(op: Operation) -> bool:
    return isinstance(op, scf.YieldOp)
