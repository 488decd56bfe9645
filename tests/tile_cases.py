"""Kernels with one irregular tile op each, for values, code generation and the real compiler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

import tlcourse.language as T

Reference = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A kernel R = op(A, B), where R starts as given.

    Args:
        op: the macro with the statements.
        a: shape of the first tensor.
        b: shape of the second.
        o: shape of the result.
        dtype: dtype of A and R.
        b_dtype: dtype of B.
        expected: what R must hold, from A, B and the old R.
    """

    op: Callable[..., None]
    a: tuple[int, ...] = (8, 16)
    b: tuple[int, ...] = (8, 16)
    o: tuple[int, ...] = (8, 16)
    dtype: str = "float32"
    b_dtype: str = ""
    expected: Reference

    def kernel(self, mode: str) -> T.PrimFunc:
        """The kernel, with tiles of the mode."""
        alloc = T.alloc_ub if mode == "Expert" else T.alloc_shared
        op, dtype, b_dtype = self.op, self.dtype, self.b_dtype or self.dtype
        a_shape, b_shape, o_shape = self.a, self.b, self.o

        @T.prim_func
        def one(
            A: T.Tensor(a_shape, dtype), B: T.Tensor(b_shape, b_dtype), R: T.Tensor(o_shape, dtype)
        ):
            with T.Kernel(1, is_npu=True) as (_cid, _):
                a = alloc(a_shape, dtype)
                b = alloc(b_shape, b_dtype)
                o = alloc(o_shape, dtype)
                T.copy(A, a)
                T.copy(B, b)
                T.copy(R, o)
                op(a, b, o, alloc)
                T.copy(o, R)
                T.copy(a, A)

        return one

    def tensors(self) -> list[torch.Tensor]:
        """A, B and R with numbers of a fixed seed."""
        generator = torch.Generator().manual_seed(3)
        dtypes = (self.dtype, self.b_dtype or self.dtype, self.dtype)
        return [
            _random(shape, dtype, generator)
            for shape, dtype in zip((self.a, self.b, self.o), dtypes, strict=True)
        ]


def _random(shape: tuple[int, ...], dtype: str, generator: torch.Generator) -> torch.Tensor:
    if dtype == "int32":
        return torch.randint(0, 8, shape, generator=generator, dtype=torch.int32)
    if dtype.startswith("int"):
        return torch.randint(-9, 9, shape, generator=generator).to(getattr(torch, dtype))
    return torch.randn(shape, generator=generator).to(getattr(torch, dtype))


@T.macro
def _sum(a, b, o, alloc):
    T.reduce(a, o, dims=1, reduce_mode="sum")


@T.macro
def _sum_negative(a, b, o, alloc):
    T.npuir_reduce(a, o, [-2], "sum")


@T.macro
def _sum_both(a, b, o, alloc):
    T.reduce(a, o, [0, 1], "sum")


@T.macro
def _max(a, b, o, alloc):
    T.reduce_max(a, o)


@T.macro
def _min_join(a, b, o, alloc):
    T.reduce_min(a, o, dim=1, clear=False)


@T.macro
def _sum_join(a, b, o, alloc):
    T.reduce_sum(a, o, clear=False)


@T.macro
def _abssum(a, b, o, alloc):
    T.reduce_abssum(a, o)


@T.macro
def _absmax_join(a, b, o, alloc):
    T.reduce_absmax(a, o, dim=1, clear=False)


@T.macro
def _prod(a, b, o, alloc):
    T.reduce(a, o, 1, "prod")


@T.macro
def _xori(a, b, o, alloc):
    T.reduce(a, o, 1, "xori")


@T.macro
def _ori(a, b, o, alloc):
    T.reduce(a, o, 1, "ori")


@T.macro
def _size(a, b, o, alloc):
    T.reduce_sum(a, o, dim=1, size=[5, 12])


@T.macro
def _slice(a, b, o, alloc):
    T.reduce_max(a[2:6, 4:12], o[1:5, :], dim=1)


@T.macro
def _with_index(a, b, o, alloc):
    T.reduce(a, (o, b), 1, "max_with_index_left")


@T.macro
def _cumsum(a, b, o, alloc):
    T.cumsum(a, o, dim=0)


