"""Expert kernels that do not say yet which core does what: judged in program order, on no chip.

Such a kernel has no T.Scope, so that no core could run all of it. Its numbers come from the
functional executor; what the chip would see is read from the tiles' memories, and from what
each block writes when it runs alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Operation, SSAValue

from tlcourse.codegen.cores import VECTOR_STATEMENTS, space_of
from tlcourse.dialects import tl
from tlcourse.functional.run import run
from tlcourse.jit.binding import bind
from tlcourse.records import Program, Timeline

NO_TIMELINE = Timeline(
    kernel="", chip="", clock_mhz=1, cycles=0, launch_cycles=0, lanes=(), instructions=()
)
"""What is known of time where no chip ran."""


def is_placed(module: ModuleOp) -> bool:
    """Whether each tile of a product and of a vector statement lies where its core works."""
    return all(space_of(tile) == space for op in module.walk() for tile, space in _asked(op))


def _asked(op: Operation) -> list[tuple[SSAValue, str]]:
    if isinstance(op, tl.GemmOp):
        return [(op.a, "cbuf"), (op.b, "cbuf"), (op.c, "cc")]
    if isinstance(op, VECTOR_STATEMENTS):
        return [(tile, "ub") for tile in op.operands if isinstance(tile.type, MemRefType)]
    return []


def are_apart(program: Program, arguments: Sequence[torch.Tensor]) -> bool:
    """Whether no element of any tensor is written by two blocks.

    Args:
        program: of the functional executor.
        arguments: one per parameter that is neither a symbol nor an output; left as they are.
    """
    copies = [tensor.clone() for tensor in arguments]
    written = frozenset(program.options.get("written", ()))
    unused = frozenset(program.options.get("unused", ()))
    bound = bind(
        program.signature,
        copies,
        program.sources,
        written=written,
        unused=unused,
        allow_cpu=True,
    )
    tensors = [buffer for buffer in bound.buffers if isinstance(buffer, torch.Tensor)]
    before = [tensor.clone() for tensor in tensors]
    counts = [torch.zeros(tensor.shape, dtype=torch.int32) for tensor in tensors]

    def count_and_restore() -> None:
        for tensor, old, count in zip(tensors, before, counts, strict=True):
            count += _differs(tensor, old)
            tensor.copy_(old)

    run(program, bound.buffers, symbols=bound.symbols, after_block=count_and_restore)
    return all(int(count.max()) <= 1 for count in counts if count.numel())


def _differs(new: torch.Tensor, old: torch.Tensor) -> torch.Tensor:
    """Which elements have other bits."""
    size = new.element_size()
    views = (tensor.contiguous().view(torch.uint8).reshape(-1, size) for tensor in (new, old))
    first, second = views
    return (first != second).any(1).reshape(new.shape)
