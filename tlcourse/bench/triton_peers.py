"""The same kernels in Triton, for its interpreter. Imported only where Triton is installed.

Triton reads TRITON_INTERPRET when a kernel is decorated, so it is set before the import.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

os.environ["TRITON_INTERPRET"] = "1"

import torch
import triton
import triton.language as tl

Run = Callable[[], object]
Tensors = Mapping[str, torch.Tensor]


@triton.jit
def _attention(Q, K, V, O, S: tl.constexpr, D: tl.constexpr, BLOCK: tl.constexpr):  # noqa: E741
    block, head = tl.program_id(0), tl.program_id(1)
    rows, lanes = tl.arange(0, BLOCK), tl.arange(0, D)
    base = head * S * D
    here = base + (block * BLOCK + rows[:, None]) * D + lanes[None, :]
    q = tl.load(Q + here)
    largest = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    acc = tl.zeros((BLOCK, D), tl.float32)
    for start in range(0, S, BLOCK):
        there = base + (start + rows[:, None]) * D + lanes[None, :]
        k, v = tl.load(K + there), tl.load(V + there)
        scores = tl.dot(q, tl.trans(k)) * (D**-0.5)
        new = tl.maximum(largest, tl.max(scores, 1))
        shrink = tl.exp(largest - new)
        weights = tl.exp(scores - new[:, None])
        total = total * shrink + tl.sum(weights, 1)
        acc = acc * shrink[:, None] + tl.dot(weights.to(tl.float16), v)
        largest = new
    tl.store(O + here, (acc / total[:, None]).to(tl.float16))


@triton.jit
def _softmax(X, Y, N: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    here = rows[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(X + here)
    e = tl.exp(x - tl.max(x, 1)[:, None])
    tl.store(Y + here, e / tl.sum(e, 1)[:, None])


@triton.jit
def _gemm(
    A,
    B,
    C,
    N: tl.constexpr,
    K: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(A + rows[:, None] * K + k[None, :])
        b = tl.load(B + k[:, None] * N + columns[None, :])
        acc += tl.dot(a, b)
    tl.store(C + rows[:, None] * N + columns[None, :], acc)


def attention(tensors: Tensors, block: int) -> Run:
    """The interpreted attention kernel, with square tiles of `block`."""
    q, out = tensors["Q"], torch.empty_like(tensors["Q"])
    heads, S, D = q.shape
    grid = (S // block, heads)
    return lambda: _attention[grid](q, tensors["K"], tensors["V"], out, S, D, block)


def softmax(tensors: Tensors, rows: int) -> Run:
    """The interpreted softmax kernel, `rows` rows a program."""
    x, out = tensors["X"], torch.empty_like(tensors["X"])
    M, N = x.shape
    return lambda: _softmax[(M // rows,)](x, out, N, rows)


def gemm(tensors: Tensors, tiles: tuple[int, int, int]) -> Run:
    """The interpreted gemm kernel, with tiles (M, N, K)."""
    a, b = tensors["A"], tensors["B"]
    M, K, N = *a.shape, b.shape[1]
    out = torch.empty(M, N)
    rows, columns, depth = tiles
    grid = (M // rows, N // columns)
    return lambda: _gemm[grid](a, b, out, N, K, rows, columns, depth)
