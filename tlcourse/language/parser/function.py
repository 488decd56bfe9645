"""Reading a whole function: a kernel's parameters and body, or a macro in place of its call."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import FunctionType

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Block, BlockArgument, Region, SSAValue

from tlcourse.diagnostics import Diagnostic, Label, SourceMap, TLError
from tlcourse.dialects import tl
from tlcourse.dialects.locations import location
from tlcourse.language.affine import Index
from tlcourse.language.buffers import Buffer, index_of
from tlcourse.language.builder import Builder, activate
from tlcourse.language.parser.expressions import EXPRESSIONS
from tlcourse.language.parser.parameters import KernelParameter, closure, parameters
from tlcourse.language.parser.scopes import Scopes
from tlcourse.language.parser.statements import STATEMENTS
from tlcourse.language.parser.tracer import Tracer
from tlcourse.language.scalar import Expr
from tlcourse.language.source import Captured
from tlcourse.language.symbolic import Symbolic
from tlcourse.language.view_checks import check_views

MAX_MACRO_DEPTH = 16
_TABLES = (EXPRESSIONS, STATEMENTS)


@dataclass(frozen=True, kw_only=True)
class ReadFunction:
    """What reading a kernel gives."""

    module: ModuleOp
    sources: SourceMap
    warnings: tuple[Diagnostic, ...]


def read_function(
    function: FunctionType, captured: Captured, scope: Mapping[str, object]
) -> ReadFunction:
    """The Tile IR of a kernel function.

    Args:
        function: the decorated function.
        captured: its text.
        scope: local variables around the decorator, for annotations kept as text.

    Raises:
        TL110: the body has no T.Kernel.
        TL1xx, TL2xx: something in it is not what the language takes.
    """
    block = Block()
    build = Builder(
        sources={captured.file.id: captured.file}, block=block, span=captured.span(captured.node)
    )
    found = parameters(function, captured, scope, build)
    for parameter in found:
        argument = block.insert_arg(parameter.type(), len(block.args))
        argument.name_hint = tl.name_hint(parameter.name)
    scopes = Scopes(_outside(function))
    with activate(build):
        _bind_parameters(found, block, scopes, build)
        Tracer(captured, scopes, build, _TABLES).run(_body(captured.node))
        _check_kernel(build)
        check_views(build)
        build.emit(func.ReturnOp())
    return ReadFunction(
        module=_module(function.__name__, found, block, build),
        sources=dict(build.sources),
        warnings=tuple(build.warnings),
    )


def run_macro(
    function: FunctionType, captured: Captured, arguments: Mapping[str, object], build: Builder
) -> object:
    """Reads a macro's body in place of its call; the value of its `return`, if it has one.

    Raises:
        TL134: macros call each other without end.
    """
    if build.macro_depth >= MAX_MACRO_DEPTH:
        raise build.fail(
            "TL134",
            f"the macro {function.__name__} is called inside itself {MAX_MACRO_DEPTH} times",
            why="a macro is put in place of its call, so calls must come to an end",
            fix="write a loop, or end the recursion on a Python number",
        )
    build.sources.setdefault(captured.file.id, captured.file)
    scopes = Scopes(_outside(function))
    outer = build.caller
    for name, value in arguments.items():
        scopes.bind(name, value, build)
    build.caller = build.location
    build.macro_depth += 1
    tracer = Tracer(captured, scopes, build, _TABLES, is_macro=True)
    try:
        tracer.run(_body(captured.node))
    except TLError as problem:
        call = Label(span=build.span, text=f"in this call of the macro {function.__name__}")
        labels = problem.diagnostic.labels
        # A macro that calls itself comes back here once a level; its call is shown once.
        if all(label.span != call.span for label in labels):
            problem.diagnostic = replace(problem.diagnostic, labels=(*labels, call))
        raise
    finally:
        build.caller = outer
        build.macro_depth -= 1
    return tracer.returned


def _outside(function: FunctionType) -> dict[str, object]:
    return dict(function.__globals__) | closure(function)


def _body(node: ast.FunctionDef) -> list[ast.stmt]:
    first = node.body[0]
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return node.body[1:] if is_docstring else node.body


def _bind_parameters(
    found: list[KernelParameter], block: Block, scopes: Scopes, build: Builder
) -> None:
    arguments = list(zip(found, block.args, strict=True))
    for parameter, argument in arguments:
        if parameter.kind != "tensor":
            build.symbols[parameter.name] = argument
    keep: list[SSAValue] = []
    for parameter, argument in arguments:
        if parameter.kind == "symbol":
            continue
        with build.at(parameter.span):
            value = _value(parameter, argument)
            scopes.bind(parameter.name, value, build)
        if isinstance(value, Buffer):
            keep += [extent.value for extent in value.shape if isinstance(extent, Expr)]
    build.drop_unused(build.ops_after(None), keep)


def _value(parameter: KernelParameter, argument: BlockArgument) -> object:
    if parameter.kind == "scalar":
        return Expr(argument, parameter.dtype)
    return Buffer(
        name=parameter.name,
        value=argument,
        dtype=parameter.dtype,
        shape=tuple(_extent(text) for text in parameter.extents),
        space="GM",
        span=parameter.span,
    )


def _extent(text: str) -> Index:
    return int(text) if text.isdigit() else index_of(Symbolic(text), "an extent")


def _check_kernel(build: Builder) -> None:
    if build.kernels:
        return
    raise build.fail(
        "TL110",
        "the kernel has no T.Kernel",
        why="a launch needs a grid of blocks",
        fix="put the body into `with T.Kernel(blocks, is_npu=True) as (cid, vid):`",
    )


def _module(name: str, found: list[KernelParameter], block: Block, build: Builder) -> ModuleOp:
    place = location(build.span.source, build.span.line, build.span.column)
    function = func.FuncOp(
        name,
        ([parameter.type() for parameter in found], []),
        Region(block),
        arg_attrs=ArrayAttr(parameter.attributes() for parameter in found),
    )
    function.location = place
    module = ModuleOp([function])
    module.location = place
    module.verify()
    return module
