"""The text of a pipeline: `a,b{key=value other=1}`, with or without `builtin.module(..)` around.

The grammar is upstream's. Ours are passes over modules, so the brackets of `func.func(..)` say
nothing that the passes do not know already, and are opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tlcourse.diagnostics import Label, SourceFile, SourceMap, Span, TLError, error

_SOURCE = "pipeline"
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_OPTION = re.compile(r"""([\w-]+)(?:=("[^"]*"|'[^']*'|\{[^{}]*\}|[^\s{}"']*))?""")
_BRACES = re.compile(r"""\{((?:[^{}"']|"[^"]*"|'[^']*'|\{[^{}]*\})*)\}""")
_ANCHORS = ("builtin.module", "func.func", "any")


@dataclass(frozen=True, kw_only=True)
class PassText:
    """One pass of a pipeline as written.

    Args:
        name: the pass.
        options: its options, in the spelling of the text.
        start: where the name begins in the text, from 0.
        pipeline: the whole text.
    """

    name: str
    options: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    start: int = 0
    pipeline: str = ""

    def label(self, text: str = "") -> tuple[Label, ...]:
        """The caret under the name."""
        return (_label(self.pipeline, self.start, len(self.name), text),)

    def sources(self) -> SourceMap:
        """What the caret points into."""
        return _sources(self.pipeline)


def parse_pipeline(text: str) -> tuple[PassText, ...]:
    """Reads a pipeline.

    Args:
        text: names separated by commas; options in braces, separated by spaces.

    Returns:
        the passes in order.

    Raises:
        TL321: the text is not a pipeline.
    """
    reader = _Reader(text)
    found = tuple(reader.items())
    if reader.at < len(text):
        raise reader.wrong("what follows is not part of a pipeline")
    return found


class _Reader:
    """Walks along the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def items(self) -> Iterator[PassText]:
        """`item (, item)*`; an empty pipeline is one too."""
        self._spaces()
        if self.at == len(self.text) or self.text[self.at] == ")":
            return
        yield from self._item()
        while self._eat(","):
            yield from self._item()

    def _item(self) -> Iterator[PassText]:
        self._spaces()
        found = _NAME.match(self.text, self.at)
        if found is None:
            raise self.wrong("here the name of a pass is expected")
        self.at = found.end()
        if found[0] in _ANCHORS and self._eat("("):
            yield from self.items()
            if not self._eat(")"):
                raise self.wrong(f"the bracket of {found[0]} is not closed")
            return
        yield PassText(
            name=found[0], options=self._options(), start=found.start(), pipeline=self.text
        )
        self._spaces()

    def _options(self) -> dict[str, str]:
        self._spaces()
        if not self.text.startswith("{", self.at):
            return {}
        found = _BRACES.match(self.text, self.at)
        if found is None:
            raise self.wrong("the braces of the options are not closed")
        self.at = found.end()
        return parse_options(found[1])

    def _eat(self, sign: str) -> bool:
        self._spaces()
        if not self.text.startswith(sign, self.at):
            return False
        self.at += 1
        return True

    def _spaces(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def wrong(self, why: str) -> TLError:
        """The error at the place that the reader came to."""
        return error(
            "TL321",
            f"The pipeline {self.text!r} cannot be read",
            why=why,
            fix="separate passes by commas and options by spaces: "
            "hivm-mark-multi-buffer{enable-auto=true},hivm-plan-memory",
            labels=(_label(self.text, self.at, 1, "here"),),
            sources=_sources(self.text),
        )


def parse_options(text: str) -> dict[str, str]:
    """`key=value other` as a dictionary; a key alone means `true`, and quotes are taken off."""
    return {
        key: (value or "true").strip("\"'") if not value.startswith("{") else value[1:-1]
        for key, value in _OPTION.findall(text)
    }


def _label(text: str, start: int, length: int, words: str) -> Label:
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    span = Span(source=_SOURCE, line=line, column=column, end_line=line, end_column=column + length)
    return Label(span=span, text=words)


def _sources(text: str) -> SourceMap:
    return {_SOURCE: SourceFile(id=_SOURCE, text=text, title="the pipeline")}
