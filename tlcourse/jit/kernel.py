"""The kernel object: what `tilelang.compile` and a `@tilelang.jit` function return."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Self

import torch
from xdsl.dialects.builtin import ModuleOp, StringAttr

from tlcourse.diagnostics import SourceMap
from tlcourse.dialects.signature import signature
from tlcourse.dialects.text import to_text
from tlcourse.jit.binding import check_names
from tlcourse.jit.compiling import Compiler
from tlcourse.jit.dtypes import SHORT_DTYPES
from tlcourse.jit.elsewhere import not_served
from tlcourse.jit.launch import Execution, Launch, run_bound
from tlcourse.jit.profiling import chip_from, profile_recording, record_program
from tlcourse.jit.rebinding import Known
from tlcourse.jit.report import report
from tlcourse.jit.settings import Settings, backend_from, checks_from, execution_from
from tlcourse.jit.supply import TensorSupplyType
from tlcourse.jit.tuning.errors import not_tuned
from tlcourse.jit.writes import unused_parameters, written_parameters
from tlcourse.language import PrimFunc
from tlcourse.live import PassMeasure, SwitchState
from tlcourse.pipeline.ignored import switch_states
from tlcourse.pipeline.instructions import Line, listing
from tlcourse.pipeline.what_if import Edit, Remove, Shrink, Swap
from tlcourse.records import Backend, Parameter, PassTrace, Program, Timeline

if TYPE_CHECKING:
    from tlcourse.blocks import BlockMap
    from tlcourse.jit.bench import Latency
    from tlcourse.jit.profiler import Profiler
    from tlcourse.simulator.cycles import Recording


class Kernel:
    """A kernel that can be called. It is compiled at the first call that needs it.

    Args:
        module: its stamped Tile IR; kept and never changed.
        sources: the texts that its locations point into.
        settings: what was decided when the kernel was made.
        prim_func: the traced function, where there is one.
        edits: changes to its executable form; see `what_if`.

    Example:
        >>> kernel = compile(vector_add, out_idx=[-1])  # doctest: +SKIP
        >>> c = kernel(a, b)  # doctest: +SKIP
    """

    def __init__(
        self,
        module: ModuleOp,
        sources: SourceMap,
        settings: Settings,
        prim_func: PrimFunc | None = None,
        edits: tuple[Edit, ...] = (),
    ) -> None:
        self.module = module
        self.sources = sources
        self.launch_signature = signature(module, sources)
        self.settings = settings
        self.prim_func = prim_func
        self.last_launch: Launch | None = None
        self._tuned: dict[str, object] = {}
        self.written = frozenset(written_parameters(module))
        self.unused = frozenset(unused_parameters(module))
        self._compiler = Compiler(
            module=module,
            signature=self.launch_signature,
            sources=sources,
            settings=settings,
            edits=edits,
        )
        self._programs: dict[tuple[Execution, Backend], Program] = {}
        self._compiling = threading.Lock()
        self._known = Known(self.launch_signature, sources, self.written, self.unused)
        self._on_chips: dict[str, Kernel] = {}

    def __call__(
        self, *tensors: object, **named: object
    ) -> torch.Tensor | list[torch.Tensor] | None:
        """Runs the kernel on npu tensors.

        Faults that stopped the run are raised; others are warnings (`FindingWarning`), and
        the numbers are returned as they are. `last_launch` keeps all of them.

        Args:
            tensors: one argument per parameter that is no output (out_idx), in order.
            named: refused, as upstream does.

        Returns:
            the output, a list of several, or None where the kernel has no out_idx.

        Raises:
            TL401 to TL413: the arguments do not fit.
            TL501 to TL530: the run stopped; see `tlcourse.jit.report.STOPPING`.
        """
        check_names(self.launch_signature, named, self.sources)
        launch = self.launch(*tensors)
        report(launch.findings, self.sources)
        outputs = launch.outputs
        return list(outputs) if len(outputs) > 1 else outputs[0] if outputs else None

    def launch(
        self,
        *tensors: object,
        execution: str | None = None,
        backend: str | None = None,
        checks: str | None = None,
        seed: int = 0,
        replay: int = -1,
        **named: object,
    ) -> Launch:
        """Runs the kernel and returns all there is to see; findings are not raised.

        Args:
            tensors: as in a call.
            execution: `simulator` or `functional`.
            backend: `embedded` or `bishengir`.
            checks: `off`, `class` or `all`.
            seed: which of the legal orders of instructions the simulator takes.
            replay: the block whose instructions `Launch.replay` and `show_replay` show.
            named: refused: tensors have no names in a launch.

        Raises:
            TL401 to TL413: the arguments do not fit.
            TL415: there is no block `replay`.
            TL424: a word for execution, backend or checks is unknown, a number is none.
        """
        check_names(self.launch_signature, named, self.sources)
        how = self.settings.checks if checks is None else checks_from(checks)
        key = self._key(execution, backend)
        # Arguments come first: a misfit is told at once, and compiling may take its time.
        bound = self._known.bind(tensors)
        program = self._program(key)
        self.last_launch = run_bound(
            program, bound, chip=self.settings.chip, checks=how, seed=seed, replay=replay
        )
        return self.last_launch

    def profile(
        self,
        *tensors: object,
        chip: str | None = None,
        cold: bool = False,
        block: int | None = None,
    ) -> Timeline:
        """How long the chip takes, pipe by pipe, without computing a number.

        Args:
            tensors: as in a call. A tensor may also be given by its shape alone, as a tuple or
                on the meta device, unless the kernel decides by numbers what it does.
            chip: name of the chip; None is the one of the settings.
            cold: L2 is empty at the start; else an equal launch ran before.
            block: the block that is shown; None shows the core group that ends last.

        Raises:
            TL401 to TL412: the arguments do not fit.
            TL425: the chip is unknown.
            TL470 to TL472: numbers are needed; there is no such block; the kernel stands still.

        Example:
            >>> kernel.profile((4096, 4096), (4096, 4096)).cycles  # doctest: +SKIP
        """
        recording = self.record(*tensors, chip=chip)
        found = self.settings.chip if chip is None else chip_from(chip)
        return profile_recording(recording, found, cold=cold, block=block)

    def record(self, *tensors: object, chip: str | None = None) -> Recording:
        """What a launch issues, to be timed with `tlcourse.simulator.cycles`; see `profile`."""
        kernel = self if chip is None else self._for_chip(chip)
        program = kernel._program(("simulator", kernel.settings.backend))
        return record_program(program, tensors, kernel.settings.chip, self.unused)

    def block_map(self, *tensors: object, chip: str | None = None) -> BlockMap:
        """Which block touches which tiles; see `tlcourse.jit.placing.block_map`."""
        from tlcourse.jit.placing import block_map

        return block_map(self, tensors, chip)

    def _for_chip(self, name: str) -> Kernel:
        """The same kernel compiled for another chip, made once."""
        if name == self.settings.chip.name:
            return self
        if name not in self._on_chips:
            settings = replace(self.settings, chip=chip_from(name))
            self._on_chips[name] = Kernel(
                self.module, self.sources, settings, self.prim_func, self._compiler.edits
            )
        return self._on_chips[name]

    def program(self, execution: str | None = None, backend: str | None = None) -> Program:
        """The compiled kernel as data; made once.

        Raises:
            TL424: a word is unknown.
        """
        return self._program(self._key(execution, backend))

    def trace(self, backend: str | None = None) -> PassTrace:
        """The IR before the first pass and after each.

        Raises:
            TL424: the backend is unknown.
        """
        return self._compiler.trace(self._backend(backend))

    def switches(self, backend: str | None = None) -> tuple[SwitchState, ...]:
        """The switches of the passes, with the values that this kernel is compiled with."""
        return switch_states(self.settings.pass_configs, self._backend(backend))

    def with_switches(self, configs: Mapping[str, object]) -> Kernel:
        """The same kernel with further `pass_configs`, which override its own.

        Raises:
            TL325, TL431: a key or a value has no meaning, as in `tilelang.compile`.
        """
        from tlcourse.jit.reconfigure import with_pass_configs

        return with_pass_configs(self, configs)

    def measure_passes(
        self, backend: str | None = None, *, numbers: bool = False
    ) -> tuple[PassMeasure, ...]:
        """Time of each embedded pass; `numbers` says whether it keeps those of one launch too."""
        from tlcourse.jit.measuring import measured_passes

        if self._backend(backend) != "embedded":
            return ()  # nobody can tell of the real compiler's
        return measured_passes(self, numbers=numbers)

    def instructions(self) -> tuple[Line, ...]:
        """What each kind of core executes, numbered, flags and barriers among it."""
        return listing(self._compiler.executable(self.settings.backend), self.sources)

    def what_if(
        self,
        *,
        remove: int | Sequence[int] = (),
        swap: tuple[int, int] | None = None,
        shrink: Mapping[str, int] | None = None,
        backend: str | None = None,
    ) -> Kernel:
        """The same kernel with a small change to its executable form, for the simulator.

        Args:
            remove: numbers of flags and barriers that go, see `instructions`.
            swap: numbers of two instructions that change places.
            shrink: buffers of the memory map and the bytes that each keeps.
            backend: the back half that compiles it and that the numbers belong to.

        Raises:
            TL340: there is no such instruction or buffer, or the change cannot be made.

        Example:
            >>> kernel.what_if(remove=7).launch(a, b).findings  # doctest: +SKIP
        """
        numbers = (remove,) if isinstance(remove, int) else tuple(remove)
        edits: list[Edit] = [Remove(numbers=numbers)] if numbers else []
        edits += [Swap(first=swap[0], second=swap[1])] if swap else []
        edits += [Shrink(buffer=name, size_bytes=size) for name, size in (shrink or {}).items()]
        settings = replace(self.settings, backend=self._backend(backend), execution="simulator")
        changed = Kernel(self.module, self.sources, settings, self.prim_func, tuple(edits))
        changed.instructions()  # a change that cannot be made is told here, not at the launch
        return changed

    def get_kernel_source(self) -> str:
        """Executable HIVM, the text that the simulator runs.

        Differs from upstream: there it is the binary.
        """
        return to_text(self._compiler.executable(self.settings.backend))

    @property
    def mlir_content(self) -> str:
        """The MLIR that code generation makes, before the AscendNPU IR passes."""
        return to_text(self._compiler.mlir())

    @property
    def kernel_name(self) -> str:
        """Name of the kernel function."""
        return self.launch_signature.kernel

    @property
    def out_idx(self) -> tuple[int, ...]:
        """Positions of the parameters that a call allocates and returns."""
        return self.launch_signature.out_idx

    @property
    def params(self) -> tuple[Parameter, ...]:
        """The parameters that the learner wrote, in order."""
        return tuple(p for p in self.launch_signature.parameters if p.kind != "symbol")

    @property
    def param_info(self) -> list[dict[str, object]]:
        """dtype, shape and is_output of each parameter; extents with symbols are texts."""
        return [
            {
                "dtype": parameter.dtype,
                "shape": [int(e) if e.isdecimal() else e for e in parameter.extents],
                "is_output": index in self.out_idx,
            }
            for index, parameter in enumerate(self.params)
        ]

    @property
    def symbolic(self) -> tuple[str, ...]:
        """Names of the symbols, in the order in which they follow the parameters."""
        return tuple(p.name for p in self.launch_signature.parameters if p.kind == "symbol")

    @property
    def gridfunc(self) -> str:
        """The grid as text, one expression per dimension."""
        return ", ".join(self.launch_signature.grid)

    @property
    def signature(self) -> dict[int, str]:
        """How each argument is passed: `*fp16` by address, `i32` by value; symbols come last."""
        return {
            index: ("*" if parameter.kind == "tensor" else "") + SHORT_DTYPES[parameter.dtype]
            for index, parameter in enumerate(self.launch_signature.parameters)
        }

    @property
    def mix_mode(self) -> str:
        """Which cores the kernel uses: `aic`, `aiv`, or `mix` for both."""
        found = [op.attributes.get("mix_mode") for op in self._compiler.mlir().walk()]
        modes = {mode.data for mode in found if isinstance(mode, StringAttr)}
        return modes.pop() if len(modes) == 1 else "mix"

    def get_profiler(
        self, tensor_supply_type: TensorSupplyType = TensorSupplyType.Auto
    ) -> Profiler:
        """What times this kernel and compares it; the type says how it fills tensors."""
        from tlcourse.jit.profiler import Profiler

        return Profiler(self, tensor_supply_type)

    def benchmark(
        self, warmup: float = 25, rep: float = 100, n_warmup: int = 0, n_repeat: int = 0
    ) -> Latency:
        """Milliseconds of one launch; see `Profiler.do_bench`."""
        return self.get_profiler().do_bench(None, warmup, rep, n_warmup, n_repeat)

    def update_tuner_result(
        self, latency: float, config: Mapping[str, object], ref_latency: float | None
    ) -> Self:
        """Notes what a tuner found out; `get_tuner_result` gives it back."""
        self._tuned = {"latency": latency, "config": dict(config), "ref_latency": ref_latency}
        return self

    def get_tuner_result(self) -> dict[str, object]:
        """The latency and ref_latency in milliseconds, and the configuration that was chosen.

        Raises:
            TL453: nobody has tuned this kernel.
        """
        if not self._tuned:
            raise not_tuned(self.kernel_name)
        return dict(self._tuned)

    @classmethod
    def from_database(cls, *args: object, **named: object) -> Self:
        """Refused: upstream loads a compiled library here, and there is none.

        Raises:
            TL460: always.
        """
        raise not_served("JitKernel_NPU.from_database")

    def __repr__(self) -> str:
        names = ", ".join(parameter.name for parameter in self.params)
        return f"<kernel {self.kernel_name}({names}), {self.launch_signature.mode}>"

    def _program(self, key: tuple[Execution, Backend]) -> Program:
        with self._compiling:
            if key not in self._programs:
                self._programs[key] = self._compiler.program(*key)
            return self._programs[key]

    def _key(self, execution: str | None, backend: str | None) -> tuple[Execution, Backend]:
        executor = self.settings.execution if execution is None else execution_from(execution)
        return executor, self._backend(backend)

    def _backend(self, word: str | None) -> Backend:
        return self.settings.backend if word is None else backend_from(word)
