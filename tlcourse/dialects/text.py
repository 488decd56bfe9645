"""Text of modules: one context, one printer, one parser for all levels."""

from __future__ import annotations

from io import StringIO
from typing import cast

from xdsl.context import Context
from xdsl.dialects import affine, arith, builtin, func, math, scf, tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.parser.generic_parser import ParserState
from xdsl.printer import Printer
from xdsl.utils.lexer import Input, Token
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind, StringLiteral

from tlcourse.dialects import annotation, bufferization, hacc, hivm, memref, memref_ext, scope, tl


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


def from_text(text: str) -> ModuleOp:
    """Reads a module; custom and generic forms may be mixed.

    Raises:
        ParseError: xDSL's own, with line and caret in the IR text.
    """
    return _Parser(context(), text).parse_module()


class _Lexer(MLIRLexer):
    """Reads a string of escaped UTF-8 as a string; xDSL keeps such a one as bytes."""

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
    def __init__(self, ctx: Context, text: str) -> None:
        super().__init__(ctx, "")
        self._parser_state = ParserState(_Lexer(Input(text, "<unknown>")))
