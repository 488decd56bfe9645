"""Watches a second run of a launch for the instruction that makes inf or NaN first.

Memory that nobody has written holds NaN here, so a result that such a tile has a part in is
never reported; `initialised` follows those. Constants, as the -inf of a mask, are meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from io import StringIO
from itertools import count

import torch

from tlcourse.chips import Chip
from tlcourse.diagnostics import Diagnostic, Label
from tlcourse.nonfinite import CODE, is_left_in, words, worst, worst_number
from tlcourse.records import Finding, Program
from tlcourse.simulator import wording
from tlcourse.simulator.arguments import Buffer, Launch, bind
from tlcourse.simulator.instruction import Instruction, Operand, Site
from tlcourse.simulator.loading import load
from tlcourse.simulator.machine import Machine, Observer
from tlcourse.simulator.params import Params
from tlcourse.simulator.session import Session
from tlcourse.simulator.tile import Tile

# A look at an instruction costs about 50 us: a launch is watched for a second or two at most.
_INSTRUCTIONS = 30_000


@dataclass(frozen=True, kw_only=True)
class Start:
    """What a second run needs: the buffers, with tensors that the kernel updates copied.

    `written` names the parameter of each tensor that the kernel writes, by its place.
    """

    buffers: tuple[Buffer, ...]
    written: Mapping[int, str]


def start_of(program: Program, buffers: Sequence[Buffer], launch: Launch) -> Start:
    """Remembers the buffers of a launch that is about to begin."""
    ids = {id(memory) for memory in launch.written}
    parameters = program.signature.parameters
    mine = {place for place, memory in launch.tensors.items() if id(memory) in ids}
    updated = {place for place in mine if id(launch.tensors[place]) in launch.read}
    return Start(
        buffers=_copied(buffers, updated),
        written={place: parameters[place].name for place in sorted(mine)},
    )


def first_of(
    program: Program,
    start: Start,
    buffers: Sequence[Buffer],
    symbols: Mapping[str, int],
    params: Params,
    chip: Chip,
) -> tuple[Finding, ...]:
    """The finding TL509 where outputs hold inf or NaN that an instruction made.

    Args:
        program: what ran.
        start: its buffers as they were in front of the launch.
        buffers: its buffers now.
        symbols: values of the symbols in shapes.
        params: of the launch.
        chip: the simulated chip.
    """
    bad = [name for place, name in start.written.items() if is_left_in(buffers[place])]
    if not bad:
        return ()
    launch = bind(program, _copied(start.buffers, set(start.written)), symbols)
    again = Params(checks="off", seed=params.seed, step_limit=params.step_limit)
    machine = partial(_Watched, numbers=count())
    try:
        # T.print has printed already.
        with redirect_stdout(StringIO()):
            Session(load(program), launch, again, chip, machine=machine).run()
    except _Arisen as arisen:
        return (_finding(program, arisen, bad),)
    except _GiveUp:
        pass
    return ()


def _copied(buffers: Sequence[Buffer], which: set[int]) -> tuple[Buffer, ...]:
    return tuple(
        buffer.clone() if place in which and isinstance(buffer, torch.Tensor) else buffer
        for place, buffer in enumerate(buffers)
    )


class _GiveUp(Exception):
    """The launch is too long to be watched to its end."""


class _Arisen(Exception):
    """An instruction made inf or NaN from better numbers."""

    def __init__(self, at: Instruction, kind: int, dtype: torch.dtype) -> None:
        super().__init__(kind)
        self.at, self.kind, self.dtype = at, kind, dtype


class _Watched(Machine):
    """Compares what each instruction reads with what it leaves behind.

    Args:
        numbers: counts the instructions of all machines of the launch.
    """

    def __init__(
        self,
        *,
        sites: Sequence[Site],
        observers: Sequence[Observer],
        seed: int,
        numbers: Iterator[int],
    ) -> None:
        super().__init__(sites=sites, observers=observers, seed=seed)
        self._numbers = numbers

    def _execute(self, instruction: Instruction) -> None:
        reads = max(map(_worst_operand, instruction.operands), default=0)
        super()._execute(instruction)
        if instruction.run is None or not instruction.writes:
            return
        if next(self._numbers) >= _INSTRUCTIONS:
            raise _GiveUp
        for tile in instruction.writes:
            view = tile.view()
            kind = worst(view)
            if kind > reads:
                raise _Arisen(instruction, kind, view.dtype)


def _worst_operand(operand: Operand) -> int:
    if not isinstance(operand, Tile):
        return worst_number(float(operand))
    return worst(operand.view())


def _finding(program: Program, arisen: _Arisen, outputs: Sequence[str]) -> Finding:
    at = arisen.at
    what, why, fix, text = words(arisen.kind, arisen.dtype, wording.where(at), outputs)
    span = program.spans[at.site.span] if at.site.span >= 0 else None
    return Finding(
        diagnostic=Diagnostic(
            code=CODE,
            severity="warning",
            what=what,
            labels=(Label(span=span, text=text),) if span else (),
            why=why,
            fix=fix,
        ),
        agent=at.core.name,
        pipe=at.pipe.name,
        block=at.core.block,
        iteration=at.turn,
    )
