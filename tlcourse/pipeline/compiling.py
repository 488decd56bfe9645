"""Running the passes, with or without keeping what each of them left."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass

from tlcourse.bishengir import ToolError, compile_text, trace_text
from tlcourse.bishengir.bisheng_pass import RealStepPass
from tlcourse.chips import DEFAULT_CHIP, Chip
from tlcourse.codegen import check_copies, generate
from tlcourse.diagnostics import SourceMap
from tlcourse.dialects.notes import take_notes
from tlcourse.dialects.signature import function_of, mode_of, stamp
from tlcourse.dialects.text import context, from_text, to_text
from tlcourse.pipeline.exchange import run_real_with_ours, with_real_passes
from tlcourse.pipeline.failure import failure
from tlcourse.pipeline.options import PassOptions
from tlcourse.pipeline.order import TIR_PASSES, Setting, Step
from tlcourse.pipeline.trace import Recorder
from tlcourse.records import Backend, Mode, PassTrace, Phase


@dataclass(frozen=True, kw_only=True)
class Compilation:
    """What a compile made.

    Args:
        tile: Tile IR after the TIR phase.
        mlir: the result of code generation.
        executable: executable HIVM.
        trace: the text after every pass, when it was asked for.
    """

    tile: ModuleOp
    mlir: ModuleOp
    executable: ModuleOp
    trace: PassTrace | None = None


def compile_module(
    module: ModuleOp,
    sources: SourceMap,
    *,
    mode: Mode,
    backend: Backend = "embedded",
    options: PassOptions | None = None,
    chip: Chip = DEFAULT_CHIP,
    out_idx: tuple[int, ...] = (),
    target: str = "npuir",
    trace: bool = False,
) -> Compilation:
    """Compiles a Tile IR module to executable HIVM.

    Args:
        module: Tile IR as traced; never changed. If it carries a mode already, its own stamp
            counts, `pass_configs` in it included.
        sources: the texts that its locations point into.
        mode: Developer or Expert.
        backend: the passes of this package, or those of the real compiler.
        options: what the passes may do on their own.
        chip: the chip that sets capacities.
        out_idx: parameters that the kernel allocates.
        target: `npuir`.
        trace: keep the text after every pass.

    Raises:
        PassFailure: with the code of the pass's own error, or TL310 where a pass broke down.
        TL350: the real compiler is asked for and not installed.
    """
    tile = module.clone()
    if "tl.mode" not in tile.attributes:
        stamp(tile, mode=mode, target=target, out_idx=out_idx, pass_configs={})
    chosen = (options or PassOptions()).with_configs(_configs_in(tile))
    setting = Setting(mode=mode, chip=chip, options=chosen)
    name = function_of(tile).sym_name.data
    recorder = Recorder(kernel=name, mode=mode, target=target, sources=sources)
    run = _Run(sources=sources, setting=setting, recorder=recorder if trace else None)
    run.record("tir", "input", tile)
    run.passes("tir", TIR_PASSES, tile)
    mlir = run.code_generation(tile)
    executable = run.embedded(mlir) if backend == "embedded" else run.real(mlir)
    return Compilation(tile=tile, mlir=mlir, executable=executable, trace=run.trace())


def lower_tile(module: ModuleOp, sources: SourceMap, *, chip: Chip = DEFAULT_CHIP) -> ModuleOp:
    """Runs the TIR phase alone, for the functional executor.

    Args:
        module: stamped Tile IR; never changed.
        sources: the texts that its locations point into.
        chip: the chip that sets capacities.

    Raises:
        PassFailure: as `compile_module`.
    """
    tile = module.clone()
    run = _untraced(tile, sources, chip)
    run.passes("tir", TIR_PASSES, tile)
    run.check(tile)
    return tile


def lower_to_mlir(module: ModuleOp, sources: SourceMap, *, chip: Chip = DEFAULT_CHIP) -> ModuleOp:
    """Runs the TIR phase and code generation; arguments and errors as `lower_tile`."""
    tile = lower_tile(module, sources, chip=chip)
    return _untraced(tile, sources, chip).code_generation(tile)


def _untraced(tile: ModuleOp, sources: SourceMap, chip: Chip) -> _Run:
    options = PassOptions().with_configs(_configs_in(tile))
    setting = Setting(mode=mode_of(tile), chip=chip, options=options)
    return _Run(sources=sources, setting=setting, recorder=None)


def _configs_in(module: ModuleOp) -> dict[str, str]:
    configs = module.attributes.get("tl.pass_configs", DictionaryAttr({}))
    assert isinstance(configs, DictionaryAttr)
    entries = configs.data.items()
    return {key: value.data for key, value in entries if isinstance(value, StringAttr)}


@dataclass(frozen=True, kw_only=True)
class _Run:
    """One compile: runs steps, records what they leave, explains what they raise."""

    sources: SourceMap
    setting: Setting
    recorder: Recorder | None

    def passes(self, phase: Phase, steps: tuple[Step, ...], module: ModuleOp) -> None:
        start, ctx, done = module.clone(), context(), list[ModulePass]()
        for step in steps:
            if not step.runs(self.setting):
                continue
            one = step.make(self.setting)
            # A pass that fails may leave half of its work behind. A copy of the module before
            # each pass would take half of the time, so the passes before it run once more.
            with self._explained(phase, one.name, lambda: _after(start, done)):
                one.apply(ctx, module)
            done.append(one)
            notes = take_notes(module)
            real = isinstance(one, RealStepPass)
            self.record(phase, one.name, module, _options_of(one), notes, real=real)

    def check(self, tile: ModuleOp) -> None:
        """Raises what code generation would, where another executor goes on from here."""
        with self._explained("codegen", "codegen", lambda: tile):
            check_copies(tile, self.sources)

    def code_generation(self, tile: ModuleOp) -> ModuleOp:
        with self._explained("codegen", "codegen", lambda: tile):
            mlir = generate(tile, self.sources)
        self.record("codegen", "codegen", mlir)
        return mlir

    def embedded(self, mlir: ModuleOp) -> ModuleOp:
        executable = mlir.clone()
        with self._explained("npuir", "bishengir-opt", lambda: mlir):
            steps = with_real_passes(self.setting)
        self.passes("npuir", steps, executable)
        return executable

    def real(self, mlir: ModuleOp) -> ModuleOp:
        if self.setting.options.swap:
            with self._explained("npuir", "bishengir-opt", lambda: mlir):
                return run_real_with_ours(mlir, self.setting, self.sources, self._teller())
        text = to_text(mlir, locations=True)
        mode, chip_name = self.setting.mode, self.setting.chip.name
        options = self.setting.options.for_real_compiler()
        with self._explained("npuir", "bishengir-opt", lambda: mlir):
            if self.recorder is not None:
                for name, after in trace_text(
                    text, mode=mode, options=options, chip_name=chip_name, sources=self.sources
                ):
                    self.recorder.add("npuir", name, after, real=True)
            return from_text(
                compile_text(
                    text, mode=mode, options=options, chip_name=chip_name, sources=self.sources
                )
            )

    def _teller(self) -> Callable[[str, str, bool], None] | None:
        recorder = self.recorder
        if recorder is None:
            return None
        return lambda name, text, real: recorder.add("npuir", name, text, real=real)

    def record(
        self,
        phase: Phase,
        pass_name: str,
        module: ModuleOp,
        options: dict[str, str] | None = None,
        notes: tuple[str, ...] = (),
        *,
        real: bool = False,
    ) -> None:
        if self.recorder is not None:
            text = to_text(module, locations=True)
            self.recorder.add(phase, pass_name, text, options=options, notes=notes, real=real)

    def trace(self) -> PassTrace | None:
        return None if self.recorder is None else self.recorder.trace()

    @contextmanager
    def _explained(
        self, phase: Phase, pass_name: str, before: Callable[[], ModuleOp]
    ) -> Generator[None]:
        """Turns whatever is raised inside into one error that names the pass."""
        try:
            yield
        except (TimeoutError, MemoryError):  # about the surrounding program, not about the pass
            raise
        except Exception as problem:  # a pass is our code: any fault of it becomes TL310
            if isinstance(problem, ToolError):
                pass_name = problem.pass_name or pass_name
            found = failure(problem, pass_name, to_text(before(), locations=True), self.sources)
            if self.recorder is not None:
                self.recorder.add(phase, pass_name, found.ir, failed=found.diagnostic.what)
                found.trace = self.recorder.trace()
            raise found from problem


def _after(start: ModuleOp, passes: Sequence[ModulePass]) -> ModuleOp:
    """A module after passes that have run on its like before; the module itself is used up."""
    for one in passes:
        one.apply(context(), start)
        take_notes(start)
    return start


def _options_of(one: ModulePass) -> dict[str, str]:
    if isinstance(one, RealStepPass):
        return one.step.options
    return {option.name: str(getattr(one, option.name)) for option in fields(one)}
