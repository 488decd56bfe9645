"""Compares a text with the CHECK lines of a file, by the package filecheck."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib.util import find_spec

from tlcourse.diagnostics import error

DEFAULT_PREFIXES = ("CHECK",)


def require_filecheck() -> None:
    """Makes sure that the package is installed.

    Raises:
        TL716: it is not.
    """
    if find_spec("filecheck") is None:
        raise error(
            "TL716",
            "The package filecheck is not installed",
            why="the CHECK lines of a file of MLIR are compared by it",
            fix="pip install 'tlcourse[test]'",
        )


def check_text(checks: str, text: str, prefixes: Sequence[str] = DEFAULT_PREFIXES) -> str:
    """Why a text does not answer CHECK lines; empty if it does.

    Args:
        checks: the text with the CHECK lines.
        text: what is compared with them.
        prefixes: what stands for `CHECK`.

    Raises:
        TL716: the package filecheck is not installed.
    """
    require_filecheck()
    from filecheck.finput import FInput
    from filecheck.options import DumpInputKind, Options
    from filecheck.parser import Parser, pattern_for_opts

    from tlcourse.conformance.filecheck_matcher import LlvmMatcher

    options = Options("checks", check_prefixes=list(prefixes), dump_input=DumpInputKind.FAIL)
    parser = Parser(options, io.StringIO(checks), *pattern_for_opts(options))
    matcher = LlvmMatcher(options, FInput("text", text), parser)
    said = io.StringIO()
    matcher.stderr = said
    with redirect_stdout(io.StringIO()):  # the package tells its steps
        matched = matcher.run() == 0
    return "" if matched else said.getvalue().strip() or "no match"


def compares(text: str, prefixes: Sequence[str] = DEFAULT_PREFIXES) -> bool:
    """Whether the CHECK lines of a text ask for more than the name of a function.

    Args:
        text: the text with the CHECK lines.
        prefixes: what stands for `CHECK`.

    Raises:
        TL716: the package filecheck is not installed.
    """
    require_filecheck()
    from filecheck.options import Options
    from filecheck.parser import Parser, pattern_for_opts

    options = Options("checks", check_prefixes=list(prefixes))
    lines = Parser(options, io.StringIO(text), *pattern_for_opts(options))
    return any(line.name != "LABEL" for line in lines)
