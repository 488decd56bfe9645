"""The same kernels in JAX's Pallas, for its interpreter. Imported only where JAX is installed.

XLA reads its number of threads when it is loaded, so that is set before the import.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = (
    "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1 "
    + os.environ.get("XLA_FLAGS", "")
)

import jax
import jax.numpy as jnp
import numpy as np
import torch
from jax.experimental import pallas as pl

Run = Callable[[], torch.Tensor]
Tensors = Mapping[str, torch.Tensor]


def _attention(q_ref, k_ref, v_ref, o_ref, *, block: int):
    q = q_ref[...]
    rows, width = q.shape

    def step(index, kept):
        largest, total, acc = kept
        k = k_ref[pl.ds(index * block, block), :]
        v = v_ref[pl.ds(index * block, block), :]
        scores = jnp.dot(q, k.T, preferred_element_type=jnp.float32) * width**-0.5
        new = jnp.maximum(largest, scores.max(1))
        shrink, weights = jnp.exp(largest - new), jnp.exp(scores - new[:, None])
        product = jnp.dot(weights.astype(v.dtype), v, preferred_element_type=jnp.float32)
        return new, total * shrink + weights.sum(1), acc * shrink[:, None] + product

    start = (jnp.full(rows, -jnp.inf), jnp.zeros(rows), jnp.zeros((rows, width)))
    _, total, acc = jax.lax.fori_loop(0, k_ref.shape[0] // block, step, start)
    o_ref[...] = (acc / total[:, None]).astype(o_ref.dtype)


def _softmax(x_ref, y_ref):
    x = x_ref[...]
    e = jnp.exp(x - x.max(1, keepdims=True))
    y_ref[...] = e / e.sum(1, keepdims=True)


def _gemm(a_ref, b_ref, c_ref, *, depth: int):
    def step(index, acc):
        a = a_ref[:, pl.ds(index * depth, depth)]
        b = b_ref[pl.ds(index * depth, depth), :]
        return acc + jnp.dot(a, b, preferred_element_type=jnp.float32)

    zero = jnp.zeros(c_ref.shape, jnp.float32)
    c_ref[...] = jax.lax.fori_loop(0, a_ref.shape[1] // depth, step, zero)


def attention(tensors: Tensors, block: int) -> Run:
    """The interpreted attention kernel, with square tiles of `block`."""
    heads, length, width = tensors["Q"].shape
    strip = pl.BlockSpec((None, block, width), lambda head, row: (head, row, 0))
    whole = pl.BlockSpec((None, length, width), lambda head, row: (head, 0, 0))
    call = pl.pallas_call(
        partial(_attention, block=block),
        out_shape=jax.ShapeDtypeStruct((heads, length, width), jnp.float16),
        grid=(heads, length // block),
        in_specs=[strip, whole, whole],
        out_specs=strip,
        interpret=True,
    )
    return _run(call, [tensors[name] for name in ("Q", "K", "V")])


def softmax(tensors: Tensors, rows: int) -> Run:
    """The interpreted softmax kernel, `rows` rows a program."""
    height, width = tensors["X"].shape
    strip = pl.BlockSpec((rows, width), lambda row: (row, 0))
    call = pl.pallas_call(
        _softmax,
        out_shape=jax.ShapeDtypeStruct((height, width), jnp.float32),
        grid=(height // rows,),
        in_specs=[strip],
        out_specs=strip,
        interpret=True,
    )
    return _run(call, [tensors["X"]])


def gemm(tensors: Tensors, tiles: tuple[int, int, int]) -> Run:
    """The interpreted gemm kernel, with tiles (M, N, K)."""
    (height, inner), width = tensors["A"].shape, tensors["B"].shape[1]
    rows, columns, depth = tiles
    call = pl.pallas_call(
        partial(_gemm, depth=depth),
        out_shape=jax.ShapeDtypeStruct((height, width), jnp.float32),
        grid=(height // rows, width // columns),
        in_specs=[
            pl.BlockSpec((rows, inner), lambda row, column: (row, 0)),
            pl.BlockSpec((inner, columns), lambda row, column: (0, column)),
        ],
        out_specs=pl.BlockSpec((rows, columns), lambda row, column: (row, column)),
        interpret=True,
    )
    return _run(call, [tensors["A"], tensors["B"]])


def _run(call: Callable[..., jax.Array], tensors: list[torch.Tensor]) -> Run:
    """Compiled by XLA at the first call; a call waits until the numbers are there."""
    compiled, given = jax.jit(call), [jnp.asarray(tensor.numpy()) for tensor in tensors]
    return lambda: torch.from_numpy(np.array(compiled(*given)))
