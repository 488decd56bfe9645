"""Random kernels that use both kinds of core, as texts for both modes and in plain torch.

A loop multiplies, hands the product to the vector cores, and adds what they make of it to a sum;
now and then what they make goes back to the cube core for a second product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from hypothesis import strategies as st

Tiles = dict[str, torch.Tensor]


@dataclass(frozen=True, kw_only=True)
class Step:
    """One line on the tile `s` [M, N] in float32, on `m` [M, 1] and on `acc` like `s`."""

    line: str
    meaning: Callable[[Tiles], torch.Tensor]
    target: str = "s"


STEPS = (
    Step(line="T.vmul(s, 0.5, s)", meaning=lambda t: t["s"] * 0.5),
    Step(line="T.vadd(s, 1.5, s)", meaning=lambda t: t["s"] + 1.5),
    Step(line="T.vabs(s, s)", meaning=lambda t: t["s"].abs()),
    Step(line="T.vrelu(s, s)", meaning=lambda t: t["s"].relu()),
    Step(line="T.vmax(s, acc, s)", meaning=lambda t: torch.maximum(t["s"], t["acc"])),
    Step(line="T.vsub(s, acc, s)", meaning=lambda t: t["s"] - t["acc"]),
    Step(
        line="T.reduce_max(s, m, dim=1)", meaning=lambda t: t["s"].amax(1, keepdim=True), target="m"
    ),
    Step(
        line="T.reduce_min(s, m, dim=1)", meaning=lambda t: t["s"].amin(1, keepdim=True), target="m"
    ),
    Step(line="T.vsub(s, m, s)", meaning=lambda t: t["s"] - t["m"]),
    Step(line="T.vmax(acc, s, acc)", meaning=lambda t: t["acc"].maximum(t["s"]), target="acc"),
)


@dataclass(frozen=True, kw_only=True)
class Mixed:
    """A kernel: extents, turns of its loop, and what each turn does.

    Args:
        rows: rows of A, in tiles of M; the last tile may be shorter.
        steps: lines of each turn, on the product.
        even: lines of the even turns alone.
        again: whether the tile goes back to the cube core as float16, times E.
        after: lines behind the loop.
    """

    rows: int
    M: int
    N: int
    K: int
    turns: int
    steps: tuple[Step, ...]
    even: tuple[Step, ...]
    again: bool
    after: tuple[Step, ...]
    seed: int

    @property
    def blocks(self) -> int:
        """Number of row tiles."""
        return -(-self.rows // self.M)


@st.composite
def mixed(draw: st.DrawFn) -> Mixed:
    """Kernels of one or two blocks and one to three turns."""
    M = draw(st.sampled_from((8, 16, 24, 32)))
    blocks = draw(st.integers(1, 2))
    some = st.lists(st.sampled_from(STEPS), max_size=3).map(tuple)
    return Mixed(
        rows=draw(st.integers((blocks - 1) * M + 1, blocks * M)),
        M=M,
        N=draw(st.sampled_from((16, 32, 48))),
        K=draw(st.sampled_from((16, 32))),
        turns=draw(st.integers(1, 3)),
        steps=draw(some),
        even=draw(some),
        again=draw(st.booleans()),
        after=draw(some),
        seed=draw(st.integers(0, 2**16)),
    )


def inputs(case: Mixed) -> tuple[torch.Tensor, ...]:
    """A, B and E: quarters between -1 and 1."""
    generator = torch.Generator().manual_seed(case.seed)
    length = case.K * case.turns
    shapes = (case.rows, length), (length, case.N), (case.N, case.N)
    return tuple(torch.randint(-4, 5, shape, generator=generator).half() / 4 for shape in shapes)


def expected(case: Mixed, a: torch.Tensor, b: torch.Tensor, e: torch.Tensor) -> torch.Tensor:
    """The sum, block after block."""
    blocks = [_block(case, part, b, e) for part in a.float().split(case.M)]
    return torch.cat(blocks)


def _block(case: Mixed, a: torch.Tensor, b: torch.Tensor, e: torch.Tensor) -> torch.Tensor:
    tiles: Tiles = {"acc": torch.zeros(len(a), case.N), "m": torch.zeros(len(a), 1)}
    for turn in range(case.turns):
        part = slice(turn * case.K, (turn + 1) * case.K)
        tiles["s"] = a[:, part] @ b.float()[part]
        _do(tiles, (*case.steps, *(case.even if turn % 2 == 0 else ())))
        if case.again:
            tiles["s"] = tiles["s"].half().float() @ e.float()
        tiles["acc"] = tiles["acc"] + tiles["s"]
    _do(tiles, case.after)
    return tiles["acc"]


def _do(tiles: Tiles, steps: tuple[Step, ...]) -> None:
    for step in steps:
        tiles[step.target] = step.meaning(tiles)


def source(case: Mixed) -> str:
    """The kernel's text in Developer mode."""
    M, N, K = case.M, case.N, case.K
    tensors = {
        "A": ((case.rows, K * case.turns), "float16"),
        "B": ((K * case.turns, N), "float16"),
        "E": ((N, N), "float16"),
        "C": ((case.rows, N), "float32"),
    }
    tiles = {
        "a": ("shared", (M, K), "float16"),
        "b": ("shared", (K, N), "float16"),
        "e": ("shared", (N, N), "float16"),
        "w": ("shared", (M, N), "float16"),
        "s": ("fragment", (M, N), "float32"),
        "acc": ("fragment", (M, N), "float32"),
        "m": ("fragment", (M, 1), "float32"),
    }
    lines = [
        f"{name} = T.alloc_{where}({shape}, '{kind}')"
        for name, (where, shape, kind) in tiles.items()
        if case.again or name not in "ew"
    ]
    lines += [f"r = cid * {M}", f"n = T.min({M}, {case.rows} - r)"]
    lines += ["T.vbrc(0, acc)", "T.vbrc(0, m)", "T.vbrc(0, a)"]
    lines += ["T.copy(E, e)"] if case.again else []
    lines += [f"for j in T.serial({case.turns}):", *(f"    {line}" for line in _turn(case))]
    lines += [step.line for step in case.after]
    lines += ["T.copy(acc[0:n, :], C[r : r + n, :])"]
    parameters = ", ".join(f'{n}: T.Tensor({s}, "{k}")' for n, (s, k) in tensors.items())
    head = f"@T.prim_func\ndef k({parameters}):\n    with T.Kernel({case.blocks}, is_npu=True) as "
    return head + "(cid, _):\n" + "".join(f"        {line}\n" for line in lines)


def _turn(case: Mixed) -> list[str]:
    K = case.K
    lines = [f"T.copy(A[r : r + n, j * {K} : j * {K} + {K}], a[0:n, :])"]
    lines += [f"T.copy(B[j * {K} : j * {K} + {K}, :], b)", "T.gemm(a, b, s, initC=True)"]
    lines += [step.line for step in case.steps]
    if case.even:
        lines += ["if j % 2 == 0:", *(f"    {step.line}" for step in case.even)]
    if case.again:
        lines += ["T.copy(s, w)", "T.gemm(w, e, s, initC=True)"]
    return [*lines, "T.vadd(acc, s, acc)"]