@T.macro
def _cumsum_in_place(a, b, o, alloc):
    T.npuir_cumsum(o, dim=-1)


@T.macro
def _cumsum_back(a, b, o, alloc):
    T.cumsum(a, o, dim=1, reverse=True)


@T.macro
def _transpose(a, b, o, alloc):
    T.transpose(a, o, [1, 0])


@T.macro
def _transpose_part(a, b, o, alloc):
    T.npuir_transpose(a[0:4, 8:16], o[0:8, 0:4], [1, 0])


@T.macro
def _rotate(a, b, o, alloc):
    T.transpose(a, o, [2, 0, 1])


@T.macro
def _same_order(a, b, o, alloc):
    T.transpose(a, o, [0, 1])


@T.macro
def _concat(a, b, o, alloc):
    T.concat(a, b, a, o, 1)


@T.macro
def _concat_part(a, b, o, alloc):
    T.npuir_concat(a[0:2, :], b[4:6, :], o[0:4, :], 0)


@T.macro
def _pad(a, b, o, alloc):
    T.pad(a, o, 1.5, [2, 0], [4 / 2, 0])


@T.macro
def _cut(a, b, o, alloc):
    T.npuir_pad(a, o[:, 0:14], 0.0, [0, -1], [0, -1])


@T.macro
def _interleave(a, b, o, alloc):
    T.interleave(a, b, o)


@T.macro
def _deinterleave(a, b, o, alloc):
    t = alloc((8, 8), "float32")
    u = alloc((8, 8), "float32")
    T.deinterleave(a, t, u)
    T.vsub(t, u, o)


@T.macro
def _channel(a, b, o, alloc):
    T.npuir_deinterleave(a, o, index_mode="CHANNEL_1")


@T.macro
def _flip(a, b, o, alloc):
    T.flip(a, o, -1)


@T.macro
def _gather(a, b, o, alloc):
    T.gather(a, o, b)


@T.macro
def _gather_part(a, b, o, alloc):
    T.npuir_gather(a[:, 2:10], o[:, 0:4], b[:, 0:4])


@T.macro
def _arange(a, b, o, alloc):
    T.arange(o, [100, 2], 7)


@T.macro
def _reshape(a, b, o, alloc):
    T.reshape(a, o)
    T.vadd(o, 1.0, o)


@T.macro
def _reshape_last(a, b, o, alloc):
    c = alloc((16, 8), "float32")
    d = alloc((128,), "float32")
    T.transpose(a, c, [1, 0])
    T.npuir_reshape(c, d)
    T.vadd(d, 1.0, d)
    T.reshape(d, o)


def _kept(o: torch.Tensor, value: torch.Tensor, *place: slice) -> torch.Tensor:
    out = o.clone()
    out[place] = value
    return out


