"""Functions of a module: which run on a core, on which kind, and passes that take one at a time."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.ir import BlockArgument, Operation
from xdsl.passes import ModulePass

from tlcourse.dialects.hacc import ArgTypeAttr, FunctionKindAttr
from tlcourse.dialects.hivm.attrs import EnumWord


class DevicePass(ModulePass):
    """Base of the passes that work on one device function at a time."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in device_functions(op):
            self.run(function)

    def run(self, function: func.FuncOp) -> None:
        """Changes one device function."""
        raise NotImplementedError


def device_functions(module: ModuleOp) -> Iterator[func.FuncOp]:
    """The functions with a body that run on a core, in order; host helpers are left out."""
    for op in list(module.body.block.ops):
        if isinstance(op, func.FuncOp) and not op.is_declaration and not is_host(op):
            yield op


def is_marked(op: Operation, name: str) -> bool:
    """Whether the function around an op bears an attribute."""
    around = op.parent_op()
    while around is not None and not isinstance(around, func.FuncOp):
        around = around.parent_op()
    return around is not None and name in around.attributes


def is_host(function: func.FuncOp) -> bool:
    """Whether the function runs on the host, for the launcher."""
    return function.attributes.get("hacc.function_kind") == FunctionKindAttr("HOST")


def is_entry(function: func.FuncOp) -> bool:
    """Whether a launch starts this function."""
    return "hacc.entry" in function.attributes


def core_of(function: func.FuncOp) -> str:
    """`AIC`, `AIV` or `MIX`; `AIV` where the function does not say."""
    kind = function.attributes.get("hivm.func_core_type")
    return kind.data if isinstance(kind, EnumWord) else "AIV"


def is_mixed(function: func.FuncOp) -> bool:
    """Whether the function belongs to a kernel that uses both kinds of core."""
    return core_of(function) == "MIX" or "hivm.part_of_mix" in function.attributes


def kernel_name(function: func.FuncOp) -> str:
    """The learner's name of the kernel, without the suffix of the core."""
    return function.sym_name.data.removesuffix("_mix_aic").removesuffix("_mix_aiv")


def argument_for(function: func.FuncOp, purpose: str) -> BlockArgument | None:
    """The argument that carries `hacc.arg_type<purpose>`, for example `ffts_base_address`."""
    entries = function.arg_attrs or ArrayAttr[DictionaryAttr](())
    for index, entry in enumerate(entries.data):
        if entry.data.get("hacc.arg_type") == ArgTypeAttr(purpose):
            return function.body.block.args[index]
    return None
