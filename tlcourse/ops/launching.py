"""Launches a precompiled kernel on the tensors of a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.jit.binding import inputs_of
from tlcourse.jit.dtypes import TORCH_DTYPES
from tlcourse.jit.launch import launch_program
from tlcourse.jit.report import report
from tlcourse.ops import calls, hardware
from tlcourse.ops.artefact import Artefact
from tlcourse.ops.loading import Kernels, Variant
from tlcourse.ops.refusals import nothing_fits


@dataclass(frozen=True, kw_only=True)
class Launcher:
    """The kernel of an operator: called with tensors, it takes the variant that fits."""

    package: str
    folder: Path
    operator: str
    variants: tuple[Variant, ...]

    def __call__(self, *arguments: object) -> torch.Tensor | tuple[torch.Tensor, ...]:
        """Runs the kernel; tensors may lie on the CPU or on the npu.

        Returns:
            the output, or a tuple of several.

        Raises:
            TL484: no variant fits.
            TL401 to TL412: the arguments fit none exactly.
            TL501 to TL530: the run stopped.
        """
        variant = self.variant_for(arguments)
        outputs = self._launched(variant, arguments)
        if calls.is_recording():
            self._record(variant, arguments, outputs)
        return outputs if len(outputs) != 1 else outputs[0]

    def _launched(self, variant: Variant, arguments: Sequence[object]) -> tuple[torch.Tensor, ...]:
        if hardware.is_served():
            return hardware.launch(self.folder, self.operator, variant.name, arguments)
        program = variant.program
        launch = launch_program(program, arguments, chip=DEFAULT_CHIP, allow_cpu=True)
        report(launch.findings, program.sources)
        return launch.outputs

    def variant_for(self, arguments: Sequence[object]) -> Variant:
        """The first variant whose dtypes, ranks and fixed sizes are those of the arguments.

        Raises:
            TL484: there is none.
        """
        for variant in self.variants:
            if _fits(variant.artefact, arguments):
                return variant
        names = [variant.name for variant in self.variants]
        raise nothing_fits(self.operator, ", ".join(map(_shown, arguments)), names)

    def _record(
        self, variant: Variant, arguments: Sequence[object], outputs: Sequence[torch.Tensor]
    ) -> None:
        tensors = [one for one in (*arguments, *outputs) if isinstance(one, torch.Tensor)]
        call = calls.Call(
            package=self.package,
            operator=self.operator,
            variant=variant.name,
            arguments=tuple(map(_plain, arguments)),
            shapes=tuple(tuple(one.shape) for one in tensors),
            bytes=sum(one.nbytes for one in tensors),
        )
        calls.record(call)


def launcher(kernels: Kernels, operator: str, constants: Mapping[str, str]) -> Launcher:
    """The launcher of an operator, over the variants that were made with some constants.

    Raises:
        TL484: there is none.
    """
    named = [v for v in kernels.variants if v.operator == operator]
    found = [v for v in named if constants.items() <= v.artefact.constants.items()]
    if not found:
        raise nothing_fits(operator, str(constants), [v.name for v in named])
    found.sort(key=_open_sizes)
    return Launcher(
        package=kernels.package,
        folder=kernels.folder,
        operator=operator,
        variants=tuple(found),
    )


def _open_sizes(variant: Variant) -> int:
    """Symbols of a variant: one made for just these sizes goes before one for many."""
    return sum(p.kind == "symbol" for p in variant.artefact.signature.parameters)


def _fits(artefact: Artefact, arguments: Sequence[object]) -> bool:
    wanted = inputs_of(artefact.signature)
    if len(wanted) != len(arguments):
        return False
    return all(
        _fits_one(parameter.dtype, parameter.extents, argument)
        for parameter, argument in zip(wanted, arguments, strict=True)
    )


def _fits_one(dtype: str, extents: tuple[str, ...], argument: object) -> bool:
    if not isinstance(argument, torch.Tensor):
        return not extents
    if argument.dtype != TORCH_DTYPES[dtype] or argument.dim() != len(extents):
        return False
    sizes = zip(extents, argument.shape, strict=True)
    return all(not extent.isdecimal() or int(extent) == size for extent, size in sizes)


def _plain(argument: object) -> tuple[int, ...] | int | float:
    """A tensor's shape, or a number."""
    if isinstance(argument, torch.Tensor):
        return tuple(argument.shape)
    assert isinstance(argument, (int, float)), "a launch takes tensors and numbers"
    return argument


def _shown(argument: object) -> str:
    if isinstance(argument, torch.Tensor):
        return f"{str(argument.dtype).removeprefix('torch.')} {list(argument.shape)}"
    return repr(argument)
