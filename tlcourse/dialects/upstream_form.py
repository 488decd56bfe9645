"""Text of modules exactly as the AscendNPU IR compiler writes it.

xDSL's own text says the same in other words: it prefixes `module` and `return` with their
dialects, names each of several results, keeps attributes in the order in which they were set,
and writes affine maps where they are used. Both forms are read by both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import StringIO
from typing import cast

from xdsl.dialects import arith, builtin, func
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.printer import Printer

from tlcourse.dialects.affine_text import map_text
from tlcourse.dialects.mlir_floats import float_text

_SHORT = {builtin.ModuleOp.name: "module", func.ReturnOp.name: "return"}
# What results are called there; every other result has a number.
_RESULT_NAMES = {
    "memref.alloc": ("alloc",),
    "memref.alloca": ("alloca",),
    "memref.cast": ("cast",),
    "memref.collapse_shape": ("collapse_shape",),
    "memref.dim": ("dim",),
    "memref.expand_shape": ("expand_shape",),
    "memref.extract_strided_metadata": ("base_buffer", "offset", "sizes", "strides"),
    "memref.memory_space_cast": ("memspacecast",),
    "memref.reinterpret_cast": ("reinterpret_cast",),
    "memref.reshape": ("reshape",),
    "memref.subview": ("subview",),
    "memref.view": ("view",),
    "tensor.cast": ("cast",),
    "tensor.collapse_shape": ("collapsed",),
    "tensor.concat": ("concat",),
    "tensor.dim": ("dim",),
    "tensor.expand_shape": ("expanded",),
    "tensor.extract": ("extracted",),
    "tensor.extract_slice": ("extracted_slice",),
    "tensor.from_elements": ("from_elements",),
    "tensor.generate": ("generated",),
    "tensor.insert": ("inserted",),
    "tensor.insert_slice": ("inserted_slice",),
    "tensor.pad": ("padded",),
    "tensor.reshape": ("reshape",),
    "tensor.splat": ("splat",),
}


def upstream_text(
    module: ModuleOp, *, generic: bool = False, locations: bool = False, own_names: bool = True
) -> str:
    """The module as the compiler would write it.

    Args:
        module: what to print.
        generic: every op in generic form.
        locations: write `loc(..)` after each op.
        own_names: keep the names that values have; else name them as the compiler does, which
            forgets names: `%arg0`, `%c0`, `%alloc`, `%0`.
    """
    stream = StringIO()
    names = {} if own_names else upstream_names(module)
    printer = _UpstreamPrinter(stream, names, generic=generic, locations=locations)
    printer.print_op(module)
    head = "".join(f"#{name} = {printer.bare(kind)}\n" for kind, name in printer.maps.items())
    return f"{head}{stream.getvalue()}\n"


class _UpstreamPrinter(Printer):
    """Writes upstream's words; collects the affine maps for the head of the text."""

    def __init__(
        self, stream: StringIO, names: Mapping[SSAValue, str], *, generic: bool, locations: bool
    ) -> None:
        super().__init__(stream, print_generic_format=generic, print_debuginfo=locations)
        self._given = names
        self.maps: dict[AffineMapAttr, str] = {}
        self._behind_map = False
        self._behind_region = False

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        # The operands of a map follow it without a blank.
        text = "(" if self._behind_map and text == " (" else _SHORT.get(text, text)
        self._behind_map = False
        self._behind_region = text.endswith("}")
        super().print_string(text, indent=indent)

    def print_ssa_value(self, value: SSAValue) -> str:
        results = value.op.results if isinstance(value, OpResult) else ()
        first = results[0] if len(results) > 1 else value
        if first in self._given:
            name = self._given[first]
            self.print_string(f"%{name}")
        else:
            name = super().print_ssa_value(first)
        if isinstance(value, OpResult) and len(results) > 1:
            self.print_string(f"#{value.index}")
        return name

    def _print_results(self, op: Operation) -> None:
        if len(op.results) < 2:
            super()._print_results(op)
            return
        first = op.results[0]
        if first in self._given:
            self.print_string(f"%{self._given[first]}")
        else:
            super().print_ssa_value(first)
        self.print_string(f":{len(op.results)} = ")

    def print_attribute(self, attribute: Attribute) -> None:
        if isinstance(attribute, AffineMapAttr):
            count = len(self.maps)
            name = self.maps.setdefault(attribute, f"map{count}" if count else "map")
            self.print_string(f"#{name}")
            self._behind_map = True
        elif isinstance(attribute, ArrayAttr):
            elements = cast("ArrayAttr[Attribute]", attribute)
            with self.in_square_brackets():
                self.print_list(elements.data, self._print_element)
        elif isinstance(attribute, DictionaryAttr):
            self.print_attr_dict(attribute.data)
        else:
            super().print_attribute(attribute)

    def print_float(self, value: float, type: AnyFloat) -> None:
        text = float_text(value, type)
        if text is None:
            super().print_float(value, type)
        else:
            self.print_string(text)

    def _print_element(self, attribute: Attribute) -> None:
        if isinstance(attribute, IntegerAttr):
            number = cast("IntegerAttr[IntegerType | IndexType]", attribute)
            if number.type == i64:
                self.print_string(str(number.value.data))
                return
        self.print_attribute(cast(Attribute, attribute))

    def print_attr_dict(self, attr_dict: Mapping[str, Attribute]) -> None:
        if self._behind_region:
            self.print_string(" ")
        super().print_attr_dict(dict(sorted(attr_dict.items())))

    def bare(self, kind: AffineMapAttr) -> str:
        """An affine map in full."""
        return f"affine_map<{map_text(kind.data)}>"


