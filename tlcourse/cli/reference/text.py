"""A page of docs/api/ as Markdown: signatures by inspect, docstrings by griffe."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import EnumType

import griffe

from tlcourse.cli.reference.pages import Group, Page

MAX_LINE = 88
_ERROR = re.compile(r"TL\d{3}")
_OLDER = re.compile(r"The older spelling of T\.(\w+)\.")
_A_NAME = re.compile(r"\bT\.\w+")


def page_text(page: Page, sections: dict[str, str]) -> str:
    """One page; `sections` maps the code of an error to its heading's name in errors.md."""
    parts = [f"# {page.title}", page.words, "Made by `make docs` from docstrings."]
    for group in page.groups:
        parts += [f"## {group.title}", *_entries(group, sections)]
    return "\n\n".join(parts) + "\n"


def _entries(group: Group, sections: dict[str, str]) -> Iterator[str]:
    found = {name: _found(group.module, name) for name in group.names}
    for names in _alike(found):
        title = " · ".join(f"`{group.prefix}{name}`" for name in names)
        yield f"### {title}"
        yield from _entry(f"{group.prefix}{names[0]}", found[names[0]], sections)


def _found(module: str, name: str) -> object:
    found: object = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _alike(found: dict[str, object]) -> list[list[str]]:
    """Names that say the same in their docstrings, the one of today first."""
    same: dict[str, list[str]] = {}
    for name, value in found.items():
        older = _OLDER.fullmatch(_document(value))
        text = _document(found[older[1]] if older else value)
        same.setdefault(_A_NAME.sub("T.name", text), []).append(name)
    return [sorted(names, key=lambda name: name.startswith("npuir_")) for names in same.values()]


def _document(value: object) -> str:
    return inspect.getdoc(value) or ""


def _entry(name: str, value: object, sections: dict[str, str]) -> Iterator[str]:
    signature = _signature(name, value)
    if signature:
        yield f"```python\n{signature}\n```"
    for section in griffe.parse_google(griffe.Docstring(_document(value)), warnings=False):
        yield _section(section, sections)
    if isinstance(value, EnumType):
        yield f"Values: {', '.join(f'`{name}`' for name in value.__members__)}."


def _signature(name: str, value: object) -> str:
    """The call as it is written; empty where there is none to write."""
    if not callable(value) or isinstance(value, EnumType):
        return ""
    parameters = list(inspect.signature(value).parameters.values())
    words = _parameters([one for one in parameters if one.name != "self"])
    line = f"{name}({', '.join(words)})"
    if len(line) <= MAX_LINE:
        return line
    return "\n".join([f"{name}(", *(f"    {word}," for word in words), ")"])


def _parameters(parameters: Sequence[inspect.Parameter]) -> list[str]:
    words: list[str] = []
    starred = False
    for one in parameters:
        if one.kind is one.KEYWORD_ONLY and not starred:
            words.append("*")
        starred |= one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        words.append(_parameter(one))
    return words


def _parameter(one: inspect.Parameter) -> str:
    stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
    is_open = one.annotation in (one.empty, object, "object")
    kind = "" if is_open else f": {inspect.formatannotation(one.annotation)}".replace("'", "")
    if one.default is one.empty:
        return stars + one.name + kind
    equals = " = " if kind else "="
    return f"{one.name}{kind}{equals}{_default(one.default)}"


def _default(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _section(section: griffe.DocstringSection, sections: dict[str, str]) -> str:
    """A part of a docstring; texts stay as they are, lists become lists."""
    match section:
        case griffe.DocstringSectionText():
            return section.value
        case griffe.DocstringSectionParameters():
            return _list((f"`{one.name}`", one.description) for one in section.value)
        case griffe.DocstringSectionRaises():
            rows = [
                (_linked(str(one.annotation), sections), one.description) for one in section.value
            ]
            return "Raises:\n\n" + _list(rows)
        case griffe.DocstringSectionReturns():
            return "Returns: " + " ".join(one.description for one in section.value)
        case griffe.DocstringSectionExamples():
            return "\n\n".join(f"```python\n{text}\n```" for _, text in section.value)
        case griffe.DocstringSectionAdmonition():
            return f"{section.title}: {section.value.description}"
        case _:
            raise TypeError(f"no way to write a {section.kind.value} of a docstring")


def _list(rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- {name}: {' '.join(text.split())}" for name, text in rows)


def _linked(code: str, sections: dict[str, str]) -> str:
    if not _ERROR.fullmatch(code):
        return f"`{code}`"
    return f"[{code}](../errors.md#{sections[code]})"
