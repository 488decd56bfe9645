"""Reads data that somebody else wrote into records, and takes nothing that has another type."""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

R = TypeVar("R")


def read(kind: type[R], data: object, where: str = "it") -> R:
    """The record of `kind` that plain data describe.

    Args:
        kind: a dataclass of words, numbers, tuples, dictionaries and further dataclasses.
        data: what a JSON or TOML reader gave.
        where: how a message calls the data.

    Raises:
        ValueError: a key is missing or unknown, or a value has another type.
    """
    return cast(R, _value(kind, data, where))


def _value(kind: Any, data: object, where: str) -> object:
    origin, arguments = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _record(cast(type[Any], kind), data, where)
    if origin is tuple:
        return _tuple(arguments[0], data, where)
    if origin is dict:
        return _dict(arguments[1], data, where)
    if origin is Literal:
        if data not in arguments:
            raise ValueError(f"{where} is one of {', '.join(map(str, arguments))}, not {data!r}")
        return data
    if origin in (Union, types.UnionType):
        inner = next(argument for argument in arguments if argument is not types.NoneType)
        return None if data is None else _value(inner, data, where)
    if type(data) is not kind:
        raise ValueError(f"{where} is of type {kind.__name__}, not {type(data).__name__}")
    return data


def _tuple(kind: Any, data: object, where: str) -> tuple[object, ...]:
    if not isinstance(data, (list, tuple)):
        raise ValueError(f"{where} is a list")
    items = cast(Sequence[object], data)
    return tuple(_value(kind, item, f"{where}[{index}]") for index, item in enumerate(items))


def _dict(kind: Any, data: object, where: str) -> dict[str, object]:
    table = _table(data, where)
    return {name: _value(kind, value, f"{where}.{name}") for name, value in table.items()}


def _record(kind: type[R], data: object, where: str) -> R:
    table = _table(data, where)
    known = {field.name: field for field in fields(cast(Any, kind))}
    unknown = sorted(table.keys() - known.keys() - {"schema"})
    if unknown:
        raise ValueError(f"{where} has unknown keys: {', '.join(unknown)}")
    required = [
        name
        for name, field in known.items()
        if field.default is MISSING and field.default_factory is MISSING and name not in table
    ]
    if required:
        raise ValueError(f"{where} lacks {', '.join(required)}")
    hints = _hints(kind)
    given = [name for name in known if name in table]
    values = {name: _value(hints[name], table[name], f"{where}.{name}") for name in given}
    return kind(**values)


def _table(data: object, where: str) -> dict[str, object]:
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in cast(Any, data)):
        raise ValueError(f"{where} is a table")
    return cast(dict[str, object], data)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
