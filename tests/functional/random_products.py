"""Random kernels of the matrix unit: texts for both modes, and the same in plain torch."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from hypothesis import strategies as st


@dataclass(frozen=True, kw_only=True)
class Product:
    """C = A @ B in row tiles of M and sums of `turns` parts of K; then D = relu(2 C).

    Rows that are no multiple of M leave a tail. The tiles stand `corner` elements inside
    larger buffers.
    """

    rows: int
    M: int
    N: int
    K: int
    turns: int
    dtype: str
    a_transpose: bool
    b_transpose: bool
    corner: tuple[int, int]
    seed: int

    @property
    def sum_dtype(self) -> str:
        """The dtype of C and D."""
        return "int32" if self.dtype == "int8" else "float32"


@st.composite
def products(draw: st.DrawFn) -> Product:
    """Products of 1 to 3 blocks."""
    M = draw(st.integers(1, 24))
    blocks = draw(st.integers(1, 3))
    return Product(
        rows=draw(st.integers((blocks - 1) * M + 1, blocks * M)),
        M=M,
        N=draw(st.integers(1, 40)),
        K=draw(st.integers(1, 40)),
        turns=draw(st.integers(1, 3)),
        dtype=draw(st.sampled_from(("float16", "bfloat16", "float32", "int8"))),
        a_transpose=draw(st.booleans()),
        b_transpose=draw(st.booleans()),
        corner=draw(st.tuples(st.integers(0, 3), st.integers(0, 3))),
        seed=draw(st.integers(0, 2**16)),
    )


def source(case: Product, mode: str) -> str:
    """The kernel's text."""
    return _head(case) + (_expert(case) if mode == "Expert" else _developer(case))


def inputs(case: Product) -> tuple[torch.Tensor, torch.Tensor]:
    """A and B as they are stored: small numbers whose sums are exact."""
    generator = torch.Generator().manual_seed(case.seed)
    kind = getattr(torch, case.dtype)
    length = case.K * case.turns
    a = torch.randint(-8, 9, (case.rows, length), generator=generator)
    b = torch.randint(-8, 9, (length, case.N), generator=generator)
    a, b = (x.to(kind) if kind == torch.int8 else (x / 4).to(kind) for x in (a, b))
    return (
        a.T.contiguous() if case.a_transpose else a,
        b.T.contiguous() if case.b_transpose else b,
    )


def expected(case: Product, a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """C and D."""
    left = a.T if case.a_transpose else a
    right = b.T if case.b_transpose else b
    c = (left.double() @ right.double()).to(getattr(torch, case.sum_dtype))
    return c, torch.where(c > 0, 2 * c, 0)


def _head(case: Product) -> str:
    left, right = (case.rows, case.K * case.turns), (case.K * case.turns, case.N)
    parameters = (
        f'A: T.Tensor({left[::-1] if case.a_transpose else left}, "{case.dtype}")',
        f'B: T.Tensor({right[::-1] if case.b_transpose else right}, "{case.dtype}")',
        *(f'{name}: T.Tensor({(case.rows, case.N)}, "{case.sum_dtype}")' for name in "CD"),
    )
    return (
        f"@T.prim_func\ndef k({', '.join(parameters)}):\n"
        f"    with T.Kernel({-(-case.rows // case.M)}, is_npu=True) as (cid, vid):\n"
        f"        r = cid * {case.M}\n        n = T.min({case.M}, {case.rows} - r)\n"
    )


def _sum(case: Product, factor: str, total: str) -> list[str]:
    """Allocations and the loop over parts of K."""
    M, N, K, (top, left) = case.M, case.N, case.K, case.corner
    shape_a, shape_b = (M, K), (K, N)
    there_a, tile_a = "r : r + n, j : j + {K}", f"a[{top} : {top} + n, {left} : {left + K}]"
    whole_a = f"a[{top} : {top + M}, {left} : {left + K}]"
    if case.a_transpose:
        shape_a, there_a = (K, M), "j : j + {K}, r : r + n"
        tile_a = f"a[{top} : {top + K}, {left} : {left} + n]"
        whole_a = f"a[{top} : {top + K}, {left} : {left + M}]"
    shape_b, there_b = (
        ((N, K), ":, j : j + {K}") if case.b_transpose else (shape_b, "j : j + {K}, :")
    )
    whole_b = f"b[{left} : {left + shape_b[0]}, {top} : {top + shape_b[1]}]"
    return [
        f"a = {factor}(({shape_a[0] + top}, {shape_a[1] + left}), '{case.dtype}')",
        f"b = {factor}(({shape_b[0] + left}, {shape_b[1] + top}), '{case.dtype}')",
        f"c = {total}(({M}, {N}), '{case.sum_dtype}')",
        f"for i in T.serial({case.turns}):",
        f"    j = i * {K}",
        f"    T.copy(A[{there_a.format(K=K)}], {tile_a})",
        f"    T.copy(B[{there_b.format(K=K)}], {whole_b})",
        f"    T.gemm({whole_a}, {whole_b}, c, initC=(i == 0), "
        f"a_transpose={case.a_transpose}, b_transpose={case.b_transpose})",
    ]


_DOUBLED = ["T.vmul({t}, 2, {t})", "T.vrelu({t}, {t})"]


def _developer(case: Product) -> str:
    lines = _sum(case, "T.alloc_shared", "T.alloc_fragment")
    lines += ["T.copy(c[0:n, :], C[r : r + n, :])", *(line.format(t="c") for line in _DOUBLED)]
    lines += ["T.copy(c[0:n, :], D[r : r + n, :])"]
    return _indented(lines, 8)


def _expert(case: Product) -> str:
    cube = _sum(case, "T.alloc_L1", "T.alloc_L0C")
    cube += ['with T.rs("PIPE_FIX"):', "    T.copy(c[0:n, :], C[r : r + n, :])"]
    cube += ["    T.sync_block_set(0)"]
    vector = [f"v = T.alloc_ub(({case.M}, {case.N}), '{case.sum_dtype}')"]
    vector += ['with T.rs("PIPE_MTE2"):', "    T.sync_block_wait(0)", "if vid == 0:"]
    vector += ["    T.copy(C[r : r + n, :], v[0:n, :])"]
    vector += ["    " + line.format(t="v") for line in _DOUBLED]
    vector += ["    T.copy(v[0:n, :], D[r : r + n, :])"]
    return (
        f'        with T.Scope("Cube"):\n{_indented(cube, 12)}'
        f'        with T.Scope("Vector"):\n{_indented(vector, 12)}'
    )


def _indented(lines: list[str], width: int) -> str:
    return "".join(f"{' ' * width}{line}\n" for line in lines)
