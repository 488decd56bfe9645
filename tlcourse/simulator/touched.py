"""What each block of a launch touches in GM, seen from what it issues; nothing is computed."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

import torch

from tlcourse import work
from tlcourse.blocks import BlockMap, Box, DrawnTensor, Slots
from tlcourse.chips import CHIPS, Chip
from tlcourse.diagnostics import TLError
from tlcourse.records import Program
from tlcourse.simulator.arguments import Buffer, Launch, bind
from tlcourse.simulator.capacity import overfull
from tlcourse.simulator.core import StepLimitError
from tlcourse.simulator.cycles.l2 import Touch
from tlcourse.simulator.cycles.recording import gm_memories, touched
from tlcourse.simulator.cycles.waves import slots_of
from tlcourse.simulator.loading import Loaded, load
from tlcourse.simulator.memory import Memory
from tlcourse.simulator.recorded import needs_numbers

MOST_BLOCKS = 256
"""Blocks whose tiles are looked at: a picture of more cannot be read."""
MOST_BOXES = 24
"""Tiles of one tensor that a block touches; of more, only what they cover together is kept."""
_MOST_STEPS = 4_000_000


def block_map(
    program: Program, buffers: Sequence[Buffer], symbols: Mapping[str, int], chip: Chip
) -> BlockMap:
    """The blocks of a launch, how many run at a time, and the tiles that each touches.

    Args:
        program: from `generate`, of kind `simulator`.
        buffers: as for `run`; tensors may be on the meta device.
        symbols: values of the symbols.
        chip: the simulated chip.

    A kernel that decides by the numbers in its tensors has no tiles in the map.

    Raises:
        TLError: TL410, TL414 the grid; TL527 its buffers do not fit.
    """
    for finding in overfull(program, chip):
        raise TLError(finding.diagnostic, dict(program.sources))
    with torch.no_grad():
        loaded, launch = load(program), bind(program, buffers, symbols)
        boxes = () if needs_numbers(program) else tuple(_boxes(loaded, launch, chip))
    return BlockMap(
        kernel=program.signature.kernel,
        kind=loaded.kind,
        blocks=launch.blocks,
        chips=_chips(chip, loaded.kind),
        tensors=tuple(_drawn(program, launch)),
        boxes=boxes,
    )


def _chips(chip: Chip, kind: str) -> tuple[Slots, ...]:
    """The launch's chip first, then one for each other number of slots."""
    found: dict[int, Slots] = {}
    for one in (chip, *CHIPS.values()):
        count = slots_of(one, kind)
        found.setdefault(count, Slots(chip=one.name, count=count))
    return tuple(found.values())


def _drawn(program: Program, launch: Launch) -> Iterable[DrawnTensor]:
    for place in launch.tensors:
        parameter = program.signature.parameters[place]
        yield DrawnTensor(
            name=parameter.name, shape=tuple(launch.shapes[place]), dtype=parameter.dtype
        )


def _boxes(loaded: Loaded, launch: Launch, chip: Chip) -> Iterable[tuple[Box, ...]]:
    memories = gm_memories(launch)[: len(launch.tensors)]  # the compiler's workspace comes last
    tensors = list(_drawn(loaded.program, launch))
    limit = min(_MOST_STEPS, work.step_limit())
    try:
        for touches in itertools.islice(touched(loaded, launch, chip, limit), MOST_BLOCKS):
            yield _of_block(touches, memories, tensors)
    except StepLimitError:
        return  # the blocks so far are drawn


def _of_block(
    touches: Sequence[Touch], memories: Sequence[Memory], tensors: Sequence[DrawnTensor]
) -> tuple[Box, ...]:
    """The different tiles of a block in program order."""
    found: dict[tuple[int, bool], dict[Box, None]] = {}
    for touch in touches:
        if touch.tensor < len(tensors):
            unit = memories[touch.tensor].unit_bytes
            box = _box(touch, unit, tensors[touch.tensor].columns)
            found.setdefault((touch.tensor, touch.writes), {})[box] = None
    return tuple(box for boxes in found.values() for box in _few(list(boxes)))


def _box(touch: Touch, unit: int, columns: int) -> Box:
    """From the first element of a tile to its last; rows that go round an end are whole."""
    layout = touch.layout
    first = layout.start_bytes // unit
    steps = sum((count - 1) * step for count, step in layout.loops)
    last = (layout.start_bytes + steps + layout.run_bytes - 1) // unit
    (top, left), (bottom, right) = divmod(first, columns), divmod(last, columns)
    if right < left:
        left, right = 0, columns - 1
    return Box(tensor=touch.tensor, writes=touch.writes, rows=(top, bottom), columns=(left, right))


def _few(boxes: list[Box]) -> list[Box]:
    if len(boxes) <= MOST_BOXES:
        return boxes
    rows = min(box.rows[0] for box in boxes), max(box.rows[1] for box in boxes)
    columns = min(box.columns[0] for box in boxes), max(box.columns[1] for box in boxes)
    first = boxes[0]
    return [Box(tensor=first.tensor, writes=first.writes, rows=rows, columns=columns)]
