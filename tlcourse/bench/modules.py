"""Modules as code generation hands them to the compiler, from files: both back halves on each.

A file holds one kernel and nothing about its launch, so that is read off the kernel: tensors
have the extents at which the kernel first looks at them, the outputs are what one block
changes, and there are as many blocks as it takes to fill the first output.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

import torch
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp, TensorType

from tlcourse.bench.back_halves import PEAK_LIMIT, close, peak_ratios
from tlcourse.bishengir import compile_text
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects.dtypes import dtype_of
from tlcourse.dialects.notes import take_notes
from tlcourse.dialects.text import context, from_text, to_text
from tlcourse.passes.npuir.buffers import kind_of, memref_kind
from tlcourse.pipeline import NPUIR_PASSES, PassOptions, Setting
from tlcourse.pipeline.figures import Figures, figures
from tlcourse.records import Backend, Mode, Parameter, Signature
from tlcourse.simulator.generate import generate
from tlcourse.simulator.run import run
from tlcourse.stages.run import load

SEED = 0
# Small enough for exp of a sum of 512 products to stay within float16.
SCALE = 0.25
# The addresses of flags, lock and workspace stand before a kernel's own parameters.
_FIRST = 3

Tensors = tuple[torch.Tensor, ...]


@dataclass(frozen=True, kw_only=True)
class Module:
    """One kernel in a file.

    Args:
        name: the file's, without its ending.
        text: what is in it.
        mode: Developer where it computes on tensors.
        signature: how it is launched.
    """

    name: str
    text: str
    mode: Mode
    signature: Signature

    def inputs(self) -> Tensors:
        """All tensors of a launch, the same on every call; outputs hold NaN."""
        generator = torch.Generator().manual_seed(SEED)
        drawn = [_drawn(one, generator) for one in self.signature.parameters]
        for place in self.signature.out_idx:
            drawn[place].fill_(float("nan"))
        return tuple(drawn)


@dataclass(frozen=True, kw_only=True)
class Half:
    """One module through one back half.

    Args:
        figures: its executable form, counted.
        cycles: simulated time of the launch.
        findings: codes of what the simulator found, with all its checks on.
        tensors: all tensors after the launch.
    """

    figures: Figures
    cycles: int
    findings: tuple[str, ...]
    tensors: Tensors


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One module through both back halves, and what it means by itself.

    Args:
        module: the module.
        embedded: through the embedded passes.
        real: through the real compiler.
        meant: all tensors after the module itself has run, before any pass.
    """

    module: Module
    embedded: Half
    real: Half
    meant: Tensors

    @property
    def same_numbers(self) -> bool:
        """Whether both back halves give the module's numbers."""
        ours, real = self.embedded.tensors, self.real.tensors
        return all(map(close, ours, self.meant)) and all(map(close, real, self.meant))

    @property
    def passed(self) -> bool:
        """Same numbers, no finding, and no memory beyond the limit."""
        clean = not self.embedded.findings and not self.real.findings
        ratios = peak_ratios(self.embedded.figures, self.real.figures)
        return self.same_numbers and clean and max(ratios.values()) <= PEAK_LIMIT


def modules_in(folder: Path) -> list[Module]:
    """The kernels in the `.mlir` files of a folder, by name."""
    return [read(path) for path in sorted(folder.glob("*.mlir"))]


def read(path: Path) -> Module:
    """A kernel from its file, and how it is launched."""
    text = path.read_text(encoding="utf-8")
    module = from_text(text)
    on_tensors = any(isinstance(r.type, TensorType) for op in module.walk() for r in op.results)
    mode: Mode = "Developer" if on_tensors else "Expert"
    functions = [op for op in module.body.block.ops if isinstance(op, func.FuncOp)]
    launch = Signature(
        kernel=functions[0].sym_name.data,
        mode=mode,
        target="npuir",
        parameters=tuple(_parameters(functions)),
        grid=("1",),
    )
    kernel = Module(name=path.stem, text=text, mode=mode, signature=launch)
    return replace(kernel, signature=_with_grid(kernel))


def compare(module: Module) -> Pair:
    """Compiles a module with both back halves and runs both on the simulator.

    Raises:
        TL350: the real compiler is not on this machine.
    """
    meant = module.inputs()
    load(from_text(module.text), module.signature, {}).run(meant)
    return Pair(
        module=module,
        embedded=run_half(module, "embedded"),
        real=run_half(module, "bishengir"),
        meant=meant,
    )


def run_half(module: Module, backend: Backend) -> Half:
    """Compiles a module with one back half and runs it with all checks."""
    executable = _executable(module, backend)
    program = generate(executable, module.signature, {}, DEFAULT_CHIP)
    tensors = module.inputs()
    ran = run(program, tensors, symbols={}, checks="all", chip=DEFAULT_CHIP)
    return Half(
        figures=figures(to_text(executable)),
        cycles=ran.timeline.cycles,
        findings=tuple(finding.diagnostic.code for finding in ran.findings),
        tensors=tensors,
    )


def _executable(module: Module, backend: Backend) -> ModuleOp:
    if backend == "bishengir":
        return from_text(compile_text(module.text, mode=module.mode))
    ours = from_text(module.text)
    setting = Setting(mode=module.mode, chip=DEFAULT_CHIP, options=PassOptions())
    for step in NPUIR_PASSES:
        if step.runs(setting):
            step.make(setting).apply(context(), ours)
            take_notes(ours)
    return ours


def _parameters(functions: Sequence[func.FuncOp]) -> Iterator[Parameter]:
    for place, argument in list(enumerate(functions[0].body.block.args))[_FIRST:]:
        kind = memref_kind(argument)
        if kind is not None:
            extents = tuple(str(extent) for extent in _extents(functions, place))
            dtype = dtype_of(kind.element_type).name
            name = argument.name_hint or f"t{place}"
            yield Parameter(name=name, dtype=dtype, kind="tensor", extents=extents)


def _extents(functions: Sequence[func.FuncOp], place: int) -> Sequence[int]:
    """The extents at which a kernel, or its half for the other core, looks at a tensor."""
    for function in functions:
        for use in function.body.block.args[place].uses:
            if isinstance(use.operation, memref.ReinterpretCastOp):
                return kind_of(use.operation.result).get_shape()
    return (1,)


def _drawn(parameter: Parameter, generator: torch.Generator) -> torch.Tensor:
    shape = [int(extent) for extent in parameter.extents]
    dtype = getattr(torch, parameter.dtype)
    return (torch.randn(shape, generator=generator) * SCALE).to(dtype)


def _with_grid(kernel: Module) -> Signature:
    """The launch with as many blocks as fill the first output, by what one block changes."""
    before, after = kernel.inputs(), kernel.inputs()
    load(from_text(kernel.text), kernel.signature, {}).run(after)
    changed = [old != new for old, new in zip(before, after, strict=True)]
    outputs = tuple(place for place, part in enumerate(changed) if part.any())
    first = changed[outputs[0]]
    blocks = prod(-(-whole // part) for whole, part in zip(first.shape, _box(first), strict=True))
    return replace(kernel.signature, out_idx=outputs, grid=(str(blocks),))


def _box(changed: torch.Tensor) -> list[int]:
    """The extents of the smallest box around what has changed."""
    places = changed.nonzero()
    return [int(extent) for extent in places.amax(dim=0) - places.amin(dim=0) + 1]
