"""The HACC dialect: which side a function runs on and what its arguments are."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from tlcourse.dialects.hivm.attrs import EnumWord, define_enum

FunctionKindAttr = define_enum(
    "hacc.function_kind", "FunctionKindAttr", "DEVICE HOST", "Where a function runs."
)
ArgTypeAttr = define_enum(
    "hacc.arg_type",
    "ArgTypeAttr",
    "ffts_base_address sync_block_lock workspace input output input_and_output tiling_key "
    "tiling_data tiling_struct mesh_arg sanitizer_addr",
    "What an argument is for.",
)
HostFuncTypeAttr = define_enum(
    "hacc.host_func_type",
    "HostFuncTypeAttr",
    "host_entry infer_workspace_shape_function infer_task_type_function "
    "infer_sync_block_lock_num_function infer_sync_block_lock_init_function",
    "What a host function tells the launcher.",
)


@irdl_attr_definition
class HivmcVersionAttr(ParametrizedAttribute):
    """The release of hivmc, the last stage, whose spelling the text follows: `<"1.2.0">`."""

    name = "hacc.hivmc_version"
    version: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return (StringAttr(parser.parse_str_literal()),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.version.data)


HACC = Dialect("hacc", [], [FunctionKindAttr, ArgTypeAttr, HostFuncTypeAttr, HivmcVersionAttr])

__all__ = [
    "HACC",
    "ArgTypeAttr",
    "EnumWord",
    "FunctionKindAttr",
    "HivmcVersionAttr",
    "HostFuncTypeAttr",
]
