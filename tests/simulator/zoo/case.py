"""A kernel of the zoo: how it is compiled and launched, and what there is to say about it."""

from __future__ import annotations

import inspect
import linecache
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import tilelang.language as T
import torch

from tlcourse import extents
from tlcourse.chips import DEFAULT_CHIP, Chip
from tlcourse.diagnostics import Diagnostic, SourceFile, SourceMap, Span, TLError, render_text
from tlcourse.dialects.signature import signature
from tlcourse.jit.dtypes import TORCH_DTYPES, poisoned
from tlcourse.pipeline import compile_module
from tlcourse.pipeline.options import PassOptions
from tlcourse.records import Mode, Parameter, Program
from tlcourse.simulator.generate import generate
from tlcourse.simulator.params import Checks
from tlcourse.simulator.run import SimulatorRun, run

GOLDEN = Path(__file__).parent / "golden"
SEED = 0
_LINES = re.compile(r"(?<=\bline )\d+|(?<=\blines )\d+|(?<=\d-)\d+")

Tensors = dict[str, torch.Tensor]
Numbers = Mapping[str, torch.Tensor | int | float]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One kernel of the zoo.

    Args:
        function: the text of the kernel, not read yet.
        out: names of the outputs that the launch allocates.
        sync: the compiler puts in the flags and barriers inside the cores.
        block_sync: the compiler puts in the flags between the cores.
        mode: how it is written.
        given: arguments that are not random numbers, and the values of symbols.
        wanted: what torch computes, by name; of a kernel with a fault nothing.
        bounds: what ends a tensor: its last element, or with `device` the allocator's block.
        ub_bytes: UB of the chip that it runs on, where that is not the one compiled for.
    """

    function: Callable[..., object]
    out: tuple[str, ...]
    sync: bool
    block_sync: bool
    mode: Mode
    given: Numbers
    wanted: Callable[[Tensors], Tensors] | None
    bounds: str = "tensor"
    ub_bytes: int = 0

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__

    @property
    def golden(self) -> Path:
        """The file with the text of its findings."""
        return GOLDEN / f"{self.name}.txt"

    def program(self) -> tuple[Program, SourceMap]:
        """Compiles the kernel.

        Raises:
            TLError: where the fault is found before the kernel runs.
        """
        func = T.prim_func(self.function)
        options = PassOptions(inject_sync=self.sync, inject_block_sync=self.block_sync)
        names = list(inspect.signature(self.function).parameters)
        out_idx = tuple(names.index(name) for name in self.out)
        done = compile_module(
            func.module, func.sources, mode=self.mode, options=options, out_idx=out_idx
        )
        launch = signature(done.tile, func.sources)
        return generate(done.executable, launch, func.sources, DEFAULT_CHIP), func.sources

    def launch(self, program: Program, checks: Checks = "class", seed: int = 0) -> Ran:
        """Runs the kernel on fresh arguments."""
        generator = torch.Generator().manual_seed(SEED)
        parameters = program.signature.parameters
        symbols = {p.name: int(self.given[p.name]) for p in parameters if p.kind == "symbol"}
        values = {
            p.name: self._value(p, symbols, generator) for p in parameters if p.kind != "symbol"
        }
        before = {n: v.clone() for n, v in values.items() if isinstance(v, torch.Tensor)}
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TLCOURSE_BOUNDS", self.bounds)
            ran = run(
                program,
                list(values.values()),
                symbols=symbols,
                checks=checks,
                seed=seed,
                chip=self._chip(),
            )
        after = {n: v for n, v in values.items() if isinstance(v, torch.Tensor)}
        return Ran(run=ran, before=before, after=after)

    def changed(self, *changes: tuple[str, str]) -> Case:
        """The kernel with parts of its text replaced."""
        text = inspect.getsource(self.function)
        text = text[text.index("def ") :]
        for old, new in changes:
            assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {self.name}"
            text = text.replace(old, new)
        name = f"zoo/{self.name}-changed.py"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        scope: dict[str, object] = {**self.function.__globals__}
        exec(compile(text, name, "exec", dont_inherit=True), scope)
        function = scope[self.name]
        assert callable(function)
        return replace(self, function=function)

    def text(self, checks: Checks = "class") -> str:
        """All findings as a learner reads them, the kernel's `def` being line 1."""
        try:
            program, sources = self.program()
            found = [one.diagnostic for one in self.launch(program, checks).run.findings]
        except TLError as problem:
            found, sources = [problem.diagnostic], problem.sources
        return "\n\n".join(self._drawn(one, sources) for one in found) + "\n"

    def _chip(self) -> Chip:
        if not self.ub_bytes:
            return DEFAULT_CHIP
        sizes = {**DEFAULT_CHIP.sizes_bytes, "ub": self.ub_bytes}
        return replace(DEFAULT_CHIP, sizes_bytes=sizes)

    def _value(
        self, parameter: Parameter, symbols: Mapping[str, int], generator: torch.Generator
    ) -> torch.Tensor | int | float:
        name = parameter.name
        if name in self.given:
            value = self.given[name]
            return value.clone() if isinstance(value, torch.Tensor) else value
        shape = tuple(extents.evaluate(extent, symbols) for extent in parameter.extents)
        if name in self.out:
            return poisoned(shape, parameter.dtype)
        dtype = TORCH_DTYPES[parameter.dtype]
        if dtype.is_floating_point:
            return torch.randn(shape, generator=generator).to(dtype)
        return torch.randint(-9, 10, shape, generator=generator).to(dtype)

    def _drawn(self, found: Diagnostic, sources: SourceMap) -> str:
        first = _first_line(self.function)
        labels = tuple(replace(label, span=_moved(label.span, first)) for label in found.labels)
        moved = {
            key: SourceFile(id=key, text="\n".join(one.text.splitlines()[first - 1 :]), title="zoo")
            for key, one in sources.items()
        }
        # Words name lines as well: `line 12`, `lines 12-14`.
        words = {
            part: _LINES.sub(lambda match: str(int(match[0]) - first + 1), getattr(found, part))
            for part in ("what", "why", "fix")
        }
        return render_text(replace(found, labels=labels, **words), moved)


