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
reads the product, one fixpipe brings it out and all readers use its result. A product that
further matrix ops add to stays in L0C for them; whoever reads it in between gets a fixpipe
at that place, in a loop one each turn.

Differs from upstream: a relu that follows stays a vector op.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import (
    BFloat16Type,
    BoolAttr,
    Float16Type,
    Float32Type,
    ModuleOp,
    TensorType,
)
from xdsl.ir import Attribute, Operation, SSAValue, Use
from xdsl.passes import ModulePass

from tlcourse.dialects.hivm.core import DebugOp
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.hivm.dma import FixpipeOp, StoreOp
from tlcourse.dialects.hivm.macros import BatchMmadL1Op, ConvOp
from tlcourse.dialects.hivm.vector import VCastOp
from tlcourse.dialects.rewriting import insert_after, replace
from tlcourse.passes.npuir.cube_vector import empty_like, readers, readers_by, tensor_type
from tlcourse.passes.npuir.hivm_normalize_matmul import adds_to, keeps_product

# The ops that leave a sum in L0C.
Product = MmadL1Op | BatchMmadL1Op | ConvOp

DONE = "fixpipe_for_result_already_inserted"

# Said of a fixpipe whose tile is only printed.
_FOR_PRINT = "used_for_debug_op"

_PRE_QUANT: dict[Attribute, str] = {Float16Type(): "F322F16", BFloat16Type(): "F322BF16"}


@dataclass(frozen=True)
class HivmInlineFixpipePass(ModulePass):
    """Puts a fixpipe behind each product that leaves L0C."""

    name = "hivm-inline-fixpipe"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        products: dict[SSAValue, Product] = {}
        for mmad in [inner for inner in op.walk() if isinstance(inner, Product)]:
            for value in _products(mmad):
                products.setdefault(value, mmad)
        for value, mmad in products.items():
            _take_out(value, mmad)
            mmad.attributes[DONE] = BoolAttr.from_bool(True)


def _products(mmad: Product) -> Iterator[SSAValue]:
    """The values that a matrix op's sum has in L0C: its own, and those of loops that carry it."""
    value = mmad.results[0] if mmad.results else None
    while value is not None:
        yield value
        carried = (_carried_on(use) for use in value.uses)
        value = next((result for result in carried if result is not None), None)


def _carried_on(use: Use) -> SSAValue | None:
    """The result of the loop that hands a yielded product to the matrix op of its next turn.

    Of an `if` whose other side leaves the product as it was, the result of that.
    """
    loop = use.operation.parent_op()
    if isinstance(use.operation, scf.YieldOp) and isinstance(loop, scf.IfOp):
        made = use.operation.operands[use.index]
        return loop.results[use.index] if keeps_product(loop, use.index, made) else None
    if not isinstance(use.operation, scf.YieldOp) or not isinstance(loop, scf.ForOp):
        return None
    carried = loop.body.block.args[use.index + 1]
    if all(adds_to(inner) for inner in carried.uses):
        return loop.results[use.index]
    return None


def _take_out(value: SSAValue, mmad: Product) -> None:
    stays = [use for use in value.uses if adds_to(use) or _carried_on(use) is not None]
    if len(stays) > 1:
        stays = []  # two sums that start from one product: each needs it from outside
    leaves = [use for use in value.uses if use not in stays]
    reading = [op for use in leaves for op in readers_by(use)]
    if all(_goes_to_gm(op) for op in reading) and all(_is_before(op, stays) for op in reading):
        for reader in reading:
            _store_by_fixpipe(reader)
        return
    destination = empty_like(value)
    fixpipe = FixpipeOp(value, destination.tensor)
    if all(isinstance(op, DebugOp) for op in reading):
        fixpipe.attributes[_FOR_PRINT] = BoolAttr.from_bool(True)
    owner = value.owner
    assert isinstance(owner, Operation)
    insert_after(owner, [destination, fixpipe], like=mmad)
    for use in leaves:
        use.operation.operands[use.index] = fixpipe.results[0]


def _is_before(op: Operation, stays: Sequence[Use]) -> bool:
    """Whether an op runs before the product in L0C changes."""
    for use in stays:
        block = use.operation.parent
        assert block is not None
        place = block.find_ancestor_op_in_block(op)
        if place is None or not place.is_before_in_block(use.operation):
            return False
    return True


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
