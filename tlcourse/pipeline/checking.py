"""Does every pass keep the numbers? The IR before it and after it run on the same input."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from xdsl.dialects.builtin import ModuleOp

from tlcourse import codegen
from tlcourse.chips import DEFAULT_CHIP, Chip
from tlcourse.diagnostics import SourceMap
from tlcourse.dialects.notes import take_notes
from tlcourse.dialects.signature import mode_of, signature
from tlcourse.dialects.text import context, to_text
from tlcourse.functional.generate import generate
from tlcourse.functional.run import run
from tlcourse.pipeline.options import PassOptions
from tlcourse.pipeline.order import NPUIR_PASSES, TIR_PASSES, Setting, Step
from tlcourse.records import Signature
from tlcourse.stages.run import load
from tlcourse.tolerance import tolerance

Buffer = torch.Tensor | int | float


@dataclass(frozen=True, kw_only=True)
class PassCheck:
    """What a pass did to the numbers of one launch.

    Args:
        pass_name: upstream's name of the pass, or `codegen`.
        state: `unchanged` where the IR is, `same` where another IR gives the same numbers
            within the tolerance of each dtype, `differs` where it does not.
        worst: the largest absolute difference from the IR before; NaN where only one has one.
    """

    pass_name: str
    state: Literal["unchanged", "same", "differs"]
    worst: float = 0.0


def check_passes(
    module: ModuleOp,
    sources: SourceMap,
    buffers: Sequence[Buffer],
    symbols: Mapping[str, int] | None = None,
    *,
    options: PassOptions | None = None,
    chip: Chip = DEFAULT_CHIP,
) -> tuple[PassCheck, ...]:
    """Runs a launch before the first pass and after each.

    Args:
        module: stamped Tile IR as traced; never changed.
        sources: the texts that its locations point into.
        buffers: one entry per parameter that is no symbol: contiguous CPU tensors, which are
            not written, and numbers.
        symbols: values of the symbols.
        options: what the passes may do on their own.
        chip: the chip that sets capacities.

    Raises:
        TLError: what a pass or a run raises.
    """
    setting = Setting(mode=mode_of(module), chip=chip, options=options or PassOptions())
    launch = _Launch(
        sources=sources,
        signature=signature(module, sources),
        buffers=buffers,
        symbols=symbols or {},
        chip=chip,
    )
    tile = module.clone()
    checks = launch.after_each(TIR_PASSES, tile, setting, launch.tile_numbers)
    mlir = codegen.generate(tile, sources)
    before, after = launch.tile_numbers(tile), launch.stage_numbers(mlir)
    checks.append(compared("codegen", before, after))
    checks += launch.after_each(NPUIR_PASSES, mlir, setting, launch.stage_numbers)
    return tuple(checks)


def time_passes(
    module: ModuleOp,
    sources: SourceMap,
    *,
    options: PassOptions | None = None,
    chip: Chip = DEFAULT_CHIP,
) -> tuple[tuple[str, float], ...]:
    """Name and wall time in seconds of each pass, in the order of `check_passes`; arguments too."""
    setting = Setting(mode=mode_of(module), chip=chip, options=options or PassOptions())
    found: list[tuple[str, float]] = []

    def apply_all(steps: Sequence[Step], module: ModuleOp) -> None:
        for step in (step for step in steps if step.runs(setting)):
            one = step.make(setting)
            start = time.perf_counter()
            one.apply(context(), module)
            found.append((one.name, time.perf_counter() - start))
            take_notes(module)

    tile = module.clone()
    apply_all(TIR_PASSES, tile)
    start = time.perf_counter()
    mlir = codegen.generate(tile, sources)
    found.append(("codegen", time.perf_counter() - start))
    apply_all(NPUIR_PASSES, mlir)
    return tuple(found)


Numbers = tuple[torch.Tensor, ...]


@dataclass(frozen=True, kw_only=True)
class _Launch:
    """The launch that every stage repeats."""

    sources: SourceMap
    signature: Signature
    buffers: Sequence[Buffer]
    symbols: Mapping[str, int]
    chip: Chip

    def after_each(
        self,
        steps: Sequence[Step],
        module: ModuleOp,
        setting: Setting,
        numbers_of: Callable[[ModuleOp], Numbers],
    ) -> list[PassCheck]:
        checks: list[PassCheck] = []
        text, before = to_text(module), numbers_of(module)
        for step in (step for step in steps if step.runs(setting)):
            one = step.make(setting)
            one.apply(context(), module)
            take_notes(module)
            old, text = text, to_text(module)
            if old == text:
                checks.append(PassCheck(pass_name=one.name, state="unchanged"))
                continue
            after = numbers_of(module)
            checks.append(compared(one.name, before, after))
            before = after
        return checks

    def tile_numbers(self, tile: ModuleOp) -> Numbers:
        """What the functional executor leaves in the tensors."""
        buffers = self._fresh()
        run(generate(tile, self.sources), buffers, symbols=self.symbols)
        return _tensors(buffers)

    def stage_numbers(self, module: ModuleOp) -> Numbers:
        """What a module of the AscendNPU IR phase leaves in the tensors."""
        buffers = self._fresh()
        load(module, self.signature, self.sources, self.chip).run(buffers, self.symbols)
        return _tensors(buffers)

    def _fresh(self) -> list[Buffer]:
        return [one.clone() if isinstance(one, torch.Tensor) else one for one in self.buffers]


def _tensors(buffers: Sequence[Buffer]) -> Numbers:
    return tuple(one for one in buffers if isinstance(one, torch.Tensor))


def compared(pass_name: str, before: Numbers, after: Numbers) -> PassCheck:
    """Whether two runs gave the same numbers, within the tolerance of each dtype."""
    worst, same = 0.0, True
    for old, new in zip(before, after, strict=True):
        limit = tolerance(str(old.dtype).removeprefix("torch."))
        same &= torch.allclose(new, old, rtol=limit, atol=limit, equal_nan=True)
        if not torch.equal(old, new) and old.numel():
            worst = max(worst, float((new.double() - old.double()).abs().max()))
    return PassCheck(pass_name=pass_name, state="same" if same else "differs", worst=worst)
