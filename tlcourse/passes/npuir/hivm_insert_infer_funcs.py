"""hivm-insert-infer-workspace-size-func, hivm-insert-infer-task-type-func: facts for the launcher.

```
-->  func.func @K_infer_workspace_shape_function() -> index { return 131072 }   // bytes a block
     func.func @K_infer_task_type_function() -> i8 { return 32 }                // mixed kernel
```
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import FunctionType, IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Attribute, Block, Region
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tlcourse.dialects.hacc import FunctionKindAttr, HostFuncTypeAttr
from tlcourse.passes.npuir import functions
from tlcourse.passes.npuir.cube_vector import device_functions
from tlcourse.passes.npuir.plan_workspace import workspace_bytes

# What the AscendNPU IR compiler writes; a mixed kernel takes one cube and two vector cores.
_TASK_TYPES = {"AIV": 10, "AIC": 20, "MIX": 32}


@dataclass(frozen=True)
class InsertInferWorkspaceSizeFuncPass(ModulePass):
    """Adds the host function that tells how many bytes of workspace a block needs."""

    name = "hivm-insert-infer-workspace-size-func"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(functions.device_functions(op)):
            size_bytes = workspace_bytes(function)
            name = f"{function.sym_name.data}_infer_workspace_shape_function"
            value = IntegerAttr(size_bytes, IndexType())
            if size_bytes:
                _insert(op, function, name, value, "infer_workspace_shape_function")


@dataclass(frozen=True)
class InsertInferTaskTypeFuncPass(ModulePass):
    """Adds the host function that tells which cores the kernel runs on."""

    name = "hivm-insert-infer-task-type-func"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for core, number in _TASK_TYPES.items():
            for function in device_functions(op, core):
                name = f"{function.sym_name.data}_infer_task_type_function"
                value = IntegerAttr(number, IntegerType(8))
                _insert(op, function, name, value, "infer_task_type_function")


def _insert(
    module: ModuleOp, function: func.FuncOp, name: str, value: IntegerAttr, kind: str
) -> None:
    constant = arith.ConstantOp(value)
    body = Region(Block([constant, func.ReturnOp(constant.result)]))
    results: list[Attribute] = [constant.result.type]
    host = func.FuncOp(name, FunctionType.from_lists([], results), body)
    host.attributes["hacc.function_kind"] = FunctionKindAttr("HOST")
    host.attributes["hacc.host_func_type"] = HostFuncTypeAttr(kind)
    _drop(module, name)  # what an earlier run of the pass told may be outdated
    module.body.block.insert_op_before(host, function)


def _drop(module: ModuleOp, name: str) -> None:
    for op in list(module.body.block.ops):
        if isinstance(op, func.FuncOp) and op.sym_name.data == name:
            Rewriter.erase_op(op)
