"""What a launch is called with: tensors in their declared shapes, numbers, the grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import torch

from tlcourse import extents, work
from tlcourse.diagnostics import Label, TLError, error
from tlcourse.functional import numbers
from tlcourse.records import Parameter, Program

Argument = torch.Tensor | int | float


def bind(
    program: Program, buffers: Sequence[Argument], symbols: Mapping[str, int]
) -> tuple[list[Argument], dict[str, int]]:
    """The arguments of `run` in order, and the integers among them by name."""
    given = iter(buffers)
    values = dict(symbols)
    bound: list[tuple[Parameter, Argument]] = []
    for parameter in program.signature.parameters:
        symbolic = parameter.kind == "symbol"
        argument = symbols[parameter.name] if symbolic else next(given)
        bound.append((parameter, argument))
        if isinstance(argument, int):
            values[parameter.name] = argument
    return [_argument(parameter, argument, values) for parameter, argument in bound], values


def _argument(parameter: Parameter, argument: Argument, values: Mapping[str, int]) -> Argument:
    if isinstance(argument, torch.Tensor):
        shape = [extents.evaluate(extent, values) for extent in parameter.extents]
        return argument if list(argument.shape) == shape else _shared_view(argument, shape)
    return numbers.f32(argument) if parameter.dtype == "float32" else argument


def shared(arguments: Sequence[Argument]) -> list[Argument]:
    """The arguments for generated Python, each tensor as `_shared_view` gives it."""
    return [
        _shared_view(one, one.shape) if isinstance(one, torch.Tensor) else one for one in arguments
    ]


def _shared_view(tensor: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    """The same storage outside autograd: views of it are cheap, and a leaf may be written."""
    flat = torch.empty(0, dtype=tensor.dtype)
    flat.set_(tensor.untyped_storage(), tensor.storage_offset(), (tensor.numel(),), (1,))
    return flat[: prod(shape)].view(shape)


def grid_of(program: Program, values: Mapping[str, int]) -> tuple[int, ...]:
    """The extents of the grid.

    Raises:
        TLError: TL410 one of them is zero, negative or divides by zero; TL414 there are more
            blocks than a launch takes.
    """
    signature = program.signature
    text = ", ".join(signature.grid)
    try:
        grid = tuple(extents.evaluate(extent, values) for extent in signature.grid)
    except ZeroDivisionError:
        raise _no_grid(program, f"({text}) divides by zero") from None
    if min(grid) <= 0:
        raise _no_grid(program, f"({text}) is {grid}")
    work.check_blocks(grid[0], signature, program.sources)
    return grid


def _no_grid(program: Program, found: str) -> TLError:
    span = program.signature.grid_span
    return error(
        "TL410",
        f"{program.signature.kernel} has no blocks to run: the grid {found}",
        why="each extent of T.Kernel must be 1 or more for the shapes and numbers of the call",
        fix="round up with T.ceildiv(M, block_M), and do not launch for empty tensors",
        labels=(Label(span=span, text="no block for this call"),) if span else (),
        sources=program.sources,
    )
