"""Pass buffer-results-to-out-params: the caller says where a result goes."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, MemRefType, ModuleOp
from xdsl.passes import ModulePass

from tlcourse.dialects.memref import CopyOp
from tlcourse.dialects.rewriting import insert_before

_NAME = "out"


@dataclass(frozen=True)
class BufferResultsToOutParamsPass(ModulePass):
    """A buffer that a function returns is copied into a parameter instead.

    ```
    func @f(%a: memref<8xf32>) -> memref<8xf32> {    func @f(%a: memref<8xf32>, %r: memref<8xf32>)
      %m = memref.alloc()                      -->     %m = memref.alloc()
      return %m                                        memref.copy %m, %r
    }                                                  return
    ```

    Differs from upstream: calls of such a function are not rewritten; a module with calls keeps
    its results.
    """

    name = "buffer-results-to-out-params"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        called = {c.callee.string_value() for c in op.walk() if isinstance(c, func.CallOp)}
        for inner in op.body.block.ops:
            if isinstance(inner, func.FuncOp) and inner.sym_name.data not in called:
                _move_results(inner)


def _move_results(function: func.FuncOp) -> None:
    if function.is_declaration:
        return
    entry = function.body.blocks[0]
    moved: list[int] = []
    for index, kind in enumerate(function.function_type.outputs.data):
        if kind.name == MemRefType.name:
            entry.insert_arg(kind, len(entry.args)).name_hint = _NAME
            moved.append(index)
    places = entry.args[len(entry.args) - len(moved) :]
    for end in [op for op in function.walk() if isinstance(op, func.ReturnOp)]:
        results = list(end.arguments)
        insert_before(
            end, [CopyOp(results[at], place) for at, place in zip(moved, places, strict=True)]
        )
        end.operands = [value for at, value in enumerate(results) if at not in moved]
    outputs = [
        kind for at, kind in enumerate(function.function_type.outputs.data) if at not in moved
    ]
    inputs = [argument.type for argument in entry.args]
    function.function_type = FunctionType.from_lists(inputs, outputs)
