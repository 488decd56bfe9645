"""Buffers of Tile IR: their scopes and types, and the questions asked of a buffer value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, cast

from xdsl.dialects.builtin import (
    MemRefType,
    NoneAttr,
)
from xdsl.ir import Attribute, Data, SSAValue
from xdsl.irdl import (
    irdl_attr_definition,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer

Core = Literal["cube", "vector"]
LoopKind = Literal["serial", "parallel", "pipelined"]

# What the learner's alloc call or parameter asks for, by upstream's scope strings.
SCOPES = (
    "global",
    "shared",
    "shared.dyn",
    "local.fragment",
    "local",
    "local.var",
    "wmma.accumulator",
    "wmma.matrix_a",
    "wmma.matrix_b",
)

# How T.vcast rounds: to nearest (ties to even, ties away from 0), down, up, to 0, to odd.
ROUND_MODES = ("rint", "round", "floor", "ceil", "trunc", "odd")


@irdl_attr_definition
class ScopeAttr(Data[str]):
    """The scope of a buffer: `#tl.scope<global>`, `#tl.scope<"shared.dyn">`."""

    name = "tl.scope"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        with parser.in_angle_brackets():
            return parser.parse_identifier_or_str_literal()

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_identifier_or_string_literal(self.data)


def buffer_type(shape: Sequence[int], element: Attribute, scope: str) -> MemRefType:
    """The type of a buffer or tile view; `DYNAMIC_INDEX` stands for `?`."""
    return MemRefType(element, shape, NoneAttr(), ScopeAttr(scope))


def scope_of(value: SSAValue) -> str:
    """The scope string of a buffer or tile view."""
    space = memref_of(value).memory_space
    assert isinstance(space, ScopeAttr)
    return space.data


def memref_of(value: SSAValue) -> MemRefType:
    """The type of a value that is a buffer or a tile view."""
    assert isinstance(value.type, MemRefType)
    return cast(MemRefType, value.type)


def name_hint(label: str) -> str:
    """An SSA name made from a learner's name: the parser and the printer both keep it."""
    hint = re.sub(r"(_[0-9]+)+$", "", label)
    return hint if hint and hint.isascii() else "v"
