"""`kernel.block_map`: which block runs where, and which tiles of the tensors it touches."""

from __future__ import annotations

from collections.abc import Sequence

from tlcourse.blocks import BlockMap
from tlcourse.diagnostics import error
from tlcourse.jit.binding import bind, inputs_of
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.profiling import chip_from
from tlcourse.simulator.touched import block_map as map_of


def block_map(kernel: Kernel, arguments: Sequence[object], chip: str | None = None) -> BlockMap:
    """The blocks of a launch; nothing is computed.

    Args:
        kernel: the kernel.
        arguments: as for `kernel.profile`; none takes the shapes that the kernel declares.
        chip: name of the chip; None is the one of the settings.

    Raises:
        TL401 to TL412: the arguments do not fit.
        TL425: the chip is unknown.
        TL473: no argument is given, and the kernel declares a size that only a launch knows.
    """
    found = kernel.settings.chip if chip is None else chip_from(chip)
    program = kernel.program("simulator")
    bound = bind(
        program.signature,
        arguments or _declared(kernel),
        program.sources,
        unused=kernel.unused,
        allow_cpu=True,
        shapes_only=True,
    )
    return map_of(program, bound.buffers, bound.symbols, found)


def _declared(kernel: Kernel) -> list[object]:
    """The shapes of the inputs, where the kernel says all of them."""
    shapes: list[object] = []
    for parameter in inputs_of(kernel.launch_signature):
        if parameter.kind != "tensor" or not all(map(str.isdecimal, parameter.extents)):
            raise error(
                "TL473",
                f"{kernel.kernel_name} has to be told how large {parameter.name} is",
                why="its size or value is known at a launch only",
                fix="give one shape or number for each argument: kernel.block_map((4096, 64), 3)",
                sources=kernel.sources,
            )
        shapes.append(tuple(map(int, parameter.extents)))
    return shapes
