"""Random kernels as texts, each with a plain torch evaluation that knows nothing of our tables.

A kernel works on row tiles of A and B: `x`, `y` and `z` [rows, columns] of its dtype, `w` of a
second dtype, `t` and `u` turned [columns, rows], `m` a mask, `g` indices. A step is some lines of
the kernel and, beside them, what they mean in torch on tensors of the same names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import torch
from hypothesis import strategies as st

from tests.functional.random_choices import VECTOR, Draw, Step, torch_dtype
from tests.functional.random_moves import copied, gathered, joined, padded, repeated, turn, woven
from tests.functional.random_steps import (
    binary,
    cast,
    choice,
    element_loop,
    prefix_sum,
    reduction,
    unary,
)

DTYPES = ("float16", "float32", "bfloat16", "int32", "int16")
SECOND = {
    "float16": ("float32", "int16", "int32"),
    "float32": ("float16", "bfloat16", "int16", "int32"),
    "bfloat16": ("float32",),
    "int32": ("float32", "int16"),
    "int16": ("float16", "float32"),
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """A kernel: extents of the tensors and tiles, dtypes, where A is read, and the steps."""

    rows: int
    tile: tuple[int, int]
    dtype: str
    second: str
    left: int
    steps: tuple[Step, ...]
    seed: int

    @property
    def blocks(self) -> int:
        """Number of row tiles; the last one may be shorter."""
        return -(-self.rows // self.tile[0])


def makers(d: Draw) -> tuple[Callable[[Draw], Step], ...]:
    """The kinds of steps that may come next; what comes twice is drawn more often."""
    moves = (turn, joined, padded, copied, repeated, woven, gathered)
    stable = (*moves, *(binary, unary) * 4, reduction, *(element_loop,) * 2)
    if d.dtype != "bfloat16":
        stable += (choice,)
    if d.fuzzy:
        return stable
    return (*stable, *(cast,) * 3, *((prefix_sum,) if d.dtype != "bfloat16" else ()))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Kernels of 1 to 3 blocks and 1 to 5 steps."""
    tile = draw(st.integers(1, 24)), draw(st.integers(1, 40))
    dtype = draw(st.sampled_from(DTYPES))
    second = draw(st.sampled_from(SECOND[dtype]))
    blocks = draw(st.integers(1, 3))
    rows = draw(st.integers((blocks - 1) * tile[0] + 1, blocks * tile[0]))
    # One number decides the steps: drawn one by one they repeat each other from case to case.
    choices = Random(f"{draw(st.integers(0, 2**32))} {tile} {rows} {dtype} {second}")
    d = Draw(random=choices, shape=tile, dtype=dtype, second=second)
    steps: list[Step] = []
    for _ in range(draw(st.integers(1, 5))):
        step = choices.choice(makers(d))(d)
        steps.append(step)
        # bfloat16 chains keep float32 between operations: what rounds may come out otherwise.
        d.fuzzy = d.fuzzy or step.fuzzy or dtype == "bfloat16"
    left, seed = draw(st.integers(0, 5)), draw(st.integers(0, 2**16))
    return Case(
        rows=rows,
        tile=tile,
        dtype=dtype,
        second=second,
        left=left,
        steps=tuple(steps),
        seed=seed,
    )


def source(case: Case, mode: str) -> str:
    """The kernel's text."""
    (height, width), rows, left = case.tile, case.rows, case.left
    vector = "T.alloc_ub" if mode == "Expert" else "T.alloc_shared"
    shapes = {name: ((height, width), case.dtype) for name in VECTOR}
    shapes |= {"w": ((height, width), case.second), "m": ((height, width), "bool")}
    shapes |= {"g": ((height, width), "int32"), "t": ((width, height), case.dtype)}
    shapes |= {"u": ((width, height), case.dtype)}
    used = "\n".join(line for step in case.steps for line in step.lines)
    lines = [
        f"{name} = {vector}({shape}, {kind!r})"
        for name, (shape, kind) in shapes.items()
        if name in VECTOR or f"{name}[" in used or f" {name})" in used or f" {name}," in used
    ]
    lines += [f"r = cid * {height}", f"n = T.min({height}, {rows} - r)"]
    lines += ["T.vbrc(1, x)", "T.vbrc(2, y)", "T.vbrc(3, z)"]
    lines += [f"T.copy(A[r : r + n, {left} : {left + width}], x[0:n, :])"]
    lines += [f"T.copy(B[r, {left}], y[0:n, :])"]
    lines += [line for step in case.steps for line in step.lines]
    lines += [f"T.copy({name}[0:n, :], {name.upper()}[r : r + n, 0:{width}])" for name in VECTOR]
    body = "\n".join(" " * 8 + line for line in lines)
    wide, narrow = f"({rows}, {width + 5})", f"({rows}, {width})"
    parameters = [f'{name}: T.Tensor({wide}, "{case.dtype}")' for name in "AB"]
    parameters += [f'{name}: T.Tensor({narrow}, "{case.dtype}")' for name in "XYZ"]
    return (
        f"@T.prim_func\ndef k({', '.join(parameters)}):\n"
        f"    with T.Kernel({case.blocks}, is_npu=True) as (cid, _):\n{body}\n"
    )


def inputs(case: Case) -> tuple[torch.Tensor, torch.Tensor]:
    """A and B: quarters between -2 and 2, or small integers."""
    generator = torch.Generator().manual_seed(case.seed)
    shape = case.rows, case.tile[1] + 5
    a, b = (torch.randint(-8, 9, shape, generator=generator) for _ in "ab")
    kind = torch_dtype(case.dtype)
    return (a / 4).to(kind) if kind.is_floating_point else a.to(kind), (
        (b / 4).to(kind) if kind.is_floating_point else b.to(kind)
    )


def expected(case: Case, a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """What the kernel computes, block after block, in plain torch."""
    (height, width), kind = case.tile, torch_dtype(case.dtype)
    outputs = {name: torch.zeros(case.rows, width, dtype=kind) for name in VECTOR}
    for first in range(0, case.rows, height):
        n = min(height, case.rows - first)
        tiles = {
            name: torch.full((height, width), i, dtype=kind) for i, name in enumerate(VECTOR, 1)
        }
        tiles["w"] = torch.zeros(height, width, dtype=torch_dtype(case.second))
        tiles["x"][:n] = a[first : first + n, case.left : case.left + width]
        tiles["y"][:n] = b[first : first + n, case.left : case.left + width]
        for step in case.steps:
            step.meaning(tiles)
        for name, output in outputs.items():
            output[first : first + n] = tiles[name][:n]
    return tuple(outputs.values())
