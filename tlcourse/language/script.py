"""A kernel as Python-like text: what is left when names, macros and slices are resolved.

The text reads like the kernel that made it. Operands show as slices, and values that have one
use show inside it. It is for reading; the Tile IR is what is compiled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tlcourse.dialects import tl
from tlcourse.dialects.dtypes import dtype_of
from tlcourse.language.script_tiles import tile_call
from tlcourse.language.script_words import ALLOCATIONS, CONVERSIONS, FUNCTIONS, INFIX, PREDICATES

_RELU = ', enable_nz2nd=True, pre_relu_mode="relu"'


# The rest of Tile IR are values: they show inside the statement that uses them.
_VALUES = (tl.FloorModOp, tl.RegionOp, tl.LoadOp)
_STATEMENTS = frozenset(op.name for op in tl.OPS if op not in _VALUES)


def script_of(module: ModuleOp) -> str:
    """The text of a Tile IR module in the language's own words."""
    functions = [op for op in module.body.block.ops if isinstance(op, func.FuncOp)]
    return "\n\n".join(_Script().function(function) for function in functions)


@dataclass
class _Script:
    """Text of one function, line by line."""

    lines: list[str] = field(default_factory=lambda: list[str]())
    names: dict[SSAValue, str] = field(default_factory=lambda: dict[SSAValue, str]())
    depth: int = 0

    def function(self, function: func.FuncOp) -> str:
        parameters = [self._parameter(function, index) for index in range(len(function.args))]
        shown = [text for text in parameters if text]
        self._line("@T.prim_func")
        self._line(f"def {function.sym_name.data}({', '.join(shown)}):")
        self._body(function.body)
        return "\n".join(self.lines) + "\n"

    def _parameter(self, function: func.FuncOp, index: int) -> str:
        assert function.arg_attrs is not None, "kernel functions describe their arguments"
        entry = function.arg_attrs.data[index].data
        name, dtype = _text(entry["tl.name"]), _text(entry["tl.dtype"])
        self.names[function.args[index]] = name
        match _text(entry["tl.kind"]):
            case "symbol":
                return ""
            case "scalar":
                return f"{name}: T.{dtype}"
            case _:
                extents = cast("list[Attribute]", entry["tl.extents"])
                return f'{name}: T.Tensor({_tuple([_text(e) for e in extents])}, "{dtype}")'

    def _body(self, region: Region) -> None:
        self.depth += 1
        start = len(self.lines)
        for op in region.block.ops:
            self._statement(op)
        if len(self.lines) == start:
            self._line("pass")
        self.depth -= 1

    def _line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def _statement(self, op: Operation) -> None:
        match op:
            case tl.KernelOp():
                self._kernel(op)
            case tl.ForOp():
                self._for(op)
            case tl.ScopeOp():
                self._line(f'with T.Scope("{op.core.data.capitalize()}"):')
                self._body(op.body)
            case scf.IfOp():
                self._if(op)
            case tl.AllocOp():
                self._alloc(op)
            case tl.LetOp():
                self._bind(op.result, op.label.data, self._value(op.value))
            case tl.StoreOp():
                self._line(f"{self._element(op)} = {_bare(self._value(op.value))}")
            case tl.SyncOp():
                self._sync(op)
            case _:
                self._tile_op(op)

    def _kernel(self, op: tl.KernelOp) -> None:
        names = [self._name(arg) for arg in op.body.block.args]
        grid = ", ".join(_bare(self._value(extent)) for extent in op.grid)
        self._line(f"with T.Kernel({grid}, is_npu=True) as ({', '.join(names)}):")
        self._body(op.body)

    def _for(self, op: tl.ForOp) -> None:
        lower, upper = self._value(op.lower), self._value(op.upper)
        bounds = upper if lower == "0" else f"{lower}, {upper}"
        function = {"serial": "serial", "parallel": "Parallel", "pipelined": "Pipelined"}
        stages = f", num_stages={op.num_stages.value.data}" if op.num_stages else ""
        name = self._name(op.body.block.args[0])
        self._line(f"for {name} in T.{function[op.kind.data]}({bounds}{stages}):")
        self._body(op.body)

    def _if(self, op: scf.IfOp) -> None:
        self._line(f"if {_bare(self._value(op.cond))}:")
        self._body(op.true_region)
        if op.false_region.blocks:
            self._line("else:")
            self._body(op.false_region)

    def _alloc(self, op: tl.AllocOp) -> None:
        kind = op.result.type
        shape = _tuple([str(extent) for extent in kind.get_shape()])
        function = ALLOCATIONS[tl.scope_of(op.result)]
        dtype = dtype_of(kind.get_element_type()).name
        arguments = f'"{dtype}"' if function == "alloc_var" else f'{shape}, "{dtype}"'
        self._bind(op.result, op.label.data, f"T.{function}({arguments})")

    def _sync(self, op: tl.SyncOp) -> None:
        name = op.name.removeprefix("tl.")
        if isinstance(op, tl.FlagOp):
            call = f'T.{name}("{op.other.data}", {self._value(op.event)})'
        elif isinstance(op, tl.BlockFlagOp):
            call = f"T.{name}({self._value(op.flag)})"
        else:
            self._line(f'T.{name}("{op.pipe.data}")')
            return
        self._line(f'with T.rs("{op.pipe.data}"):')
        self._line(f"    {call}")

    def _tile_op(self, op: Operation) -> None:
        match op:
            case tl.CopyOp():
                function, relu = ("store_fixpipe", _RELU) if op.relu else ("copy", "")
                self._line(f"T.{function}({self._value(op.src)}, {self._value(op.dst)}{relu})")
            case tl.GemmOp():
                self._line(self._gemm(op))
            case tl.BroadcastOp():
                self._line(f"T.vbrc({self._value(op.source)}, {self._value(op.destination)})")
            case tl.CastOp():
                values = f"{self._value(op.source)}, {self._value(op.destination)}"
                self._line(f'T.vcast({values}, round_mode="{op.round_mode.data}")')
            case tl.ElementwiseOp():
                values = [self._value(value) for value in (*op.sources, op.destination)]
                self._line(f"T.{op.row.mnemonic}({', '.join(values)}{_option(op)})")
            case tl.BitcastOp():
                self._bitcast(op)
            case tl.TileOp():
                call = tile_call(op, self._value)
                if call is not None:
                    self._line(call)
            case tl.PrintOp():
                shown = ", hex=True" if op.hex else ""
                self._line(f"T.print({self._value(op.value)}, {op.message.data!r}{shown})")
            case _:
                assert op.name not in _STATEMENTS, f"{op.name} has no spelling"

    def _bitcast(self, op: tl.BitcastOp) -> None:
        """The allocation in front says what the name stands for; this line fills it."""
        (source,), (destination,) = op.sources, op.destinations
        dtype = dtype_of(tl.memref_of(destination).element_type).name
        self._line(f'{self._value(destination)} = T.vbitcast({self._value(source)}, "{dtype}")')

    def _gemm(self, op: tl.GemmOp) -> str:
        words = [self._value(value) for value in (op.a, op.b, op.c)]
        words.append(f"initC={self._value(op.init)}")
        words += ["a_transpose=True"] if op.a_transpose else []
        words += ["b_transpose=True"] if op.b_transpose else []
        return f"T.gemm({', '.join(words)})"

    def _bind(self, value: SSAValue, name: str, text: str) -> None:
        self.names[value] = name
        self._line(f"{name} = {_bare(text)}")

    def _name(self, value: SSAValue) -> str:
        if value not in self.names:
            self.names[value] = value.name_hint or f"v{len(self.names)}"
        return self.names[value]

    def _value(self, value: SSAValue) -> str:
        op = value.owner
        if value in self.names or isinstance(op, Block):
            return self._name(value)
        match op:
            case arith.ConstantOp():
                return _constant(op)
            case tl.RegionOp():
                return self._region(op)
            case tl.LoadOp():
                return self._element(op)
            case arith.CmpiOp() | arith.CmpfOp():
                word = PREDICATES[type(op)][op.predicate.value.data]
                return f"({self._value(op.lhs)} {word} {self._value(op.rhs)})"
            case _:
                return self._expression(op)

    def _expression(self, op: Operation) -> str:
        operands = [self._value(operand) for operand in op.operands]
        if op.name in INFIX:
            return f"({operands[0]} {INFIX[op.name]} {operands[1]})"
        if op.name in CONVERSIONS:
            return f'T.cast({operands[0]}, "{dtype_of(op.results[0].type).name}")'
        if isinstance(op, arith.BitcastOp):
            return f'T.reinterpret("{dtype_of(op.result.type).name}", {operands[0]})'
        return f"{FUNCTIONS.get(op.name, op.name)}({', '.join(_bare(text) for text in operands)})"

    def _element(self, op: tl.LoadOp | tl.StoreOp) -> str:
        indices = ", ".join(_bare(self._value(index)) for index in op.indices)
        return f"{self._name(op.buffer)}[{indices}]"

    def _region(self, op: tl.RegionOp) -> str:
        parts: list[str] = []
        for offset, extent in zip(op.offsets, op.extents(), strict=True):
            start = self._value(offset)
            size = str(extent) if isinstance(extent, int) else self._value(extent)
            parts.append(f":{size}" if start == "0" else f"{start} : {start} + {size}")
        return f"{self._name(op.buffer)}[{', '.join(parts)}]"


def _constant(op: arith.ConstantOp) -> str:
    value = op.value
    if isinstance(value, IntegerAttr):
        is_bool = dtype_of(op.result.type).name == "bool"
        return str(bool(value.value.data)) if is_bool else str(value.value.data)
    assert isinstance(value, FloatAttr), "kernels hold integers and floats"
    number = value.value.data
    dtype = dtype_of(op.result.type).name
    if number in (float("inf"), float("-inf")):
        return f'{"-" if number < 0 else ""}T.infinity("{dtype}")'
    return f"T.{dtype}({number!r})"


def _option(op: tl.ElementwiseOp) -> str:
    """What an op says besides its tiles."""
    match op:
        case tl.VcmpOp():
            return f', "{op.mode.data}"'
        case tl.VshrOp() if op.round is None:
            return ", round=False"
        case _:
            return ""


def _bare(text: str) -> str:
    """A text without the brackets around all of it."""
    depth = 0
    for position, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and position < len(text) - 1:
            return text
    return text[1:-1] if text.startswith("(") else text


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _text(attribute: Attribute) -> str:
    assert isinstance(attribute, StringAttr)
    return attribute.data
