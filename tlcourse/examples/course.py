"""The course's kernels at small sizes, each with inputs, and what torch computes for them.

Tests, comparisons and generated pages go through this one table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import torch

from tlcourse.examples.elementwise import vector_add_developer, vector_add_expert
from tlcourse.examples.flash_attention import flash_attention
from tlcourse.examples.flash_attention_expert import flash_attention_expert
from tlcourse.examples.gemm import gemm, gemm_expert
from tlcourse.examples.minicv import minicv_developer, minicv_expert
from tlcourse.examples.softmax import softmax, softmax_expert
from tlcourse.examples.tails import minicv_tails_developer, minicv_tails_expert
from tlcourse.language import PrimFunc
from tlcourse.records import Mode

SEED = 0
ROWS, COLUMNS, DEPTH = 256, 512, 128
HEADS, LENGTH, WIDTH = 2, 256, 64
_TILES = {"block_M": 64, "block_N": 128, "block_K": 64}

Tensors = tuple[torch.Tensor, ...]


@dataclass(frozen=True, kw_only=True)
class CourseKernel:
    """One kernel of the course in one mode.

    Args:
        kind: the kernel, for example `minicv`; the same in both modes.
        mode: how it is written.
        make: builds it.
        draw: its inputs, given torch's generator.
        wanted: what torch computes for the inputs, one tensor an output, in its dtype.
        workspaces: tensors behind the outputs that the cores hand over in, whose content does
            not matter: shape and dtype.
    """

    kind: str
    mode: Mode
    make: Callable[[], PrimFunc] = field(repr=False)
    draw: Callable[[torch.Generator], Tensors] = field(repr=False)
    wanted: Callable[[Tensors], Tensors] = field(repr=False)
    workspaces: tuple[tuple[tuple[int, ...], torch.dtype], ...] = ()

    @property
    def name(self) -> str:
        """Kernel and mode in one word."""
        return f"{self.kind}_{self.mode.lower()}"

    @cached_property
    def func(self) -> PrimFunc:
        """The kernel, traced once."""
        return self.make()

    def inputs(self) -> Tensors:
        """The same inputs on every call."""
        return self.draw(torch.Generator().manual_seed(SEED))

    def arguments(self) -> tuple[Tensors, Tensors]:
        """All CPU tensors of a launch in order, and the outputs among them; those hold NaN."""
        inputs = self.inputs()
        outputs = tuple(torch.full_like(one, float("nan")) for one in self.wanted(inputs))
        rest = tuple(torch.full(shape, float("nan"), dtype=kind) for shape, kind in self.workspaces)
        return (*inputs, *outputs, *rest), outputs


def _randn(generator: torch.Generator, *shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=generator)


def _vectors(generator: torch.Generator) -> Tensors:
    return _randn(generator, 4096).half(), _randn(generator, 4096).half()


def _matrix(generator: torch.Generator) -> Tensors:
    return (_randn(generator, 64, 1024),)


def _factors(rows: int, columns: int) -> Callable[[torch.Generator], Tensors]:
    # A is scaled so that exp(A @ B) stays within range.
    return lambda generator: (
        (_randn(generator, rows, DEPTH) * DEPTH**-0.5).half(),
        _randn(generator, DEPTH, columns).half(),
    )


def _heads(generator: torch.Generator) -> Tensors:
    return tuple(_randn(generator, HEADS, LENGTH, WIDTH).half() for _ in range(3))


def _product(inputs: Tensors) -> Tensors:
    a, b = inputs
    return (a.float() @ b.float(),)


def _product_and_exp(inputs: Tensors) -> Tensors:
    (c,) = _product(inputs)
    return c, c.exp()


def _attention(inputs: Tensors) -> Tensors:
    q, k, v = (one.float() for one in inputs)
    return (torch.softmax(q @ k.transpose(1, 2) * WIDTH**-0.5, dim=2).matmul(v).half(),)


_BLOCKS = HEADS * LENGTH // 64
_HAND_OVERS = (
    ((_BLOCKS, 64, 64), torch.float32),
    ((_BLOCKS, 64, 64), torch.float16),
    ((_BLOCKS, 64, WIDTH), torch.float32),
)


def _both(
    kind: str,
    developer: Callable[[], PrimFunc],
    expert: Callable[[], PrimFunc],
    draw: Callable[[torch.Generator], Tensors],
    wanted: Callable[[Tensors], Tensors],
    workspaces: tuple[tuple[tuple[int, ...], torch.dtype], ...] = (),
) -> tuple[CourseKernel, CourseKernel]:
    """A kernel in both modes; the workspaces are those of the Expert form."""
    return (
        CourseKernel(kind=kind, mode="Developer", make=developer, draw=draw, wanted=wanted),
        CourseKernel(
            kind=kind, mode="Expert", make=expert, draw=draw, wanted=wanted, workspaces=workspaces
        ),
    )


COURSE: tuple[CourseKernel, ...] = (
    *_both(
        "vector_add",
        vector_add_developer,
        vector_add_expert,
        _vectors,
        lambda inputs: (inputs[0] + inputs[1],),
    ),
    *_both(
        "softmax",
        lambda: softmax(64),
        lambda: softmax_expert(64),
        _matrix,
        lambda inputs: (torch.softmax(inputs[0], dim=1),),
    ),
    *_both(
        "gemm",
        lambda: gemm(ROWS, COLUMNS, DEPTH, **_TILES),
        lambda: gemm_expert(ROWS, COLUMNS, DEPTH, **_TILES),
        _factors(ROWS, COLUMNS),
        _product,
    ),
    *_both(
        "minicv",
        lambda: minicv_developer(ROWS, COLUMNS, DEPTH, **_TILES),
        lambda: minicv_expert(ROWS, COLUMNS, DEPTH, **_TILES),
        _factors(ROWS, COLUMNS),
        _product_and_exp,
    ),
    *_both(
        "minicv_tails",
        minicv_tails_developer,
        minicv_tails_expert,
        _factors(200, 160),
        _product_and_exp,
    ),
    *_both(
        "flash_attention",
        lambda: flash_attention(HEADS, LENGTH, WIDTH),
        lambda: flash_attention_expert(HEADS, LENGTH, WIDTH),
        _heads,
        _attention,
        _HAND_OVERS,
    ),
)
"""All kernels of the course, Developer before Expert."""
