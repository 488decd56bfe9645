"""Records what the kernel of a row issues: once, whatever the constants are.

A kernel whose cores stay and take one tile after another is recorded twice, with few of its
rounds and with twice as many; each further round takes what the later half took on average.
Two bounds grow that way: the time of a core that has L2 and HBM for itself, and the time in
which the chip can move the bytes of all. The larger one counts. What L2 does not hold follows
from the traffic of the whole launch.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from tlcourse.calibration.rows import Row, Stand
from tlcourse.chips import CHIPS, Chip, with_constants
from tlcourse.diagnostics import TLError, error
from tlcourse.jit import compile
from tlcourse.language import PrimFunc
from tlcourse.simulator.cycles import Recording, limits, microseconds, pipe_cycles
from tlcourse.simulator.cycles.l2 import with_misses

FEW, MORE = 4, 8
"""Rounds of the two recordings of a long launch."""
_TRIALS = 5
_BY_HAND = {"npuir.enable_auto_multi_buffer": False}


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """The recordings of one kernel.

    Args:
        stand: the kernel.
        whole: its launch, or the one with more rounds.
        few: the one with few rounds, where the launch is a long one.
    """

    stand: Stand
    whole: Recording
    few: Recording | None = None

    @property
    def effort(self) -> int:
        """Instructions to time; an ordinary launch is timed up to five times."""
        parts = [self.whole] * _TRIALS if self.few is None else [self.whole, self.few]
        return sum(len(core.works) for part in parts for s in part.streams for core in s.cores)

    def vector_us(self, values: Mapping[str, float]) -> float:
        """How long a vector core's pipe is busy, with other values of some constants."""
        chip = with_constants(CHIPS[self.stand.chip], values)
        busy = _busy_vector(self.whole, chip)
        if self.few is not None:
            further = (self.stand.rounds - MORE) / (MORE - FEW)
            busy += further * (busy - _busy_vector(self.few, chip))
        return busy / chip.clock_mhz

    def microseconds(self, values: Mapping[str, float]) -> float:
        """The time of a launch, with other values of some constants."""
        chip = with_constants(CHIPS[self.stand.chip], values)
        cold = self.stand.cold
        if self.few is None:
            return microseconds(self.whole, chip, cold=cold)
        further = (self.stand.rounds - MORE) / (MORE - FEW)
        late, early = limits(self.whole, chip, cold=cold), limits(self.few, chip, cold=cold)
        bounds = (b + further * (b - a) for a, b in zip(early, late, strict=True))
        return (chip.timing.launch_cycles[self.whole.kind] + max(bounds)) / chip.clock_mhz


class Kernels:
    """The kernels of a folder, each file loaded once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._modules: dict[str, ModuleType] = {}

    def make(self, stand: Stand, rounds: int) -> PrimFunc:
        """The kernel of a row; `rounds` above 0 makes its cores stop early.

        Raises:
            TL761: there is no such file or function.
        """
        file, name = stand.factory.split(".")
        factory = getattr(self._module(file), name, None)
        if factory is None:
            raise _no_factory(stand.factory, "the file has no such function")
        more = {"rounds": rounds} if rounds else {}
        return factory(**{**stand.parameters, **more})

    def _module(self, name: str) -> ModuleType:
        if name not in self._modules:
            path = self._folder / f"{name}.py"
            if not path.is_file():
                raise _no_factory(name, f"there is no file {path}")
            spec = importlib.util.spec_from_file_location(f"measured_{name}", path)
            assert spec is not None, "a .py file has a spec"
            assert spec.loader is not None, "and a loader"
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            self._modules[name] = module
        return self._modules[name]


def record_rows(rows: Sequence[Row], kernels: Kernels) -> Iterator[Recorded]:
    """Records the kernel of each row, equal ones once.

    Raises:
        TL761: a row's kernel is not there.
    """
    stands = {row.stand.key: row.stand for row in rows if row.stand is not None}
    for stand in stands.values():
        yield _recorded(stand, kernels)


def _busy_vector(recording: Recording, chip: Chip) -> int:
    busy = pipe_cycles(recording, chip)
    return max((cycles for lane, cycles in busy.items() if lane.endswith(".V")), default=0)


def _recorded(stand: Stand, kernels: Kernels) -> Recorded:
    if stand.rounds <= MORE:
        return Recorded(stand=stand, whole=_record(stand, kernels, 0))
    more, few = (_whole(stand, _record(stand, kernels, n), n) for n in (MORE, FEW))
    return Recorded(stand=stand, whole=more, few=few)


def _record(stand: Stand, kernels: Kernels, rounds: int) -> Recording:
    configs = _BY_HAND if stand.by_hand else None
    kernel = compile(kernels.make(stand, rounds), mode=stand.mode, pass_configs=configs)
    shapes = (tuple(map(int, p.extents)) for p in kernel.launch_signature.parameters)
    return kernel.record(*shapes, chip=stand.chip)


def _whole(stand: Stand, recording: Recording, rounds: int) -> Recording:
    """The recording with the traffic, and so the misses, of all rounds."""
    factor = stand.rounds / rounds
    uses = (
        replace(
            use,
            read_bytes=round(use.read_bytes * factor),
            written_bytes=round(use.written_bytes * factor),
        )
        for use in recording.tensors
    )
    return with_misses(replace(recording, tensors=tuple(uses)), CHIPS[stand.chip])


def _no_factory(name: str, why: str) -> TLError:
    return error(
        "TL761",
        f"there is no kernel {name} to record",
        why=why,
        fix="name a folder that holds the kernels of the table, with --kernels",
    )
