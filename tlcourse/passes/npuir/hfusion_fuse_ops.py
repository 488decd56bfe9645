"""Pass hfusion-fuse-ops: a chain of elementwise ops becomes one kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.context import Context
from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType, UnitAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from tlcourse.dialects.hacc import FunctionKindAttr
from tlcourse.dialects.hfusion import ElemwiseOp, FusionKindAttr
from tlcourse.dialects.locations import inherit
from tlcourse.passes.npuir.buffers import element_bits
from tlcourse.passes.npuir.cube_vector import tensor_type

_KIND = "hfusion.fusion_kind"
_ELEMENTWISE = FusionKindAttr("PURE_ELEMWISE")


@dataclass(frozen=True)
class HFusionOpFusionPass(ModulePass):
    """Elementwise ops that feed each other move into a device function of their own.

    ```
    func @f(%a, %b) {HOST}                    func @f_0(%a, %e, %b) {DEVICE} {
      %e = tensor.empty()                       %x = exp %a ; %y = add %x, %b
      %x = exp %a                     -->       return %y }
      %y = add %x, %b                         func @f(%a, %b) {HOST} {
      return %y                                 %e = tensor.empty()
                                                %y = call @f_0(%a, %e, %b) }
    ```

    As three kernels a chain of three ops writes two tensors to global memory that the next
    one reads again. As one kernel it loads its inputs, keeps what lies between in UB, and
    stores the last result. Vector kernels mostly wait for memory, so that is most of the time.

    Algorithm: (1) Go through a host function marked PURE_ELEMWISE. An elementwise op joins the
    chains of those that made its inputs, if the shapes are equal. It may not where an input
    also depends on the chain through an op outside: the kernel would need its own result.
    (2) Each chain becomes a function: values from outside are its arguments, in the order of
    use, values that others read its results. (3) A call stands where the last op stood; ops
    in between that need a result move behind it.

    Differs from upstream: of the kinds of fusion only PURE_ELEMWISE, of the output modes only
    multi. Ops side by side that do not feed each other stay apart; upstream puts them into one
    kernel as well (max-horizontal-fusion-size).
    """

    name = "hfusion-fuse-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [inner for inner in op.body.block.ops if isinstance(inner, func.FuncOp)]:
            if _is_marked(function) and not function.is_declaration:
                for number, chain in enumerate(_chains(function.body.block)):
                    _outline(op, function, chain.ops, number)


@dataclass(eq=False)
class _Chain:
    """Ops of one kernel, and the chains that it needs a result of, directly or through others."""

    shape: tuple[int, ...]
    ops: list[Operation] = field(default_factory=lambda: list[Operation]())
    after: set[_Chain] = field(default_factory=lambda: set["_Chain"]())


def _is_marked(function: func.FuncOp) -> bool:
    host = function.attributes.get("hacc.function_kind") == FunctionKindAttr("HOST")
    return host and function.attributes.get(_KIND) == _ELEMENTWISE


@dataclass
class _Search:
    """Collects chains; `after` says which ones an op outside of all chains needs."""

    of: dict[Operation, _Chain] = field(default_factory=lambda: dict[Operation, _Chain]())
    after: dict[Operation, set[_Chain]] = field(
        default_factory=lambda: dict[Operation, set[_Chain]]()
    )

    def visit(self, op: Operation) -> None:
        """Adds an op to a chain, old or new, or notes what it waits for."""
        makers = [value.owner for value in op.operands if isinstance(value.owner, Operation)]
        feeding = list(dict.fromkeys(self.of[maker] for maker in makers if maker in self.of))
        outside = {chain for maker in makers for chain in self.after.get(maker, ())}
        if not isinstance(op, ElemwiseOp) or not op.results:
            self.after[op] = outside.union(feeding)
            return
        shape = tensor_type(op.results[0]).get_shape()
        needed = _closure({*outside, *(c for chain in feeding for c in chain.after)})
        joined = [c for c in feeding if c.shape == shape and c not in needed]
        chain = joined[0] if joined else _Chain(shape)
        for other in joined[1:]:
            self._merge(chain, other)
        chain.ops.append(op)
        chain.after |= outside.union(c for c in feeding if c not in joined)
        self.of[op] = chain

    def _merge(self, chain: _Chain, other: _Chain) -> None:
        chain.ops += other.ops
        chain.after |= other.after
        self.of |= dict.fromkeys(other.ops, chain)
        for needed in (*self.after.values(), *(one.after for one in self.of.values())):
            if other in needed:
                needed.remove(other)
                needed.add(chain)


def _chains(block: Block) -> list[_Chain]:
    """The chains of a block in the order of their first ops."""
    search = _Search()
    for op in block.ops:
        search.visit(op)
    return list(dict.fromkeys(search.of[op] for op in block.ops if op in search.of))


def _closure(chains: set[_Chain]) -> set[_Chain]:
    """Chains, those that they need, those that these need, and so on."""
    found: set[_Chain] = set()
    queue = list(chains)
    while queue:
        chain = queue.pop()
        if chain not in found:
            found.add(chain)
            queue += chain.after
    return found


def _outline(
    module: ModuleOp, function: func.FuncOp, ops: Sequence[Operation], number: int
) -> None:
    inside = set(ops)
    order = [op for op in function.body.block.ops if op in inside]
    made = {result for op in order for result in op.results}
    arguments = list(dict.fromkeys(v for op in order for v in op.operands if v not in made))
    results = [
        result
        for op in order
        for result in op.results
        if any(use.operation not in inside for use in result.uses)
    ]
    name = f"{function.sym_name.data}_{number}"
    kernel = _kernel(name, order, arguments, results)
    inherit([kernel], function.location)
    module.body.block.insert_op_before(kernel, function)
    call = func.CallOp(name, arguments, [result.type for result in results])
    _replace(order, call, results)


def _kernel(
    name: str,
    ops: Sequence[Operation],
    arguments: Sequence[SSAValue],
    results: Sequence[SSAValue],
) -> func.FuncOp:
    body = Block(arg_types=[value.type for value in arguments])
    known: dict[SSAValue, SSAValue] = dict(zip(arguments, body.args, strict=True))
    for old, new in zip(arguments, body.args, strict=True):
        new.name_hint = old.name_hint
    body.add_ops([op.clone(known) for op in ops])
    body.add_op(func.ReturnOp(*(known[result] for result in results)))
    kinds: list[Attribute] = [value.type for value in results]
    inputs: list[Attribute] = [value.type for value in arguments]
    kernel = func.FuncOp(name, FunctionType.from_lists(inputs, kinds), Region(body))
    kernel.attributes["hacc.entry"] = UnitAttr()
    kernel.attributes["hacc.function_kind"] = FunctionKindAttr("DEVICE")
    kernel.attributes[_KIND] = _ELEMENTWISE
    return kernel


def _replace(ops: Sequence[Operation], call: func.CallOp, results: Sequence[SSAValue]) -> None:
    """Puts the call where the last op stood, and what needs its results behind it."""
    last, block = ops[-1], ops[-1].parent
    assert block is not None
    inherit([call], last.location)
    block.insert_op_after(call, last)
    waiting = set(results)
    late: list[Operation] = []
    op = ops[0]
    while op is not call:
        following = op.next_op
        assert following is not None
        if op not in ops and waiting.intersection(op.operands):
            waiting.update(op.results)
            late.append(op)
        op = following
    for moved in late:
        moved.detach()
    block.insert_ops_after(late, call)
    for old, new in zip(results, call.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    for old in reversed(ops):
        old.detach()
        old.erase()


def bytes_moved(function: func.FuncOp) -> int:
    """Bytes that the kernels of a host function load and store if each op, or call, is one.

    Tensors without contents (`tensor.empty`) are only written.
    """
    total = 0
    for op in function.body.block.ops:
        if isinstance(op, ElemwiseOp | func.CallOp):
            read = [v for v in op.operands if not isinstance(v.owner, tensor.EmptyOp)]
            total += sum(_bytes(value) for value in [*dict.fromkeys(read), *op.results])
    return total


def _bytes(value: SSAValue) -> int:
    if not isinstance(value.type, TensorType):
        return 0
    kind = tensor_type(value)
    return prod(kind.get_shape()) * element_bits(kind.element_type) // 8
