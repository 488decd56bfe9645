"""Custom text of HIVM ops, clause by clause: `ins(..) outs(..) broadcast = [1] -> type`.

xDSL's declarative formats cannot hold array properties, enumeration words without their
dialect prefix or operands that stand in brackets, so each op lists its clauses instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self, cast

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from tlcourse.dialects.hivm.attrs import EnumWord


@dataclass
class Parts:
    """What the clauses of one op have read so far."""

    operands: dict[str, list[SSAValue]] = field(default_factory=lambda: dict[str, list[SSAValue]]())
    properties: dict[str, Attribute] = field(default_factory=lambda: dict[str, Attribute]())
    attributes: dict[str, Attribute] = field(default_factory=lambda: dict[str, Attribute]())
    results: list[Attribute] = field(default_factory=lambda: list[Attribute]())


class Clause:
    """A stretch of an op's text."""

    @property
    def covers(self) -> tuple[str, ...]:
        """The properties that the clause prints."""
        return ()

    def print(self, op: HivmTextOp, printer: Printer) -> None:
        """Writes the clause, nothing where it is optional and absent."""
        raise NotImplementedError

    def parse(self, parser: Parser, parts: Parts) -> None:
        """Reads the clause into `parts`."""
        raise NotImplementedError


class HivmTextOp(IRDLOperation):
    """An op whose text is made of clauses."""

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        """The clauses in the order of the text."""
        raise NotImplementedError

    def print(self, printer: Printer) -> None:
        for clause in self.clauses():
            clause.print(self, printer)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        parts = Parts()
        for clause in cls.clauses():
            clause.parse(parser, parts)
        declared = cls.get_irdl_definition().properties
        for name in [name for name in parts.attributes if name in declared]:
            parts.properties[name] = parts.attributes.pop(name)
        cls.normalise(parts)
        names = [name for name, _ in cls.get_irdl_definition().operands]
        has_results = bool(cls.get_irdl_definition().results)
        return cls.build(
            operands=[parts.operands.get(name, []) for name in names],
            result_types=[parts.results] if has_results else [],
            properties=parts.properties,
            attributes=parts.attributes,
            regions=[[] for _ in cls.get_irdl_definition().regions],
        )

    @classmethod
    def normalise(cls, parts: Parts) -> None:
        """Turns older spellings of properties into the one that we print."""

    def values(self, name: str) -> Sequence[SSAValue]:
        """The operands of one name, none where an optional operand is absent."""
        found = cast(SSAValue | Sequence[SSAValue] | None, getattr(self, name))
        if found is None:
            return ()
        return (found,) if isinstance(found, SSAValue) else tuple(found)


class AttrDict(Clause):
    """`{..}`: attributes, and properties that no other clause prints, by their names."""

    def print(self, op: HivmTextOp, printer: Printer) -> None:
        covered = {name for clause in op.clauses() for name in clause.covers}
        hidden = covered | {"operandSegmentSizes", "resultSegmentSizes"}
        shown = {k: v for k, v in op.properties.items() if k not in hidden}
        printer.print_op_attributes(dict(sorted((shown | op.attributes).items())))

    def parse(self, parser: Parser, parts: Parts) -> None:
        parts.attributes |= parser.parse_optional_attr_dict()


@dataclass(frozen=True)
class Group(Clause):
    """`keyword(%a, %b : type, type)`; left out where there are no operands."""

    keyword: str
    names: tuple[str, ...]

    def print(self, op: HivmTextOp, printer: Printer) -> None:
        values = [value for name in self.names for value in op.values(name)]
        if not values:
            return
        printer.print_string(f" {self.keyword}(")
        printer.print_list(values, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list([value.type for value in values], printer.print_attribute)
        printer.print_string(")")

    def parse(self, parser: Parser, parts: Parts) -> None:
        if parser.parse_optional_keyword(self.keyword) is None:
            return
        parser.parse_punctuation("(")
        pos = parser.pos
        unresolved: list[UnresolvedOperand] = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        parser.parse_punctuation(")")
        values = list(parser.resolve_operands(unresolved, types, pos))
        for index, name in enumerate(self.names[:-1]):
            parts.operands[name] = [values[index]]
        parts.operands[self.names[-1]] = values[len(self.names) - 1 :]


@dataclass(frozen=True)
class Result(Clause):
    """`-> type`: the result that an op has on tensors and has not on memrefs."""

    def print(self, op: HivmTextOp, printer: Printer) -> None:
        if not op.results:
            return
        printer.print_string(" -> ")
        printer.print_list([result.type for result in op.results], printer.print_attribute)

    def parse(self, parser: Parser, parts: Parts) -> None:
        if parser.parse_optional_punctuation("->") is None:
            return
        parts.results += parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)


@dataclass(frozen=True)
class Word(Clause):
    """`keyword = <word>`, or `<word>` without a keyword; `default` is not printed."""

    prop: str
    kind: type[EnumWord]
    keyword: str = ""
    default: str | None = None

    @property
    def covers(self) -> tuple[str, ...]:
        return (self.prop,)

    def print(self, op: HivmTextOp, printer: Printer) -> None:
        attribute = op.properties.get(self.prop)
        if not isinstance(attribute, EnumWord) or attribute.data == self.default:
            return
        printer.print_string(f" {self.keyword} = " if self.keyword else " ")
        attribute.print_parameter(printer)

    def parse(self, parser: Parser, parts: Parts) -> None:
        if self.keyword:
            if parser.parse_optional_keyword(self.keyword) is None:
                return
            parser.parse_punctuation("=")
        parts.properties[self.prop] = self.kind(self.kind.parse_word(parser))


