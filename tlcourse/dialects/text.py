"""Text of modules: one context, one printer, one parser for all levels."""

from __future__ import annotations

import re
from bisect import bisect_left
from io import StringIO
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, math, scf, tensor
from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.ir import Operation
from xdsl.ir.affine import AffineMap
from xdsl.parser import Parser
from xdsl.parser.generic_parser import ParserState
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span, Token
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind, StringLiteral

from tlcourse.dialects import (
    affine,
    annotation,
    bufferization,
    hacc,
    hfusion,
    hivm,
    memref,
    memref_ext,
    scope,
    tl,
)
from tlcourse.dialects.affine import SemiAffineParser
from tlcourse.dialects.locations import location

# What xDSL says of an unknown operation in custom form; its place is behind the name.
_NO_OP = "builtin.unregistered does not have a custom format"
_OP_NAME = re.compile(r"\s*(?:%[^=\n]*=\s*)?([\w.$]+)")


def context() -> Context:
    """A fresh context with all our dialects; ops of others stay opaque.

    xDSL's own `dlti` is left out on purpose: it reads a newer syntax than the AscendNPU IR
    compiler prints.
    """
    ctx = Context(allow_unregistered=True)
    for dialect in (
        builtin.Builtin,
        func.Func,
        arith.Arith,
        scf.Scf,
        math.Math,
        memref.MemRef,
        tensor.Tensor,
        affine.Affine,
        tl.TL,
        hivm.HIVM,
        hacc.HACC,
        annotation.Annotation,
        scope.Scope,
        memref_ext.MemRefExt,
        bufferization.Bufferization,
        hfusion.Linalg,
        hfusion.HFusion,
    ):
        ctx.load_dialect(dialect)
    return ctx


def to_text(module: ModuleOp, *, locations: bool = False, generic: bool = False) -> str:
    """The module as MLIR text.

    Args:
        module: what to print.
        locations: write `loc(..)` after each op.
        generic: every op in generic form.
    """
    stream = StringIO()
    Printer(stream, print_debuginfo=locations, print_generic_format=generic).print_op(module)
    return stream.getvalue() + "\n"


def from_text(text: str, *, name: str = "", ctx: Context | None = None) -> ModuleOp:
    """Reads a module; custom and generic forms may be mixed.

    Args:
        text: the module.
        name: the file it comes from. If given, ops without a location get their line in it.
        ctx: the dialects, default `context()`.

    Raises:
        ParseError: xDSL's own, with line and caret in the IR text.
    """
    return _Parser(ctx or context(), text, name).parse_module()


class _Lexer(MLIRLexer):
    """Reads a string of escaped UTF-8 as a string; xDSL keeps such a one as bytes."""

    # The same strings as xDSL's expression, which takes for ever over one that is never closed:
    # `++` and `*+` do not try shorter runs again.
    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')

    def _lex_string_literal(self, start_pos: int) -> Token[MLIRTokenKind]:
        token = super()._lex_string_literal(start_pos)
        if token.kind is not MLIRTokenKind.BYTES_LIT:
            return token
        try:
            cast(StringLiteral, token.span).bytes_contents.decode()
        except UnicodeDecodeError:
            return token
        return Token(MLIRTokenKind.STRING_LIT, token.span)


class _Parser(Parser):
    def __init__(self, ctx: Context, text: str, name: str = "") -> None:
        super().__init__(ctx, "")
        self._parser_state = ParserState(_Lexer(Input(text, name or "<unknown>")))
        self._name = name
        self._line_ends = [at for at, sign in enumerate(text) if sign == "\n"] if name else []

    def parse_operation(self) -> Operation:
        start = self.pos
        try:
            op = super().parse_operation()
        except ParseError as problem:
            raise self._named(problem, start) from problem
        if self._name and isinstance(op.location, UnknownLoc):
            line = bisect_left(self._line_ends, start)
            column = start - (self._line_ends[line - 1] if line else -1)
            op.location = location(self._name, line + 1, column)
        return op

    def parse_affine_map(self) -> AffineMap:
        return SemiAffineParser(self._parser_state).parse_affine_map()

    def _named(self, problem: ParseError, start: int) -> ParseError:
        """The error with the operation's name, where xDSL says only that it knows none."""
        found = _OP_NAME.match(self._parser_state.lexer.input.content, start)
        if _NO_OP not in problem.msg or found is None:
            return problem
        span = Span(found.start(1), found.end(1), self._parser_state.lexer.input)
        return ParseError(span, f"there is no operation {found[1]}")
