"""From a stamped Tile IR module to a Program or a trace, through the cache where there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import metadata
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp

from tlcourse.config import read_config
from tlcourse.diagnostics import SourceMap, error
from tlcourse.dialects.fingerprint import fingerprint
from tlcourse.jit import cache
from tlcourse.jit.launch import Execution
from tlcourse.jit.report import warn
from tlcourse.jit.settings import Settings
from tlcourse.jit.writes import unused_parameters, written_parameters
from tlcourse.pipeline import Compilation, compile_module, lower_tile, lower_to_mlir
from tlcourse.pipeline.ignored import idle_exchanges, ignored_switches
from tlcourse.pipeline.what_if import Edit, edited
from tlcourse.records import Backend, PassTrace, Program, Signature

R = TypeVar("R", Program, PassTrace)


@dataclass(frozen=True, kw_only=True)
class Compiler:
    """Compiles one kernel.

    Args:
        module: its stamped Tile IR, before the TIR phase; never changed.
        signature: how it is launched.
        sources: the texts that its locations point into.
        settings: what was decided when the kernel was made.
        edits: changes to the executable form, which only the simulator sees.
    """

    module: ModuleOp
    signature: Signature
    sources: SourceMap
    settings: Settings
    edits: tuple[Edit, ...] = ()

    def program(self, execution: Execution, backend: Backend) -> Program:
        """The Program for an executor, from the cache or made now.

        Warns (TL326) of switches and exchanges without effect.
        """
        if execution == "simulator":
            self._warn(backend)
        return self._cached(
            Program, execution, backend, lambda: self._generated(execution, backend)
        )

    def trace(self, backend: Backend) -> PassTrace:
        """The IR after every pass, from the cache or made now; warns as `program`."""
        self._warn(backend)
        return self._cached(PassTrace, "trace", backend, lambda: self._traced(backend))

    def compilation(self, backend: Backend, *, trace: bool = False) -> Compilation:
        """Runs all passes, without looking into the cache."""
        return compile_module(
            self.module,
            self.sources,
            mode=self.signature.mode,
            backend=backend,
            chip=self.settings.chip,
            out_idx=self.signature.out_idx,
            target=self.signature.target,
            trace=trace,
        )

    def executable(self, backend: Backend) -> ModuleOp:
        """Executable HIVM with all edits, without looking into the cache."""
        compiled = self.compilation(backend).executable
        return edited(compiled, self.edits, self.sources) if self.edits else compiled

    def mlir(self) -> ModuleOp:
        """What code generation makes, without looking into the cache."""
        return lower_to_mlir(self.module, self.sources, chip=self.settings.chip)

    def _warn(self, backend: Backend) -> None:
        configs = self.settings.pass_configs
        idle = idle_exchanges(configs, self.signature.mode)
        warn((*ignored_switches(configs, backend), *idle), {})

    def _generated(self, execution: Execution, backend: Backend) -> Program:
        made = self._functional() if execution == "functional" else self._simulated(backend)
        touches = {
            "written": list(written_parameters(self.module)),
            "unused": list(unused_parameters(self.module)),
        }
        return replace(made, options=made.options | touches)

    def _functional(self) -> Program:
        from tlcourse.codegen.native import native_source
        from tlcourse.functional.generate import generate

        if self.edits:
            raise error(
                "TL340",
                "a kernel with a change runs on the simulator only",
                why="the functional executor knows neither flags nor addresses",
                fix='leave execution out, or launch with execution="simulator"',
            )
        tile = lower_tile(self.module, self.sources, chip=self.settings.chip)
        made = generate(tile, self.sources)
        return replace(made, options=made.options | {"native": native_source(tile)})

    def _simulated(self, backend: Backend) -> Program:
        from tlcourse.simulator.generate import generate

        executable = self.executable(backend)
        return generate(executable, self.signature, self.sources, self.settings.chip)

    def _traced(self, backend: Backend) -> PassTrace:
        trace = self.compilation(backend, trace=True).trace
        assert trace is not None, "a trace was asked for"
        return trace

    def _cached(self, kind: type[R], what: str, backend: Backend, make: Callable[[], R]) -> R:
        folder = self.settings.cache_folder
        if folder is None:
            return make()
        record = cache.fetch(folder, self._key(what, backend), kind, lambda: _bare(make()))
        return replace(record, sources=dict(self.sources))

    @cached_property
    def _text(self) -> str:
        return fingerprint(self.module)

    def _key(self, what: str, backend: Backend) -> str:
        return cache.key_of(
            what=what,
            tile=self._text,
            chip=self.settings.chip.name,
            backend=backend,
            compiler=_real_compiler() if backend == "bishengir" else "",
            edits=repr(self.edits) if self.edits else "",
        )


def _bare(record: R) -> R:
    """Without source texts: an edit elsewhere in a file must not make a new entry."""
    return replace(record, sources={})


def _real_compiler() -> str:
    """What tells one real compiler from another: the wheel's version, the path set by hand."""
    try:
        version = metadata.version("ascendnpu-ir")
    except metadata.PackageNotFoundError:
        version = ""
    return f"{version} {read_config().bishengir_opt}"
