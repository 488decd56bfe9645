"""The recording of a launch that nobody runs: what its cores would issue, without numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from tlcourse import work
from tlcourse.chips import Chip
from tlcourse.diagnostics import TLError, error
from tlcourse.records import Program
from tlcourse.simulator.arguments import Buffer, Launch, bind
from tlcourse.simulator.capacity import overfull
from tlcourse.simulator.core import StepLimitError
from tlcourse.simulator.cycles import Recording, record
from tlcourse.simulator.loading import Loaded, load
from tlcourse.simulator.params import Params
from tlcourse.simulator.session import Session
from tlcourse.simulator.stops import too_many_steps


def needs_numbers(program: Program) -> bool:
    """Whether what a kernel issues depends on values that it loads."""
    return bool(program.options["data_control"])


def record_launch(
    program: Program, buffers: Sequence[Buffer], symbols: Mapping[str, int], chip: Chip
) -> Recording:
    """Records a launch.

    Args:
        program: from `generate`, of kind `simulator`.
        buffers: as for `run`; tensors may be on the meta device where no numbers are needed.
            Nothing is written into them.
        symbols: values of the symbols.
        chip: cores of a group, sizes of L0 and L2.

    Raises:
        TLError: TL410, TL414 the grid; TL470 the kernel needs numbers; TL504 it takes too many
            steps; TL527 its buffers do not fit; what stopped the run of a kernel with numbers.
    """
    for finding in overfull(program, chip):
        raise TLError(finding.diagnostic, dict(program.sources))
    limit = work.step_limit()
    with torch.no_grad():
        if needs_numbers(program):
            return _with_numbers(program, buffers, symbols, chip, limit)
        loaded, launch = load(program), bind(program, buffers, symbols)
        return _issued(loaded, launch, chip, limit)


def _issued(loaded: Loaded, launch: Launch, chip: Chip, limit: int) -> Recording:
    program = loaded.program
    try:
        return record(loaded, launch, chip, limit)
    except StepLimitError as problem:
        found = too_many_steps(program, problem, limit).diagnostic
        raise TLError(found, dict(program.sources)) from None
    except ZeroDivisionError:
        raise _no_numbers(program, "divides by a value that it loads") from None


def _with_numbers(
    program: Program,
    buffers: Sequence[Buffer],
    symbols: Mapping[str, int],
    chip: Chip,
    limit: int,
) -> Recording:
    """Runs a kernel on copies of its tensors and keeps what it issued."""
    if any(isinstance(one, torch.Tensor) and one.is_meta for one in buffers):
        raise _no_numbers(program, "decides by values that it loads what it does next")
    copies = [one.clone() if isinstance(one, torch.Tensor) else one for one in buffers]
    params = Params(checks="off", step_limit=limit)
    session = Session(load(program), bind(program, copies, symbols), params, chip)
    for finding in session.run():
        raise TLError(finding.diagnostic, dict(program.sources))
    return session.recording()


def _no_numbers(program: Program, reason: str) -> TLError:
    return error(
        "TL470",
        f"{program.signature.kernel} cannot be profiled by shapes alone: it {reason}",
        why="which instructions it issues, and how many, depends on the numbers in its tensors",
        fix="pass tensors with numbers to kernel.profile",
        sources=program.sources,
    )