def upstream_names(module: ModuleOp) -> dict[SSAValue, str]:
    """The name that the compiler gives to each value when it prints the module.

    The values of a region are named before those of the regions in it, and regions side by
    side use the same numbers again.
    """
    names: dict[SSAValue, str] = {}
    for region in module.regions:
        _Namer(names).region(region)
    return names


class _Namer:
    """Names the values of one region and of all regions in it."""

    def __init__(self, names: dict[SSAValue, str], outer: _Namer | None = None) -> None:
        self._names = names
        self._used: set[str] = set(outer._used) if outer else set()
        self._value = outer._value if outer else 0
        self._argument = outer._argument if outer else 0
        self._conflict = outer._conflict if outer else 0

    def region(self, region: Region) -> None:
        for index, block in enumerate(region.blocks):
            self._block(block, is_entry=index == 0)
        for op in _ops(region):
            for inner in op.regions:
                _Namer(self._names, self).region(inner)

    def _block(self, block: Block, *, is_entry: bool) -> None:
        for argument in block.args:
            self._name(argument, f"arg{self._argument}" if is_entry else "")
            self._argument += is_entry
        for op in block.ops:
            if op.results:
                given = result_names(op)
                for result, name in zip(op.results, given or ("",), strict=False):
                    self._name(result, name)

    def _name(self, value: SSAValue, wanted: str) -> None:
        if not wanted:
            self._names[value] = str(self._value)
            self._value += 1
            return
        name = wanted
        while name in self._used:
            name = f"{wanted}_{self._conflict}"
            self._conflict += 1
        self._used.add(name)
        self._names[value] = name


def _ops(region: Region) -> Iterator[Operation]:
    for block in region.blocks:
        yield from block.ops


def result_names(op: Operation) -> tuple[str, ...]:
    """What the results of an op are called; empty where they have a number."""
    if isinstance(op, arith.ConstantOp):
        return (_constant_name(op.value),)
    return _RESULT_NAMES.get(op.name, ())


def _constant_name(value: Attribute) -> str:
    if not isinstance(value, IntegerAttr):
        return "cst"
    number = value.value.data
    kind = cast("IntegerAttr[IntegerType | IndexType]", value).type
    if not isinstance(kind, IntegerType):
        return f"c{number}"
    if kind.width.data == 1:
        return "true" if number else "false"
    return f"c{number}_{kind}"