@dataclass(frozen=True, kw_only=True)
class Ran:
    """A launch: what was found, and the tensors before and after."""

    run: SimulatorRun
    before: Tensors
    after: Tensors

    @property
    def codes(self) -> list[str]:
        """The codes of the findings."""
        return [one.diagnostic.code for one in self.run.findings]


@dataclass
class Table:
    """The cases of one group, in the order of their text."""

    cases: dict[str, Case] = field(default_factory=lambda: dict[str, Case]())

    def kernel(
        self,
        *,
        out: str = "",
        sync: bool = True,
        block_sync: bool = True,
        mode: Mode = "Expert",
        wanted: Callable[[Tensors], Tensors] | None = None,
        bounds: str = "tensor",
        ub_bytes: int = 0,
        **given: torch.Tensor | int | float,
    ) -> Callable[[Callable[..., object]], Callable[..., object]]:
        """Enters a function into the table; `given` are arguments and symbols by name."""

        def enter(function: Callable[..., object]) -> Callable[..., object]:
            case = Case(
                function=function,
                out=tuple(out.split()),
                sync=sync,
                block_sync=block_sync,
                mode=mode,
                given=given,
                wanted=wanted,
                bounds=bounds,
                ub_bytes=ub_bytes,
            )
            assert case.name not in self.cases, f"{case.name} is there twice"
            self.cases[case.name] = case
            return function

        return enter


def _moved(span: Span, first: int) -> Span:
    """A place in the text that starts at a line of the file."""
    by = first - 1
    return replace(span, line=span.line - by, end_line=span.end_line - by)


def _first_line(function: Callable[..., object]) -> int:
    """The line of `def` in the function's file."""
    lines, start = inspect.getsourcelines(function)
    return start + next(n for n, line in enumerate(lines) if line.startswith("def "))