_COLUMN = (8, 1)
CASES = {
    "sum": Case(op=_sum, o=_COLUMN, expected=lambda a, b, o: a.sum(1, keepdim=True)),
    "sum_negative": Case(
        op=_sum_negative, o=(1, 16), expected=lambda a, b, o: a.sum(0, keepdim=True)
    ),
    "sum_both": Case(op=_sum_both, o=(1, 1), expected=lambda a, b, o: a.sum().view(1, 1)),
    "max": Case(op=_max, o=_COLUMN, expected=lambda a, b, o: a.amax(1, keepdim=True)),
    "min_join": Case(
        op=_min_join,
        o=_COLUMN,
        expected=lambda a, b, o: torch.minimum(o, a.amin(1, keepdim=True)),
    ),
    "sum_join": Case(
        op=_sum_join, o=_COLUMN, dtype="int32", expected=lambda a, b, o: o + a.sum(1, keepdim=True)
    ),
    "abssum": Case(op=_abssum, o=_COLUMN, expected=lambda a, b, o: a.abs().sum(1, keepdim=True)),
    "absmax_join": Case(
        op=_absmax_join,
        o=_COLUMN,
        expected=lambda a, b, o: torch.maximum(o, a.abs().amax(1, keepdim=True)),
    ),
    "prod": Case(op=_prod, o=_COLUMN, expected=lambda a, b, o: a.prod(1, keepdim=True)),
    "xori": Case(op=_xori, o=_COLUMN, dtype="int32", expected=lambda a, b, o: _fold(a, "^")),
    "ori": Case(op=_ori, o=_COLUMN, dtype="int32", expected=lambda a, b, o: _fold(a, "|")),
    "size": Case(
        op=_size,
        o=_COLUMN,
        expected=lambda a, b, o: _kept(o, a[:5, :12].sum(1, keepdim=True), slice(0, 5)),
    ),
    "slice": Case(
        op=_slice,
        o=_COLUMN,
        expected=lambda a, b, o: _kept(o, a[2:6, 4:12].amax(1, keepdim=True), slice(1, 5)),
    ),
    "with_index": Case(
        op=_with_index,
        b=_COLUMN,
        b_dtype="int32",
        o=_COLUMN,
        expected=lambda a, b, o: a.amax(1, keepdim=True),
    ),
    "cumsum": Case(op=_cumsum, expected=lambda a, b, o: a.cumsum(0)),
    "cumsum_in_place": Case(op=_cumsum_in_place, expected=lambda a, b, o: o.cumsum(1)),
    "cumsum_back": Case(op=_cumsum_back, expected=lambda a, b, o: a.flip(1).cumsum(1).flip(1)),
    "transpose": Case(op=_transpose, o=(16, 8), expected=lambda a, b, o: a.t()),
    "transpose_part": Case(
        op=_transpose_part,
        expected=lambda a, b, o: _kept(o, a[0:4, 8:16].t(), slice(0, 8), slice(0, 4)),
    ),
    "rotate": Case(
        op=_rotate, a=(4, 8, 16), o=(16, 4, 8), expected=lambda a, b, o: a.permute(2, 0, 1)
    ),
    "same_order": Case(op=_same_order, expected=lambda a, b, o: a),
    "concat": Case(op=_concat, o=(8, 48), expected=lambda a, b, o: torch.cat((a, b, a), 1)),
    "concat_part": Case(
        op=_concat_part,
        expected=lambda a, b, o: _kept(o, torch.cat((a[:2], b[4:6])), slice(0, 4)),
    ),
    "pad": Case(
        op=_pad,
        o=(12, 16),
        expected=lambda a, b, o: torch.nn.functional.pad(a, (0, 0, 2, 2), value=1.5),
    ),
    "cut": Case(
        op=_cut,
        expected=lambda a, b, o: _kept(o, a[:, 1:15], slice(0, 8), slice(0, 14)),
    ),
    "interleave": Case(
        op=_interleave,
        o=(8, 32),
        expected=lambda a, b, o: torch.stack((a, b), -1).flatten(1),
    ),
    "deinterleave": Case(
        op=_deinterleave, o=(8, 8), expected=lambda a, b, o: a[:, 0::2] - a[:, 1::2]
    ),
    "channel": Case(op=_channel, o=(8, 8), expected=lambda a, b, o: a[:, 1::2]),
    "flip": Case(op=_flip, expected=lambda a, b, o: a.flip(1)),
    "gather": Case(op=_gather, b_dtype="int32", expected=lambda a, b, o: a.gather(1, b.long())),
    "gather_part": Case(
        op=_gather_part,
        b_dtype="int32",
        expected=lambda a, b, o: _kept(
            o, a[:, 2:10].gather(1, b[:, 0:4].long()), slice(0, 8), slice(0, 4)
        ),
    ),
    "arange": Case(
        op=_arange,
        dtype="int32",
        expected=lambda a, b, o: (
            7 + 100 * torch.arange(8).view(8, 1) + 2 * torch.arange(16).view(1, 16)
        ),
    ),
    "reshape": Case(op=_reshape, o=(4, 32), expected=lambda a, b, o: a.reshape(4, 32) + 1),
    "reshape_last": Case(
        op=_reshape_last, o=(4, 32), expected=lambda a, b, o: a.t().reshape(4, 32) + 1
    ),
}


def _fold(a: torch.Tensor, sign: str) -> torch.Tensor:
    total = a[:, :1].clone()
    for column in range(1, a.shape[1]):
        part = a[:, column : column + 1]
        total = total ^ part if sign == "^" else total | part
    return total
