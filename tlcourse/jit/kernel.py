"""The kernel object: what `tilelang.compile` and a `@tilelang.jit` function return."""

from __future__ import annotations

import threading

import torch
from xdsl.dialects.builtin import ModuleOp

from tlcourse.diagnostics import SourceMap
from tlcourse.dialects.signature import signature
from tlcourse.dialects.text import to_text
from tlcourse.jit.binding import bind
from tlcourse.jit.compiling import Compiler
from tlcourse.jit.launch import Execution, Launch, run_bound
from tlcourse.jit.report import report
from tlcourse.jit.settings import Settings, backend_from, checks_from, execution_from
from tlcourse.jit.writes import written_parameters
from tlcourse.language import PrimFunc
from tlcourse.records import Backend, Parameter, PassTrace, Program


class Kernel:
    """A kernel that can be called. It is compiled at the first call that needs it.

    Args:
        module: its stamped Tile IR; kept and never changed.
        sources: the texts that its locations point into.
        settings: what was decided when the kernel was made.
        prim_func: the traced function, where there is one.

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
    ) -> None:
        self.module = module
        self.sources = sources
        self.signature = signature(module, sources)
        self.settings = settings
        self.prim_func = prim_func
        self.last_launch: Launch | None = None
        self._written = frozenset(written_parameters(module))
        self._compiler = Compiler(
            module=module, signature=self.signature, sources=sources, settings=settings
        )
        self._programs: dict[tuple[Execution, Backend], Program] = {}
        self._compiling = threading.Lock()

    def __call__(self, *tensors: object) -> torch.Tensor | list[torch.Tensor] | None:
        """Runs the kernel on npu tensors.

        Faults that stopped the run are raised; others are warnings (`FindingWarning`), and
        the numbers are returned as they are. `last_launch` keeps all of them.

        Args:
            tensors: one argument per parameter that is no output (out_idx), in order.

        Returns:
            the output, a list of several, or None where the kernel has no out_idx.

        Raises:
            TL401 to TL412: the arguments do not fit.
            TL501 to TL530: the run stopped; see `tlcourse.jit.report.STOPPING`.
        """
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
    ) -> Launch:
        """Runs the kernel and returns all there is to see; findings are not raised.

        Args:
            tensors: as in a call.
            execution: `simulator` or `functional`.
            backend: `embedded` or `bishengir`.
            checks: `off`, `class` or `all`.
            seed: which of the legal orders of instructions the simulator takes.

        Raises:
            TL401 to TL412: the arguments do not fit.
            TL424: a word for execution, backend or checks is unknown.
        """
        how = self.settings.checks if checks is None else checks_from(checks)
        key = self._key(execution, backend)
        # Arguments come first: a misfit is told at once, and compiling may take its time.
        bound = bind(self.signature, tensors, self.sources, written=self._written)
        program = self._program(key)
        self.last_launch = run_bound(program, bound, chip=self.settings.chip, checks=how, seed=seed)
        return self.last_launch

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

    def get_kernel_source(self) -> str:
        """Executable HIVM, the text that the simulator runs.

        Differs from upstream: there it is the binary.
        """
        return to_text(self._compiler.compilation(self.settings.backend).executable)

    @property
    def mlir_content(self) -> str:
        """The MLIR that code generation makes, before the AscendNPU IR passes."""
        return to_text(self._compiler.mlir())

    @property
    def kernel_name(self) -> str:
        """Name of the kernel function."""
        return self.signature.kernel

    @property
    def out_idx(self) -> tuple[int, ...]:
        """Positions of the parameters that a call allocates and returns."""
        return self.signature.out_idx

    @property
    def params(self) -> tuple[Parameter, ...]:
        """The parameters that the learner wrote, in order."""
        return tuple(p for p in self.signature.parameters if p.kind != "symbol")

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
        return tuple(p.name for p in self.signature.parameters if p.kind == "symbol")

    @property
    def gridfunc(self) -> str:
        """The grid as text, one expression per dimension."""
        return ", ".join(self.signature.grid)

    @property
    def mix_mode(self) -> str:
        """Which cores the kernel uses: `aic`, `aiv`, or `mix` for both."""
        kinds = {code.agent for code in self.program("simulator").agents}
        return "mix" if len(kinds) == 2 else "aic" if kinds == {"cube"} else "aiv"

    def __repr__(self) -> str:
        names = ", ".join(parameter.name for parameter in self.params)
        return f"<kernel {self.kernel_name}({names}), {self.signature.mode}>"

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
