"""hivm-inline-fixpipe: a fixpipe takes each finished product out of L0C.

The fixpipe is the only way out of L0C. It changes the fractal layout back to rows, and a
cast to f16 or bf16 that follows is folded into it.

```
%r = scf.for .. { mmadL1 .. }                 %r = scf.for .. { mmadL1 .. }
store ins(%r) outs(%gm)               -->     fixpipe {dma_mode = nz2nd} ins(%r) outs(%gm)

%e = vexp ins(%r) ..                  -->     %t = fixpipe ins(%r) outs(%empty) -> tensor
                                              %e = vexp ins(%t) ..
```

Where every reader is a store, each store becomes a fixpipe to GM. As soon as a vector op
reads the product, one fixpipe brings it out and all readers use its result.

Differs from upstream: a relu that follows stays a vector op.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.hivm.dma import FixpipeOp, StoreOp
from tlcourse.dialects.hivm.vector import VCastOp
from tlcourse.dialects.rewriting import insert_after, replace
from tlcourse.passes.npuir.cube_vector import empty_like, readers, tensor_type

_PRE_QUANT: dict[Attribute, str] = {Float16Type(): "F322F16", BFloat16Type(): "F322BF16"}


@dataclass(frozen=True)
class HivmInlineFixpipePass(ModulePass):
    """Puts a fixpipe behind each product that leaves L0C."""

    name = "hivm-inline-fixpipe"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        finished: dict[SSAValue, MmadL1Op] = {}
        for mmad in [inner for inner in op.walk() if isinstance(inner, MmadL1Op)]:
            if mmad.results:
                finished.setdefault(_finished_product(mmad), mmad)
        for value, mmad in finished.items():
            _take_out(value, mmad)


def _finished_product(mmad: MmadL1Op) -> SSAValue:
    """The value that the product has once no matrix op adds to it any more."""
    value: SSAValue = mmad.results[0]
    while (following := _next_in_l0c(value)) is not None:
        value = following
    return value


def _next_in_l0c(value: SSAValue) -> SSAValue | None:
    uses = list(value.uses)
    if len(uses) != 1:
        return None
    user = uses[0].operation
    if isinstance(user, MmadL1Op) and user.c is value:
        return user.results[0]
    loop = user.parent_op()
    if not isinstance(user, scf.YieldOp) or not isinstance(loop, scf.ForOp):
        return None
    carried = loop.body.block.args[uses[0].index + 1]
    if all(isinstance(use.operation, MmadL1Op) for use in carried.uses):
        return loop.results[uses[0].index]
    return None


def _take_out(value: SSAValue, mmad: MmadL1Op) -> None:
    if all(_goes_to_gm(op) for op in readers(value)):
        for reader in readers(value):
            _store_by_fixpipe(reader)
        return
    uses = list(value.uses)
    destination = empty_like(value)
    fixpipe = FixpipeOp(value, destination.tensor)
    owner = value.owner
    assert isinstance(owner, Operation)
    insert_after(owner, [destination, fixpipe], like=mmad)
    for use in uses:
        use.operation.operands[use.index] = fixpipe.results[0]


def _goes_to_gm(op: Operation) -> bool:
    if isinstance(op, StoreOp):
        return not op.reads_destination() and not op.results
    return _pre_quant(op) is not None and all(
        isinstance(reader, StoreOp) and not reader.reads_destination()
        for reader in readers(op.results[0])
    )


def _pre_quant(op: Operation) -> str | None:
    """The fixpipe's conversion that a cast can be folded into."""
    if not isinstance(op, VCastOp) or not op.results:
        return None
    source, result = tensor_type(op.src[0]), tensor_type(op.results[0])
    rounds_to_nearest = op.round_mode is None or op.round_mode.data == "rint"
    if source.element_type != Float32Type() or not rounds_to_nearest:
        return None
    return _PRE_QUANT.get(result.element_type)


def _store_by_fixpipe(reader: Operation) -> None:
    if isinstance(reader, StoreOp):
        replace(reader, [FixpipeOp(reader.src, reader.dst)], [])
        return
    assert isinstance(reader, VCastOp)
    pre_quant = _pre_quant(reader) or ""
    for store in readers(reader.results[0]):
        assert isinstance(store, StoreOp)
        source = _before_cast(store.src, reader)
        replace(store, [FixpipeOp(source, store.dst, pre_quant)], [])
    _erase_with_slices(reader)


def _erase_with_slices(op: Operation) -> None:
    """Erases an op whose result nobody needs any more, and the slices of that result."""
    for use in list(op.results[0].uses):
        _erase_with_slices(use.operation)
    op.detach()
    op.erase()


def _before_cast(value: SSAValue, cast: VCastOp) -> SSAValue:
    """The part of the uncast product that a store's source is the cast of."""
    if value is cast.results[0]:
        return cast.src[0]
    piece = value.owner
    assert isinstance(piece, tensor.ExtractSliceOp)
    source = tensor_type(cast.src[0])
    result_type = TensorType(source.element_type, tensor_type(piece.result).get_shape())
    fresh = tensor.ExtractSliceOp.build(
        operands=[cast.src[0], piece.offsets, piece.sizes, piece.strides],
        result_types=[result_type],
        properties=dict(piece.properties),
    )
    insert_after(piece, [fresh])
    return fresh.result
