"""One line of IR text taken apart: its values, its words and the places it came from.

The difference of two IR texts must not be fooled by renumbered values, so a line is seen
as a template (`%_ = arith.addi %_, %_ : i32`) and the names that fill it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

VALUE = re.compile(r"%[\w$.-]+")
_PIECES = re.compile(f"({VALUE.pattern})")
ANY_VALUE = "%_"  # a value itself, so that no other text reads the same
_HEAD = re.compile(r"\s*%[\w$.-]+(?::\d+)?(?:,\s*%[\w$.-]+(?::\d+)?)*\s*=(?!=)")
_ARGUMENTS = re.compile(r'\s*(?:\^|"?func\.func\b)')
_OP = re.compile(r'\s*"?([A-Za-z_][\w.]*)')
_TOKEN = re.compile(r'%[\w$.-]+|"(?:[^"\\]|\\.)*"|(?<=[\d?])x|[@#!^]?[A-Za-z_][\w$.]*|\d+|\s+|.')
_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):\d+')


def _nested(depth: int) -> str:
    inner = _nested(depth - 1) if depth else ""
    return rf'\((?:[^()"]|"(?:[^"\\]|\\.)*"{"|" + inner if inner else ""})*\)'


_LOCATION = re.compile(r"\s+loc" + _nested(4))

Place = tuple[str, int]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Form:
    """What a line says but for its values. A `Reader` makes one for equal lines.

    Args:
        text: the line with every value written `%_`.
        template: the same without indentation.
        defines: for each value, whether the line defines it.
        used: places of the values that the line reads.
        defined: places of the values that the line defines.
        results: how many of the first values are results of the op.
        op: name of the op, empty for a brace.
        opens: whether a region begins at the end of the line.
        loose: the name of the op, but for constants, which differ by their value.
        mark: stands for the template in a key.
        marks: for each value, stands for the op and the place in it.
    """

    text: str
    template: str
    defines: tuple[bool, ...]
    used: tuple[int, ...]
    defined: tuple[int, ...]
    results: int
    op: str
    opens: bool
    loose: str
    mark: int
    marks: tuple[int, ...]

    @property
    def indent(self) -> int:
        """Number of blanks before the template."""
        return len(self.text) - len(self.template)


class Line(NamedTuple):
    """A line of IR text: as printed, its form, the values in order with the percent sign."""

    text: str
    form: Form
    names: tuple[str, ...]
    uses: tuple[str, ...]
    made: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reader:
    """Takes lines of IR apart and keeps what it saw; use one for all texts of a trace."""

    lines: dict[str, Line] = field(default_factory=lambda: dict[str, Line]())
    forms: dict[str, Form] = field(default_factory=lambda: dict[str, Form]())
    placed: dict[str, tuple[str, tuple[Place, ...], int]] = field(
        default_factory=lambda: dict[str, tuple[str, tuple[Place, ...], int]]()
    )
    _texts: dict[str, tuple[str, list[tuple[Place, ...]]]] = field(
        default_factory=lambda: dict[str, tuple[str, list[tuple[Place, ...]]]]()
    )

    def read(self, text: str) -> list[Line]:
        """All lines of a text."""
        known = self.lines
        return [known.get(part) or self.line(part) for part in text.splitlines()]

    def line(self, text: str) -> Line:
        """Takes a line apart."""
        pieces = _PIECES.split(text)
        names = tuple(pieces[1::2])
        pattern = ANY_VALUE.join(pieces[::2])
        form = self.forms.get(pattern)
        if form is None:
            form = self.forms[pattern] = _form(pattern)
        uses = tuple([names[k] for k in form.used])
        made = tuple([names[k] for k in form.defined])
        line = self.lines[text] = Line(text, form, names, uses, made)
        return line

    def split(self, text: str) -> tuple[str, list[tuple[Place, ...]]]:
        """Takes `loc(...)` out of a text: the bare text, and per line (source id, line) pairs.

        The location of an op with a region stands behind its closing brace; it is given to the
        line that opens the region too.
        """
        found = self._texts.get(text)
        if found is None:
            found = self._texts[text] = self._split(text)
        return found

    def _split(self, text: str) -> tuple[str, list[tuple[Place, ...]]]:
        bare: list[str] = []
        places: list[tuple[Place, ...]] = []
        opened: list[int] = []
        for number, line in enumerate(text.splitlines()):
            found = self.placed.get(line)
            if found is None:
                found = self.placed[line] = _placed(line)
            bare.append(found[0])
            places.append(found[1])
            if found[2] < 0 and opened:
                places[opened.pop()] = places[-1]
            elif found[2] > 0:
                opened.append(number)
        return "\n".join(bare), places


def read_line(text: str) -> Line:
    """Takes one line of IR apart."""
    return Reader().line(text)


def split_places(text: str) -> tuple[str, list[tuple[Place, ...]]]:
    """`Reader.split` of one text."""
    return Reader().split(text)


def _form(text: str) -> Form:
    head = _HEAD.match(text)
    results = len(VALUE.findall(head.group())) if head else 0
    found = _OP.match(text, head.end() if head else 0)
    op, template = found.group(1) if found else "", text.lstrip()
    defines = [k < results or _binds(text, after) for k, after in enumerate(VALUE.split(text)[1:])]
    return Form(
        text=text,
        template=template,
        defines=tuple(defines),
        used=tuple(k for k, new in enumerate(defines) if not new),
        defined=tuple(k for k, new in enumerate(defines) if new),
        results=results,
        op=op,
        opens=text.endswith("{"),
        loose=template if op.endswith(".constant") or not op else op,
        mark=hash(template),
        marks=tuple(hash((op, k)) for k in range(len(defines))),
    )


def words(text: str) -> list[str]:
    """Splits a line into values, names, numbers, blanks and single signs; loses nothing."""
    return _TOKEN.findall(text)


def _placed(line: str) -> tuple[str, tuple[Place, ...], int]:
    """The line without its location, the places, and 1 if it opens a region, -1 if it ends one."""
    found = _LOCATION.findall(line) if "loc" in line else ()
    bare = _LOCATION.sub("", line) if found else line
    stripped = bare.strip()
    opens, closes = stripped[-1:] == "{", stripped[:1] == "}"
    return bare, _places(found[-1]) if found else (), int(opens) - int(closes)


def _places(location: str) -> tuple[Place, ...]:
    pairs = [(source, int(line)) for source, line in _PLACE.findall(location)]
    return tuple(dict.fromkeys(pairs))


def _binds(text: str, after: str) -> bool:
    """Whether a value followed by `after` is defined there: `%arg0: i64`, `%i = %c0`.

    Arguments of functions and blocks may be printed with a blank too, `%arg0 : i64`.
    """
    if _ARGUMENTS.match(text) and after.startswith(" : "):
        return True
    return after.lstrip(" ")[:1] == "=" or after[:1] == ":"
