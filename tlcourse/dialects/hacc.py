"""The HACC dialect: which side a function runs on and what its arguments are."""

from __future__ import annotations

from xdsl.ir import Dialect

from tlcourse.dialects.hivm.attrs import EnumWord, define_enum

FunctionKindAttr = define_enum(
    "hacc.function_kind", "FunctionKindAttr", "DEVICE HOST", "Where a function runs."
)
ArgTypeAttr = define_enum(
    "hacc.arg_type",
    "ArgTypeAttr",
    "ffts_base_address sync_block_lock workspace",
    "What an argument that the user does not pass is for.",
)
HostFuncTypeAttr = define_enum(
    "hacc.host_func_type",
    "HostFuncTypeAttr",
    "host_entry infer_workspace_shape_function infer_task_type_function "
    "infer_sync_block_lock_num_function infer_sync_block_lock_init_function",
    "What a host function tells the launcher.",
)

HACC = Dialect("hacc", [], [FunctionKindAttr, ArgTypeAttr, HostFuncTypeAttr])

__all__ = ["HACC", "ArgTypeAttr", "EnumWord", "FunctionKindAttr", "HostFuncTypeAttr"]
