"""Elements of outputs that no block wrote."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from tlcourse.diagnostics import Diagnostic, Label
from tlcourse.records import Finding, Program
from tlcourse.simulator.arguments import Launch
from tlcourse.simulator.owners import Owners

_HALVES = "; where two vector cores share the rows of a block, one takes what is left over"


def unwritten_outputs(program: Program, launch: Launch, owners: Owners) -> list[Finding]:
    """TL528 for each output of `out_idx` with elements that still hold poison."""
    found: list[Finding] = []
    for place in program.signature.out_idx:
        if place not in launch.tensors:
            continue
        missing = owners.unwritten(launch.tensors[place])
        if missing.numel():
            first = _index(int(missing[0]), launch.shapes[place])
            found.append(_finding(program, place, missing.numel(), first, launch.shapes[place]))
    return found


def _finding(program: Program, place: int, count: int, first: str, shape: Sequence[int]) -> Finding:
    parameter = program.signature.parameters[place]
    name, span = parameter.name, parameter.span
    return Finding(
        diagnostic=Diagnostic(
            code="TL528",
            what=f"{count:,} of {prod(shape):,} elements of the output {name} were never written, "
            f"the first one is {name}[{first}]",
            labels=(Label(span=span, text="this output keeps holes"),) if span else (),
            why="the blocks of the grid together do not cover the output; the launch allocates "
            "it without clearing it",
            fix="let the grid and the loops reach every tile, rounding up with T.ceildiv"
            + (_HALVES if len(program.agents) > 1 else ""),
        ),
        agent="",
        block=0,
        count=1,
    )


def _index(flat: int, shape: Sequence[int]) -> str:
    places: list[int] = []
    for extent in reversed(shape):
        places.append(flat % extent)
        flat //= extent
    return ", ".join(map(str, reversed(places)))
