"""Pass cse: compute equal things once."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Hashable
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.ir import Block, Operation
from xdsl.traits import is_side_effect_free

from tlcourse.dialects.rewriting import replace
from tlcourse.passes.npuir.functions import DevicePass

Known = ChainMap[Hashable, Operation]


@dataclass(frozen=True)
class CsePass(DevicePass):
    """Common subexpression elimination: the second of two equal pure ops takes the first's result.

    ```
    %a = arith.muli %i, %c64 : i32
    %b = arith.muli %i, %c64 : i32      -->   %a = arith.muli %i, %c64 : i32
    %x = arith.addi %a, %b : i32              %x = arith.addi %a, %a : i32
    ```

    Algorithm: walk blocks from the outside in with a table of the ops seen so far; what is
    found inside a loop or branch is forgotten at its end, because it may not have run.

    Differs from upstream: ops that hold regions are never merged.
    """

    name = "cse"

    def run(self, function: func.FuncOp) -> None:
        _merge(function.body.block, ChainMap())


def _merge(block: Block, known: Known) -> None:
    for op in list(block.ops):
        for region in op.regions:
            for inner in region.blocks:
                _merge(inner, known.new_child())
        if op.regions or not op.results or not is_side_effect_free(op):
            continue
        key = _key(op)
        first = known.get(key)
        if first is None:
            known[key] = op
        else:
            replace(op, [], list(first.results))


def _key(op: Operation) -> Hashable:
    return (
        op.name,
        tuple(op.operands),
        tuple(result.type for result in op.results),
        frozenset(op.properties.items()),
        frozenset(op.attributes.items()),
    )
