"""What L2 does not hold: bytes that come from HBM or go there.

Tensors that fit L2 together are simple: cold, each byte that is read comes from HBM once;
warm, none does. Larger ones are walked: the blocks that run at the same time go through their
transfers in step, and each line of 512 bytes remembers how much had been missed when it was
last touched. L2 replaces at random, so that a line that was touched m missed bytes ago is
still there with probability exp(-m / size).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import torch

from tlcourse.chips import Chip
from tlcourse.simulator.cycles.stream import Recording, Stream, TensorUse
from tlcourse.simulator.tile import Layout

LINE_BYTES = 512
# Larger tensors are followed in coarser lines.
_MOST_LINES = 2**18
# A step of a walk moves this part of L2, so that what a block comes back to can be seen.
_STEP_PART = 8
_TURNS = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Touch:
    """One transfer: its tensor and the bytes it touches there."""

    tensor: int
    layout: Layout
    size_bytes: int
    writes: bool


Wave = Sequence[Sequence[Touch]]
"""The transfers of each core that is at work in a wave of blocks."""


def with_uses(recording: Recording) -> Recording:
    """The recording with what all blocks together move of each tensor."""
    counts = Counter(recording.class_of)
    read, written = Counter[int](), Counter[int]()
    for place, stream in enumerate(recording.streams):
        times = counts[place] // stream.slots
        for found, moved in zip((read, written), _moved(recording, stream), strict=True):
            for tensor, size in moved.items():
                found[tensor] += size * times
    uses = (
        replace(use, read_bytes=read[place], written_bytes=written[place])
        for place, use in enumerate(recording.tensors)
    )
    return replace(recording, tensors=tuple(uses))


def usable(chip: Chip) -> int:
    """Bytes of L2 that a launch finds for itself."""
    return round(chip.l2_bytes * chip.timing.l2_usable_percent / 100)


def fits(recording: Recording, chip: Chip) -> bool:
    """Whether L2 holds all that a launch touches."""
    return sum(map(_unique, recording.tensors)) <= usable(chip)


def with_misses(recording: Recording, chip: Chip) -> Recording:
    """The recording with what each tensor misses, from sizes alone.

    Cold, each byte that is read misses once; warm, what a launch as large drives out.
    """
    lost = 1.0 - kept_share(sum(map(_unique, recording.tensors)) / usable(chip))
    uses = (
        replace(
            use,
            missing_cold=min(use.size_bytes, use.read_bytes)
            + round(lost * min(use.size_bytes, use.written_bytes)),
            missing_warm=round(lost * _unique(use)),
        )
        for use in recording.tensors
    )
    return replace(recording, tensors=tuple(uses))


def with_walk(recording: Recording, chip: Chip, waves: Iterable[Wave], count: int) -> Recording:
    """The recording with what each tensor misses when some of its waves are walked.

    Args:
        recording: with its uses.
        chip: size of L2.
        waves: the first waves of blocks.
        count: how many waves there are; the others miss as the last one walked.
    """
    kept = kept_share(sum(map(_unique, recording.tensors)) / usable(chip))
    walked = list(waves)
    cold = _walk(recording.tensors, chip, walked, count, 0.0)
    warm = _walk(recording.tensors, chip, walked, count, kept)
    uses = (
        replace(use, missing_cold=cold[place], missing_warm=warm[place])
        for place, use in enumerate(recording.tensors)
    )
    return replace(recording, tensors=tuple(uses))


def kept_share(load: float) -> float:
    """Which part of a cyclic walk L2 still holds when the walk is `load` times its size.

    With random replacement a line that was met d missed bytes ago is there with probability
    exp(-d / size), and d is what the rest of the walk misses. A walk that fits stays whole.
    """
    if load <= 1.0:
        return 1.0
    kept = 0.0
    for _ in range(_TURNS):
        kept = math.exp(-(1.0 - kept) * load)
    return kept


def _unique(use: TensorUse) -> int:
    return min(use.size_bytes, use.moved_bytes)


def _moved(recording: Recording, stream: Stream) -> tuple[Counter[int], Counter[int]]:
    read, written = Counter[int](), Counter[int]()
    for core in stream.cores:
        for work in core.works:
            shape = recording.shapes[work.shape]
            if shape.tensor >= 0:
                (written if shape.writes else read)[shape.tensor] += shape.bytes
    return read, written


class _Lines:
    """The lines of one tensor: the miss clock of L2, in bytes, when each was last touched."""

    def __init__(self, use: TensorUse, size_bytes: int, start: float) -> None:
        self.bytes = LINE_BYTES
        while use.size_bytes > self.bytes * _MOST_LINES:
            self.bytes *= 2
        self._size_bytes = size_bytes
        self._count = -(-use.size_bytes // self.bytes)
        self._last = torch.full((self._count,), start, dtype=torch.float64)
        self._touched = torch.zeros(self._count, dtype=torch.bool)
        self.moved = 0

    def touch(self, touch: Touch) -> None:
        """Notes the lines of a transfer."""
        layout = touch.layout
        self.moved += touch.size_bytes
        starts = torch.tensor([layout.start_bytes])
        for count, step in layout.loops:
            starts = (starts[:, None] + torch.arange(count) * step).reshape(-1)
        first, last = starts // self.bytes, (starts + layout.run_bytes - 1) // self.bytes
        most = layout.run_bytes // self.bytes + 2
        places = torch.minimum(first[:, None] + torch.arange(most), last[:, None])
        self._touched[places.reshape(-1).clamp_(0, self._count - 1)] = True

    def settle(self, clock: float) -> float:
        """Bytes that the touched lines miss at a clock; they are in L2 from then on."""
        if not self.moved:
            return 0.0
        kept = torch.exp((self._last[self._touched] - clock) / self._size_bytes)
        missed = min(float((1.0 - kept).sum()) * self.bytes, float(self.moved))
        self.moved = 0
        return missed

    def renew(self, clock: float) -> None:
        """Sets the clock of the touched lines."""
        self._last[self._touched] = clock
        self._touched.zero_()


def _walk(
    uses: Sequence[TensorUse], chip: Chip, waves: Sequence[Wave], count: int, kept: float
) -> list[int]:
    """Bytes that each tensor misses in all waves, when L2 holds a share `kept` at the start."""
    start = usable(chip) * math.log(kept) if kept > 0 else -math.inf
    lines = [_Lines(use, usable(chip), start) for use in uses]
    clock = 0.0
    total, last = [0.0] * len(uses), [0.0] * len(uses)
    for wave in waves:
        last = [0.0] * len(uses)
        for step in _steps(wave, usable(chip) // _STEP_PART):
            for touch in step:
                lines[touch.tensor].touch(touch)
            missed = [found.settle(clock) for found in lines]
            clock += sum(missed)
            for place, found in enumerate(lines):
                found.renew(clock)
                last[place] += missed[place]
        total = [a + b for a, b in zip(total, last, strict=True)]
    rest = max(0, count - len(waves))
    return [
        min(round(a + rest * b), use.moved_bytes)
        for a, b, use in zip(total, last, uses, strict=True)
    ]


def _steps(wave: Wave, size_bytes: int) -> Iterable[list[Touch]]:
    """A wave in steps of about a size; each core goes on by an equal part of its transfers."""
    moved = sum(touch.size_bytes for touches in wave for touch in touches)
    steps = max(1, -(-moved // max(size_bytes, 1)))
    for step in range(steps):
        yield [
            touch
            for touches in wave
            for touch in touches[len(touches) * step // steps : len(touches) * (step + 1) // steps]
        ]
