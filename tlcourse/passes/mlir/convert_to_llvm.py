"""Pass convert-to-llvm: the last step down, one or two LLVM ops for each op that is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, cf, func, llvm, math
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, ModuleOp, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.hints import isa

from tlcourse.dialects import llvm as own
from tlcourse.dialects.rewriting import insert_at_start, replace
from tlcourse.passes.mlir.llvm_memory import LIBRARY, PASS, POINTER, memory_ops
from tlcourse.passes.mlir.refusals import no_way_down


def _absolute(value: SSAValue) -> Operation:
    return llvm.FAbsOp(value, value.type)


# Ops that have a twin with the same operands.
_TWINS: dict[type[Operation], Callable[..., Operation]] = {
    arith.AddfOp: llvm.FAddOp,
    arith.SubfOp: llvm.FSubOp,
    arith.MulfOp: llvm.FMulOp,
    arith.DivfOp: llvm.FDivOp,
    arith.NegfOp: llvm.FNegOp,
    arith.MaximumfOp: own.MaximumOp,
    arith.MinimumfOp: own.MinimumOp,
    arith.AddiOp: llvm.AddOp,
    arith.SubiOp: llvm.SubOp,
    arith.MuliOp: llvm.MulOp,
    arith.SelectOp: llvm.SelectOp,
    math.ExpOp: llvm.FExpOp,
    math.AbsFOp: _absolute,
    math.SinOp: llvm.FSinOp,
    math.CosOp: llvm.FCosOp,
    math.SqrtOp: llvm.FSqrtOp,
}
# Who takes ops of a dialect down before this pass can.
_BEFORE = {
    "tosa": "tosa-to-linalg",
    "tensor": "one-shot-bufferize",
    "linalg": "one-shot-bufferize and convert-linalg-to-loops",
    "affine": "lower-affine",
    "scf": "convert-scf-to-cf",
}


@dataclass(frozen=True)
class ConvertToLLVMPass(ModulePass):
    """Functions, branches, arithmetic and memory in LLVM's words.

    ```
    %c = arith.addf %a, %b          -->     %c = llvm.fadd %a, %b
    cf.cond_br %p, ^b, ^c                   llvm.cond_br %p, ^b, ^c
    %m = memref.alloc()                     %m = llvm.call @malloc(%bytes)
    %x = memref.load %m[%i, %j]             %p = llvm.getelementptr %m[%i * 8 + %j]
                                            %x = llvm.load %p
    ```

    Algorithm: a table of twins. `index`, an integer as wide as the machine likes, becomes i64;
    a buffer becomes its address, and the shape that its type told goes into the arithmetic on
    that address. Ops are converted from the last to the first, so that the types of the operands
    are still those of memref.

    Differs from upstream: only buffers in one piece of fixed extents; a buffer is one pointer,
    where MLIR passes pointer, offset, sizes and strides. An op that it does not know is an error.
    """

    name = PASS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in reversed(list(op.walk())):
            if inner is not op and not inner.name.startswith("llvm."):
                _convert(inner)
        for inner in op.walk():
            _retype(inner)
        _declare(op)


def _convert(op: Operation) -> None:
    memory = memory_ops(op)
    if memory is not None:
        keeps = len(memory[-1].results) == len(op.results)
        replace(op, memory, None if keeps else [])
        return
    match op:
        case func.FuncOp():
            _function(op)
        case func.ReturnOp():
            if len(op.arguments) > 1:
                raise _too_many(op)
            replace(op, [llvm.ReturnOp(*op.arguments)])
        case func.CallOp() if len(op.results) <= 1:
            kinds = [machine_type(result.type) for result in op.results]
            call = llvm.CallOp(op.callee, *op.arguments, return_type=kinds[0] if kinds else None)
            replace(op, [call])
        case arith.ConstantOp() if not isinstance(op.result.type, MemRefType):
            replace(op, [llvm.ConstantOp(_wide(op.value), machine_type(op.result.type))])
        case arith.CmpiOp():
            predicate = IntegerAttr(op.predicate.value.data, i64)
            replace(op, [llvm.ICmpOp(op.lhs, op.rhs, predicate)])
        case arith.CmpfOp():
            predicate = IntegerAttr(op.predicate.value.data, i64)
            replace(op, [llvm.FCmpOp(op.lhs, op.rhs, predicate)])
        case arith.IndexCastOp() if _same_width(op):
            replace(op, [], [op.input])
        case cf.BranchOp():
            replace(op, [llvm.BrOp(op.successor, *op.arguments)])
        case cf.ConditionalBranchOp():
            ways = (op.then_block, op.then_arguments, op.else_block, op.else_arguments)
            replace(op, [llvm.CondBrOp(op.cond, *ways)])
        case _ if type(op) in _TWINS:
            replace(op, [_TWINS[type(op)](*op.operands)])
        case _:
            raise _unknown(op)


def _unknown(op: Operation) -> Exception:
    around = op.parent_op()
    while around is not None and around.dialect_name() == op.dialect_name():
        op, around = around, around.parent_op()
    before = _BEFORE.get(op.dialect_name())
    why = "nothing in LLVM is this op's twin"
    fix = f"run {before} before it" if before else "take it down by another pass before"
    return no_way_down(op, PASS, why, fix)


def _too_many(op: Operation) -> Exception:
    why = "a function of LLVM returns one value at most"
    return no_way_down(op, PASS, why, "run buffer-results-to-out-params before it")


def _function(op: func.FuncOp) -> None:
    outputs = list(op.function_type.outputs.data)
    if len(outputs) > 1:
        raise _too_many(op)
    inputs = [machine_type(kind) for kind in op.function_type.inputs.data]
    output = machine_type(outputs[0]) if outputs else llvm.LLVMVoidType()
    linkage = llvm.LinkageAttr("external")
    kind = llvm.LLVMFunctionType(inputs, output)
    body = op.detach_region(op.body)
    replace(op, [llvm.FuncOp(op.sym_name.data, kind, linkage, body=body)])


def _same_width(op: arith.IndexCastOp) -> bool:
    return {op.input.type, op.result.type} <= {IndexType(), i64}


def machine_type(kind: Attribute) -> Attribute:
    """A type as LLVM has it."""
    if isinstance(kind, MemRefType):
        return POINTER
    return i64 if isinstance(kind, IndexType) else kind


def _wide(value: Attribute) -> Attribute:
    if isa(value, IntegerAttr[IndexType]):
        return IntegerAttr(value.value.data, i64)
    return value


def _retype(op: Operation) -> None:
    blocks = [block for region in op.regions for block in region.blocks]
    for value in [*op.results, *(argument for block in blocks for argument in block.args)]:
        kind = machine_type(value.type)
        if kind != value.type:
            Rewriter.replace_value_with_new_type(value, kind)


def _declare(module: ModuleOp) -> None:
    """Declares the functions of the C library that are called and not defined."""
    calls = [op.callee for op in module.walk() if isinstance(op, llvm.CallOp)]
    called = {callee.string_value() for callee in calls if callee is not None}
    known = {op.sym_name.data for op in module.walk() if isinstance(op, llvm.FuncOp)}
    wanted: Sequence[str] = [name for name in LIBRARY if name in called - known]
    external = llvm.LinkageAttr("external")
    made = [llvm.FuncOp(name, LIBRARY[name], external) for name in wanted]
    insert_at_start(module.body.block, made, like=module)
