"""Whether a module is all ours: typed when read, and read back by the real compiler the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    ModuleOp,
    UnregisteredAttr,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute

from tlcourse.bishengir.recipe import DEFAULT_TIMEOUT_S
from tlcourse.bishengir.run import run_tool
from tlcourse.dialects.text import from_text, to_text

# dlti: xDSL's own reads a newer syntax than the tool prints. The other two occur in upstream's
# older kernels alone, whose ops the real pipeline passes through as they are.
_FOREIGN = ("dlti.", "linalg.", "hfusion.")


@dataclass(frozen=True, kw_only=True)
class ReadBack:
    """What came of reading, printing and reading again.

    Args:
        unknown: names of ops and attributes that no dialect of ours defines.
        pretty: whether the tool reads our readable text as the module that it wrote.
        generic: the same for our generic text.
    """

    unknown: tuple[str, ...]
    pretty: bool
    generic: bool

    @property
    def passed(self) -> bool:
        """Whether all is as it should be."""
        return not self.unknown and self.pretty and self.generic


def read_back(text: str, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> ReadBack:
    """Reads a module, prints it in both forms and lets the real compiler read each.

    Args:
        text: a module that `bishengir-opt` accepts.
        timeout_s: seconds for each of the three runs.

    Raises:
        TL350 to TL353: the tool is missing, or refuses a text.
        ParseError: xDSL's own, where we cannot read the module.
    """
    module = from_text(text)
    module.verify()
    wanted = _told(text, timeout_s)
    return ReadBack(
        unknown=unknown_names(module),
        pretty=_told(to_text(module), timeout_s) == wanted,
        generic=_told(to_text(module, generic=True), timeout_s) == wanted,
    )


def unknown_names(module: ModuleOp) -> tuple[str, ...]:
    """Ops and attributes that xDSL keeps as text because no dialect of ours defines them."""
    names = {name for op in module.walk() for name in _names(op)}
    return tuple(sorted(name for name in names if not name.startswith(_FOREIGN)))


def _told(text: str, timeout_s: float) -> str:
    """The module as the tool prints it, without places. Its readable form leaves defaults out."""
    return run_tool([], text, timeout_s=timeout_s, places=False).stdout


def _names(op: Operation) -> Iterator[str]:
    if isinstance(op, UnregisteredOp):
        yield op.op_name.data
    arguments = [value for region in op.regions for block in region.blocks for value in block.args]
    types = [value.type for value in (*op.results, *arguments)]
    for attribute in (*op.attributes.values(), *op.properties.values(), *types):
        yield from _names_in(attribute)


def _names_in(attribute: Attribute) -> Iterator[str]:
    if isinstance(attribute, UnregisteredAttr):
        yield attribute.attr_name.data
        return
    parts: Sequence[Attribute] = ()
    if isinstance(attribute, DictionaryAttr):
        parts = tuple(attribute.data.values())
    elif isinstance(attribute, ArrayAttr):
        parts = tuple(cast("ArrayAttr[Attribute]", attribute).data)
    elif isinstance(attribute, ParametrizedAttribute):
        parts = tuple(attribute.parameters)
    for part in parts:
        yield from _names_in(part)
