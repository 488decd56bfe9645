"""What is seen in a kernel before it runs: answers written into it, outputs without inputs.

Both rules only ever let too much pass: what an op might write counts as written, so no right
kernel is refused for how it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import IsTerminator

from tlcourse.diagnostics import error
from tlcourse.dialects import tl
from tlcourse.dialects.signature import function_of
from tlcourse.grading.spec import Spec
from tlcourse.lint.later import writes

MOST_FLOATS = 64
MOST_INTEGERS = 2048
"""Different constants that a kernel may hold; those of unrolled loops are offsets."""


def check_constants(module: ModuleOp) -> None:
    """Refuses a kernel that brings a table of numbers along.

    Raises:
        TL641: it does.
    """
    floats: set[float] = set()
    integers: set[int] = set()
    for op in module.walk():
        if not isinstance(op, arith.ConstantOp):
            continue
        if isinstance(op.value, FloatAttr):
            floats.add(op.value.value.data)
        elif isinstance(op.value, IntegerAttr):
            integers.add(op.value.value.data)
        elif isinstance(op.value, DenseIntOrFPElementsAttr):
            floats.update(_numbers(op.value))
    for kind, found, most in (
        ("fractions", floats, MOST_FLOATS),
        ("integers", integers, MOST_INTEGERS),
    ):
        if len(found) > most:
            raise error(
                "TL641",
                f"the kernel holds {len(found):,} different {kind}",
                why=f"a kernel may hold {most:,}: more is a table of answers, not a computation",
                fix="compute the values on the chip, or load them from the tensors of the task",
            )


def _numbers(table: DenseIntOrFPElementsAttr) -> Iterator[float]:
    for value in table.get_values():
        yield from value if isinstance(value, tuple) else (float(value),)


def untouched_outputs(module: ModuleOp, spec: Spec) -> dict[str, tuple[str, ...]]:
    """For each output the inputs that its reference needs and that cannot reach it."""
    arguments = function_of(module).body.block.args
    parameters = dict(zip([p.name for p in spec.parameters], arguments, strict=False))
    given = [p.name for p in spec.parameters if p.role != "out"]
    reached = {name: _reached(module, parameters[name]) for name in given if name in parameters}
    lost: dict[str, tuple[str, ...]] = {}
    for output in spec.outputs:
        needed = [name for name in given if re.search(rf"\b{name}\b", output.reference)]
        missing = [n for n in needed if parameters.get(output.name) not in reached.get(n, ())]
        if missing:
            lost[output.name] = tuple(missing)
    return lost


def reads_nothing(spec: Spec, lost: dict[str, tuple[str, ...]]) -> str:
    """The first output that none of the inputs of its reference can reach; empty where none."""
    given = {p.name for p in spec.parameters if p.role != "out"}
    for output in spec.outputs:
        needed = {name for name in given if re.search(rf"\b{name}\b", output.reference)}
        if needed and needed == set(lost.get(output.name, ())):
            return output.name
    return ""


def _reached(module: ModuleOp, start: SSAValue) -> set[SSAValue]:
    """Every value and buffer that a parameter may have a part in, in whatever order ops run."""
    found: set[SSAValue] = {start}
    while True:
        before = len(found)
        for op in module.walk():
            if any(_root(operand) in found for operand in _read(op)):
                found.update(map(_root, _changed(op)))
        if len(found) == before:
            return found


def _read(op: Operation) -> Sequence[SSAValue]:
    """What an op uses: all but what it only writes."""
    if isinstance(op, tl.TileOp):
        return op.operands if op.reads_destination() else list(op.sources)
    written = writes(op)
    return [operand for operand in op.operands if not any(operand is one for one in written)]


def _changed(op: Operation) -> Iterator[SSAValue]:
    """What an op writes or defines; for one with a body, all that happens in it."""
    yield from op.results
    yield from writes(op)
    for region in op.regions:
        for block in region.blocks:
            yield from _in_block(block)
    parent = op.parent_op()
    if parent is not None and op.has_trait(IsTerminator):
        yield from parent.results
        blocks = (block for region in parent.regions for block in region.blocks)
        yield from (argument for block in blocks for argument in block.args)


def _in_block(block: Block) -> Iterator[SSAValue]:
    yield from block.args
    for op in block.ops:
        yield from _changed(op)


def _root(value: SSAValue) -> SSAValue:
    while not isinstance(value, BlockArgument) and isinstance(value.owner, tl.RegionOp):
        value = value.owner.buffer
    return value