@dataclass(frozen=True)
class Flag(Clause):
    """`keyword = true` or `= false` of a boolean property; `mark` stands for the `=`."""

    prop: str
    keyword: str
    mark: str = "="

    @property
    def covers(self) -> tuple[str, ...]:
        return (self.prop,)

    def print(self, op: HivmTextOp, printer: Printer) -> None:
        attribute = op.properties.get(self.prop)
        if attribute is None:
            return
        printer.print_string(f" {self.keyword} {self.mark} ")
        printer.print_attribute(attribute)

    def parse(self, parser: Parser, parts: Parts) -> None:
        if parser.parse_optional_keyword(self.keyword) is None:
            return
        parser.parse_punctuation(":" if self.mark == ":" else "=")
        parts.properties[self.prop] = BoolAttr.from_bool(parser.parse_boolean())


@dataclass(frozen=True)
class Dims(Clause):
    """`keyword = [1, 2]` of an array property; an empty array is not printed."""

    prop: str
    keyword: str

    @property
    def covers(self) -> tuple[str, ...]:
        return (self.prop,)

    def print(self, op: HivmTextOp, printer: Printer) -> None:
        attribute = op.properties.get(self.prop)
        if not isinstance(attribute, DenseArrayBase) or not attribute.get_values():
            return
        printer.print_string(f" {self.keyword} = [")
        printer.print_string(", ".join(str(dim) for dim in attribute.get_values()))
        printer.print_string("]")

    def parse(self, parser: Parser, parts: Parts) -> None:
        dims: list[int] = []
        if parser.parse_optional_keyword(self.keyword) is not None:
            parser.parse_punctuation("=")
            dims = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        parts.properties[self.prop] = DenseArrayBase.from_list(i64, dims)


@dataclass(frozen=True)
class Operand(Clause):
    """`keyword = %x` of an optional operand; `typed` adds `: type`, else it is an i64."""

    name: str
    keyword: str
    typed: bool = False

    def print(self, op: HivmTextOp, printer: Printer) -> None:
        for value in op.values(self.name):
            printer.print_string(f" {self.keyword} = ")
            printer.print_ssa_value(value)
            if self.typed:
                printer.print_string(" : ")
                printer.print_attribute(value.type)

    def parse(self, parser: Parser, parts: Parts) -> None:
        if parser.parse_optional_keyword(self.keyword) is None:
            return
        parser.parse_punctuation("=")
        unresolved = parser.parse_unresolved_operand()
        kind: Attribute = i64
        if self.typed:
            parser.parse_punctuation(":")
            kind = parser.parse_type()
        parts.operands[self.name] = [parser.resolve_operand(unresolved, kind)]


@dataclass(frozen=True)
class Brackets(Clause):
    """`[<A>, <B>, <C>]` of word properties; `id_prop`/`id_operand` close it with a flag id."""

    words: tuple[tuple[str, type[EnumWord]], ...]
    id_prop: tuple[str, type[EnumWord]] | None = None
    id_operand: str = ""

    @property
    def covers(self) -> tuple[str, ...]:
        last = (self.id_prop[0],) if self.id_prop else ()
        return (*(prop for prop, _ in self.words), *last)

    def print(self, op: HivmTextOp, printer: Printer) -> None:
        printer.print_string("[")
        words = [op.properties[prop] for prop in self.covers if prop in op.properties]
        for index, word in enumerate(words):
            assert isinstance(word, EnumWord)
            printer.print_string(", " if index else "")
            word.print_parameter(printer)
        for value in op.values(self.id_operand) if self.id_operand else ():
            printer.print_string(", ")
            printer.print_ssa_value(value)
        printer.print_string("]")

    def parse(self, parser: Parser, parts: Parts) -> None:
        parser.parse_punctuation("[")
        for index, (prop, kind) in enumerate(self.words):
            if index:
                parser.parse_punctuation(",")
            parts.properties[prop] = kind(kind.parse_word(parser))
        if self.id_prop is not None:
            parser.parse_punctuation(",")
            self._parse_id(parser, parts, *self.id_prop)
        parser.parse_punctuation("]")

    def _parse_id(self, parser: Parser, parts: Parts, prop: str, kind: type[EnumWord]) -> None:
        unresolved = parser.parse_optional_unresolved_operand()
        if unresolved is None:
            parts.properties[prop] = kind(kind.parse_word(parser))
            return
        parts.operands[self.id_operand] = [parser.resolve_operand(unresolved, i64)]


@dataclass(frozen=True)
class FlagId(Clause):
    """`flag = 3` or `flag = %id` of the cross-core flags."""

    @property
    def covers(self) -> tuple[str, ...]:
        return ("static_flag_id",)

    def print(self, op: HivmTextOp, printer: Printer) -> None:
        printer.print_string(" flag = ")
        static = op.properties.get("static_flag_id")
        if isinstance(static, IntegerAttr):
            printer.print_string(str(static.value.data))
            return
        printer.print_ssa_value(op.values("dynamic_flag_id")[0])

    def parse(self, parser: Parser, parts: Parts) -> None:
        parser.parse_keyword("flag")
        parser.parse_punctuation("=")
        unresolved = parser.parse_optional_unresolved_operand()
        if unresolved is not None:
            parts.operands["dynamic_flag_id"] = [parser.resolve_operand(unresolved, i64)]
            return
        parts.properties["static_flag_id"] = IntegerAttr(parser.parse_integer(), i64)
