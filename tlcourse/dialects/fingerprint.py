"""A module as a flat text that two modules share only if they are the same, locations included.

It is made several times faster than the text that people read, and is good for keys only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Data, Operation, ParametrizedAttribute, SSAValue


def fingerprint(module: ModuleOp) -> str:
    """Everything that a module holds: ops, operands, attributes, types, names and locations."""
    return "\n".join(_Writer().op(module))


class _Writer:
    """Numbers values and blocks as they come up; writes each attribute once."""

    def __init__(self) -> None:
        self._numbers: dict[SSAValue | Block, int] = {}
        # By identity: to hash an attribute by value takes as long as to write it. The module
        # keeps all of them alive.
        self._written: dict[int, str] = {}

    def op(self, op: Operation) -> Iterator[str]:
        operands = ",".join([str(self._number(value)) for value in op.operands])
        results = ",".join([self._value(value) for value in op.results])
        yield (
            f"{op.name}({operands}){self._entries(op.properties)}{self._entries(op.attributes)}"
            f"->{results}@{self._attribute(op.location)}"
        )
        if op.successors:
            yield "to " + ",".join([str(self._number(block)) for block in op.successors])
        for region in op.regions:
            yield "{"
            for block in region.blocks:
                arguments = ",".join([self._value(value) for value in block.args])
                yield f"^{self._number(block)}({arguments})"
                for inner in block.ops:
                    yield from self.op(inner)
            yield "}"

    def _number(self, key: SSAValue | Block) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _value(self, value: SSAValue) -> str:
        return f"{self._number(value)} {value.name_hint}:{self._attribute(value.type)}"

    def _entries(self, entries: Mapping[str, Attribute]) -> str:
        return "".join([f"[{name}={self._attribute(one)}]" for name, one in entries.items()])

    def _attribute(self, attribute: Attribute) -> str:
        written = self._written.get(id(attribute))
        if written is None:
            written = self._written[id(attribute)] = self._structure(attribute)
        return written

    def _structure(self, attribute: Attribute) -> str:
        if isinstance(attribute, ParametrizedAttribute):
            inner = ",".join([self._attribute(one) for one in attribute.parameters])
            return f"{attribute.name}<{inner}>"
        assert isinstance(attribute, Data), "an attribute is one or the other"
        return f"{attribute.name}:{self._data(cast('Data[object]', attribute).data)}"

    def _data(self, data: object) -> str:
        if isinstance(data, Attribute):
            return self._attribute(data)
        if isinstance(data, tuple):
            return f"({','.join([self._data(one) for one in cast('tuple[object, ...]', data)])})"
        if isinstance(data, Mapping):
            entries = cast("Mapping[object, object]", data).items()
            return f"{{{','.join([f'{key!r}:{self._data(one)}' for key, one in entries])}}}"
        return repr(data)
