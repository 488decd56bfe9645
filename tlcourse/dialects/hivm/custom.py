"""Ops of HIVM whose code somebody else supplies: custom, and custom_macro over two pipes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, NoneAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_attr_definition,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tlcourse.dialects.hivm.assembly import (
    AttrDict,
    Clause,
    Group,
    HivmTextOp,
    Parts,
    Result,
)
from tlcourse.dialects.hivm.attrs import EnumWord, EventAttr
from tlcourse.dialects.hivm.base import DestinationOp

_ROLES = ("internal", "wait", "set")


@irdl_attr_definition
class SyncEventSlotAttr(ParametrizedAttribute):
    """`#hivm.sync_event_slot<#hivm.pipe<A>, #hivm.pipe<B>, wait, <EVENT_ID1>>`: one flag.

    `role` says what the code behind a custom_macro does with the flag from pipe A to pipe B:
    it waits, it sets, or it does both (`internal`, where the pipes may be left out). `event`
    asks for one id. What is left out is a `none`.
    """

    name = "hivm.sync_event_slot"
    set_pipe: Attribute
    wait_pipe: Attribute
    role: StringAttr
    event: Attribute

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        pipes: list[Attribute] = []
        role, event = "internal", cast(Attribute, NoneAttr())
        with parser.in_angle_brackets():
            while True:
                word = parser.parse_optional_keyword_in(_ROLES)
                if word is not None:
                    role = word
                elif parser.parse_optional_punctuation("<") is not None:
                    event = EventAttr(parser.parse_identifier())
                    parser.parse_punctuation(">")
                else:
                    pipes.append(parser.parse_attribute())
                if parser.parse_optional_punctuation(",") is None:
                    break
        return [*pipes, *[NoneAttr()] * (2 - len(pipes)), StringAttr(role), event]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            named = isinstance(self.set_pipe, EnumWord)
            if named:
                printer.print_list([self.set_pipe, self.wait_pipe], printer.print_attribute)
            pinned = isinstance(self.event, EnumWord)
            if not named or pinned or self.role.data != "internal":
                printer.print_string(", " if named else "")
                printer.print_string(self.role.data)
            if isinstance(self.event, EnumWord):
                printer.print_string(", ")
                self.event.print_parameter(printer)


@dataclass(frozen=True)
class _Name(Clause):
    """The name of the code, a string."""

    @property
    def covers(self) -> tuple[str, ...]:
        return ("name",)

    def print(self, op: HivmTextOp, printer: Printer) -> None:
        name = op.properties["name"]
        assert isinstance(name, StringAttr)
        printer.print_string(" ")
        printer.print_string_literal(name.data)

    def parse(self, parser: Parser, parts: Parts) -> None:
        parts.properties["name"] = StringAttr(parser.parse_str_literal())


class CustomBaseOp(DestinationOp):
    """Base of the custom ops; attributes name the core, the pipes and the symbol to call."""

    code = prop_def(StringAttr, prop_name="name")
    inputs = var_operand_def()
    outputs = var_operand_def()
    temp_buffers = var_operand_def()
    no_side_effect = opt_prop_def(UnitAttr)
    returned = var_result_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            AttrDict(),
            _Name(),
            Group("ins", ("inputs",)),
            Group("outs", ("outputs",)),
            Group("tmps", ("temp_buffers",)),
            Result(),
        )

    def sources(self) -> Sequence[SSAValue]:
        return tuple(self.inputs)

    def destinations(self) -> Sequence[SSAValue]:
        return tuple(self.outputs)

    def reads_destination(self) -> bool:
        return True

    def is_distributed(self) -> bool:
        """Whether the op reaches the global memory of other chips; so do its results."""
        return "hivm.is_distributed" in self.attributes

    def extra_buffers(self) -> list[tuple[Attribute, int]]:
        """The buffers that the code wants besides: element type and number of elements."""
        elements, counts = (
            self.attributes.get(f"extra_buffers_{what}") for what in ("types", "sizes")
        )
        if not isinstance(elements, ArrayAttr) or not isinstance(counts, ArrayAttr):
            return []
        numbers = cast("ArrayAttr[IntegerAttr]", counts)
        pairs = zip(cast("ArrayAttr[Attribute]", elements), numbers, strict=True)
        return [(element, number.value.data) for element, number in pairs]

    def word(self, name: str) -> str:
        """The word of an enumeration attribute, for example of `hivm.pipe`; empty without it."""
        attribute = self.attributes.get(name)
        return attribute.data if isinstance(attribute, EnumWord) else ""


@irdl_op_definition
class CustomOp(CustomBaseOp):
    """`hivm.hir.custom {hivm.pipe = .., symbol = ".."} "name" ins(..) outs(..)`: on one pipe."""

    name = "hivm.hir.custom"


@irdl_op_definition
class CustomMacroOp(CustomBaseOp):
    """The same over two pipes, `hivm.pipe_in` and `hivm.pipe_out`, with flags of its own.

    `sync_event_slots` lists the flags, `sync_related_args` holds their ids, one for each.
    """

    name = "hivm.hir.custom_macro"
    inputs = var_operand_def()
    outputs = var_operand_def()
    temp_buffers = var_operand_def()
    sync_related_args = var_operand_def(i64)

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (*super().clauses(), Group("sync_related_args", ("sync_related_args",)))

    def slots(self) -> tuple[SyncEventSlotAttr, ...]:
        """The flags that the code uses itself."""
        slots = self.attributes.get("sync_event_slots")
        if not isinstance(slots, ArrayAttr):
            return ()
        listed = cast("ArrayAttr[Attribute]", slots).data
        return tuple(slot for slot in listed if isinstance(slot, SyncEventSlotAttr))

    def verify_(self) -> None:
        given, wanted = len(self.sync_related_args), len(self.slots())
        if given not in (0, wanted):
            raise VerifyException(f"sync_related_args are {wanted}, one for each slot, not {given}")


CUSTOM = [CustomOp, CustomMacroOp]
