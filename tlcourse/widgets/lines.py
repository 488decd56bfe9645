"""One line of IR text taken apart: its values, its words and the places it came from.

The difference of two IR texts must not be fooled by renumbered values, so a line is seen
as a template (`%_ = arith.addi %_, %_ : i32`) and the names that fill it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

VALUE = re.compile(r"%[\w$.-]+")
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A line of IR text.

    Args:
        text: the line as printed.
        template: the line without indentation, every value written `%_`.
        names: the values in order, with the percent sign.
        defines: for each value, whether the line defines it.
        uses: the values that the line reads.
        definitions: the values that the line defines, each with its place in `names`.
        results: how many of the first values are results of the op.
        op: name of the op, empty for a brace.
    """

    text: str
    template: str
    names: tuple[str, ...]
    defines: tuple[bool, ...]
    uses: tuple[str, ...]
    definitions: tuple[tuple[int, str], ...]
    results: int
    op: str


def read_line(text: str) -> Line:
    """Takes a line of IR apart."""
    names, between = VALUE.findall(text), VALUE.split(text)
    head = _HEAD.match(text)
    results = len(VALUE.findall(head.group())) if head else 0
    op = _OP.match(text, head.end() if head else 0)
    defines = tuple(k < results or _binds(text, after) for k, after in enumerate(between[1:]))
    return Line(
        text=text,
        template=ANY_VALUE.join(between).lstrip(),
        names=tuple(names),
        defines=defines,
        uses=tuple(name for name, new in zip(names, defines, strict=True) if not new),
        definitions=tuple((k, name) for k, name in enumerate(names) if defines[k]),
        results=results,
        op=op.group(1) if op else "",
    )


def read_lines(text: str, memo: dict[str, Line]) -> list[Line]:
    """All lines of a text; `memo` keeps those already seen, for the next text."""
    lines: list[Line] = []
    for part in text.splitlines():
        line = memo.get(part)
        if line is None:
            line = memo[part] = read_line(part)
        lines.append(line)
    return lines


def words(text: str) -> list[str]:
    """Splits a line into values, names, numbers, blanks and single signs; loses nothing."""
    return _TOKEN.findall(text)


def split_places(text: str) -> tuple[str, list[tuple[Place, ...]]]:
    """Takes `loc(...)` out of a text: the bare text, and per line (source id, line) pairs.

    The location of an op with a region stands behind its closing brace; it is given to the
    line that opens the region too.
    """
    bare: list[str] = []
    places: list[tuple[Place, ...]] = []
    opened: list[int] = []
    for number, line in enumerate(text.splitlines()):
        found = _LOCATION.findall(line)
        bare.append(_LOCATION.sub("", line) if found else line)
        places.append(_places(found[-1]) if found else ())
        stripped = bare[-1].strip()
        if stripped.startswith("}") and not stripped.endswith("{") and opened:
            places[opened.pop()] = places[-1]
        if stripped.endswith("{") and not stripped.startswith("}"):
            opened.append(number)
    return "\n".join(bare), places


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
