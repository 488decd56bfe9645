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


def workspaces(case: Mixed, mode: str) -> tuple[torch.Tensor, ...]:
    """Tensors behind C that an Expert kernel hands its tiles over in."""
    shape = case.turns, case.blocks * case.M, case.N
    kinds = (torch.float32, torch.float16, torch.float32)
    return tuple(torch.zeros(shape, dtype=kind) for kind in kinds) if mode == "Expert" else ()


def source(case: Mixed, mode: str) -> str:
    """The kernel's text."""
    tensors = {
        "A": ((case.rows, case.K * case.turns), "float16"),
        "B": ((case.K * case.turns, case.N), "float16"),
        "E": ((case.N, case.N), "float16"),
        "C": ((case.rows, case.N), "float32"),
    }
    for name, one in zip(("W1", "W2", "W3"), workspaces(case, mode), strict=False):
        tensors[name] = (tuple(one.shape), str(one.dtype).removeprefix("torch."))
    parameters = ", ".join(f'{n}: T.Tensor({s}, "{k}")' for n, (s, k) in tensors.items())
    lines = [f"r = cid * {case.M}", f"n = T.min({case.M}, {case.rows} - r)"]
    lines += _expert(case) if mode == "Expert" else _developer(case)
    head = f"@T.prim_func\ndef k({parameters}):\n    with T.Kernel({case.blocks}, is_npu=True) as "
    return head + "(cid, vid):\n" + "".join(f"        {line}\n" for line in lines)


def _allocations(case: Mixed, kinds: dict[str, str]) -> list[str]:
    M, N, K = case.M, case.N, case.K
    tiles = {
        "a": ((M, K), "float16"),
        "b": ((K, N), "float16"),
        "e": ((N, N), "float16"),
        "w": ((M, N), "float16"),
        "c": ((M, N), "float32"),
        "s": ((M, N), "float32"),
        "acc": ((M, N), "float32"),
        "m": ((M, 1), "float32"),
    }
    return [
        f"{name} = T.alloc_{kinds[name]}({shape}, '{kind}')"
        for name, (shape, kind) in tiles.items()
        if name in kinds and (case.again or name not in "ew")
    ]


def _load(case: Mixed) -> list[str]:
    K = case.K
    return [
        f"T.copy(A[r : r + n, j * {K} : j * {K} + {K}], a[0:n, :])",
        f"T.copy(B[j * {K} : j * {K} + {K}, :], b)",
    ]


def _worked(case: Mixed) -> list[str]:
    """What a turn does with the product."""
    lines = [step.line for step in case.steps]
    return [*lines, *_block_of("if j % 2 == 0:", [step.line for step in case.even])]


def _block_of(head: str, lines: list[str]) -> list[str]:
    return [head, *(f"    {line}" for line in lines)] if lines else []


def _developer(case: Mixed) -> list[str]:
    shared, fragment = dict.fromkeys("abew", "shared"), dict.fromkeys("sm", "fragment")
    lines = _allocations(case, {**shared, **fragment, "acc": "fragment"})
    lines += ["T.vbrc(0, acc)", "T.vbrc(0, m)", "T.vbrc(0, a)"]
    lines += ["T.copy(E, e)"] if case.again else []
    turn = [*_load(case), "T.gemm(a, b, s, initC=True)", *_worked(case)]
    turn += ["T.copy(s, w)", "T.gemm(w, e, s, initC=True)"] if case.again else []
    lines += _block_of(f"for j in T.serial({case.turns}):", [*turn, "T.vadd(acc, s, acc)"])
    lines += [step.line for step in case.after]
    return [*lines, "T.copy(acc[0:n, :], C[r : r + n, :])"]


def _expert(case: Mixed) -> list[str]:
    rows = f"r : r + {case.M}, :"
    cube = _allocations(case, {**dict.fromkeys("abew", "L1"), "c": "L0C"})
    cube += ["T.copy(E, e)"] if case.again else []
    turn = [*_load(case), "T.gemm(a, b, c, initC=True)", *_handed(f"T.copy(c, W1[j, {rows}])")]
    if case.again:
        turn += [*_awaited(1, f"T.copy(W2[j, {rows}], w)"), "T.gemm(w, e, c, initC=True)"]
        turn += _handed(f"T.copy(c, W3[j, {rows}])")
    cube += _block_of(f"for j in T.serial({case.turns}):", turn)
    return [*_block_of('with T.Scope("Cube"):', cube), *_vector(case, rows)]


def _vector(case: Mixed, rows: str) -> list[str]:
    lines = _allocations(case, dict.fromkeys(("s", "acc", "m", "w"), "ub"))
    lines += ["T.vbrc(0, acc)", "T.vbrc(0, m)"]
    turn = [*_awaited(0, f"T.copy(W1[j, {rows}], s)"), *_worked(case)]
    if case.again:
        turn += ["T.vcast(s, w)", "if vid == 0:", f"    T.copy(w, W2[j, {rows}])"]
        turn += ['with T.rs("PIPE_MTE3"):', "    T.sync_block_set(1)"]
        turn += _awaited(0, f"T.copy(W3[j, {rows}], s)")
    lines += _block_of(f"for j in T.serial({case.turns}):", [*turn, "T.vadd(acc, s, acc)"])
    lines += [step.line for step in case.after]
    lines += ["if vid == 0:", "    T.copy(acc[0:n, :], C[r : r + n, :])"]
    return _block_of('with T.Scope("Vector"):', lines)


def _handed(copy: str) -> list[str]:
    return ['with T.rs("PIPE_FIX"):', f"    {copy}", "    T.sync_block_set(0)"]


def _awaited(flag: int, copy: str) -> list[str]:
    return ['with T.rs("PIPE_MTE2"):', f"    T.sync_block_wait({flag})", f"    {copy}"]
