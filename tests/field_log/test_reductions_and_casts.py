"""Field log, group C: reductions, dtypes and casts."""

from __future__ import annotations

import pytest
import torch

import tlcourse.language as T


def test_f21_column_sum_of_float16(anywhere) -> None:
    """The sum along dimension 0 of float16 was wrong, along dimension 1 right."""

    @T.prim_func
    def columns(X: T.Tensor((16, 128), "float16"), S: T.Tensor((1, 128), "float16")):
        with T.Kernel(1, is_npu=True):
            x = T.alloc_ub((16, 128), "float16")
            s = T.alloc_ub((1, 128), "float16")
            T.copy(X, x)
            T.reduce_sum(x, s, dim=0)
            T.copy(s, S)

    x = ((3 * torch.arange(16)[:, None] + torch.arange(128)) % 7).half()
    anywhere.gives(columns, (x,), x.sum(0, keepdim=True))


def _reduced(name: str, dim: int) -> T.PrimFunc:
    shape = (1, 64) if dim == 0 else (8, 1)

    @T.prim_func
    def reduced(X: T.Tensor((8, 64), "float32"), S: T.Tensor(shape, "float32")):
        with T.Kernel(1, is_npu=True):
            x = T.alloc_ub((8, 64), "float32")
            s = T.alloc_ub(shape, "float32")
            T.copy(X, x)
            if name == "abssum":
                T.reduce_abssum(x, s, dim=dim)
            else:
                T.reduce_absmax(x, s, dim=dim)
            T.copy(s, S)

    return reduced


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("name", ["abssum", "absmax"])
def test_f22_reductions_of_magnitudes(anywhere, name: str, dim: int) -> None:
    """reduce_abssum and reduce_absmax were exported and not implemented."""
    torch.manual_seed(22)
    x = torch.randn(8, 64)
    magnitude = x.abs()
    wanted = magnitude.sum(dim, True) if name == "abssum" else magnitude.amax(dim, True)
    anywhere.gives(_reduced(name, dim), (x,), wanted)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dim", [0, 1])
def test_f22_cumsum(anywhere, dim: int, reverse: bool) -> None:
    """cumsum was dropped without a word, and reverse was refused."""

    @T.prim_func
    def summed(X: T.Tensor((8, 64), "float32"), S: T.Tensor((8, 64), "float32")):
        with T.Kernel(1, is_npu=True):
            x = T.alloc_ub((8, 64), "float32")
            s = T.alloc_ub((8, 64), "float32")
            T.copy(X, x)
            T.cumsum(x, s, dim=dim, reverse=reverse)
            T.copy(s, S)

    torch.manual_seed(22)
    x = torch.randn(8, 64)
    wanted = x.flip(dim).cumsum(dim).flip(dim) if reverse else x.cumsum(dim)
    anywhere.gives(summed, (x,), wanted)


def test_f23_absmax_keeps_its_source(anywhere) -> None:
    """absmax turned its source to magnitudes: the sum below was [6, 4, 5]."""

    @T.prim_func
    def added(X: T.Tensor((1, 3), "float32"), Y: T.Tensor((1, 3), "float32")):
        with T.Kernel(1, is_npu=True):
            x = T.alloc_ub((1, 3), "float32")
            m = T.alloc_ub((1, 1), "float32")
            y = T.alloc_ub((1, 3), "float32")
            T.copy(X, x)
            T.reduce_absmax(x, m, dim=1)
            T.vadd(x, m, y)
            T.copy(y, Y)

    x = torch.tensor([[-3.0, 1, 2]])
    anywhere.gives(added, (x,), torch.tensor([[0.0, 4, 5]]))


@pytest.mark.parametrize("clear", [True, False])
@pytest.mark.parametrize("name", ["max", "min"])
def test_f24_nan_wins_in_max_and_min(anywhere, name: str, clear: bool) -> None:
    """reduce_max with clear=False lost a NaN of the row."""

    @T.prim_func
    def largest(X: T.Tensor((2, 3), "float32"), M: T.Tensor((2, 1), "float32")):
        with T.Kernel(1, is_npu=True):
            x = T.alloc_ub((2, 3), "float32")
            m = T.alloc_ub((2, 1), "float32")
            T.copy(X, x)
            T.vbrc(-1.0, m)
            T.reduce(x, m, dims=1, reduce_mode=name, clear=clear)
            T.copy(m, M)

    x = torch.tensor([[1.0, torch.nan, 2.0], [-4.0, -3.0, -2.0]])
    rows = getattr(torch, f"a{name}")(x, 1, keepdim=True)
    joined = getattr(torch, f"{name}imum")(rows, torch.full((2, 1), -1.0))
    anywhere.gives(largest, (x,), rows if clear else joined)


def test_f25_swapped_arguments_of_a_reduction(refused) -> None:
    """The order of a reduction's arguments changed between versions of the language."""

    def make() -> T.PrimFunc:
        @T.prim_func
        def swapped(X: T.Tensor((8, 64), "float32")):
            with T.Kernel(1, is_npu=True):
                x = T.alloc_ub((8, 64), "float32")
                out = T.alloc_ub((8, 1), "float32")
                T.copy(X, x)
                T.reduce_sum(out, x, dim=1)

        return swapped

    words = ("(8, 1)", "(8, 64)", "swapped")
    refused(make, "TL123", "T.reduce_sum(out, x, dim=1)", *words)


def _pairs() -> T.PrimFunc:
    @T.prim_func
    def pairs(X: T.Tensor((16,), "float16"), Y: T.Tensor((8,), "float16")):
        with T.Kernel(1, is_npu=True):
            x = T.alloc_ub((16,), "float16")
            y = T.alloc_ub((8,), "float16")
            T.copy(X, x)
            for i in T.serial(8):
                y[i] = x[2 * i] + x[2 * i + 1]
            T.copy(y, Y)

    return pairs


def test_f26_scalar_arithmetic_in_float16(anywhere) -> None:
    """Scalar float16 arithmetic is illegal on the core; it is computed in float32."""
    torch.manual_seed(26)
    x = torch.randn(16).half()
    anywhere.gives(_pairs(), (x,), x[0::2] + x[1::2])


def test_f27_bfloat16_as_name_number_and_cast(anywhere) -> None:
    """T.bfloat16 was missing, and a bfloat16 element could not be cast to float32."""

    @T.prim_func
    def scaled(A: T.Tensor((4,), T.bfloat16), B: T.Tensor((4, 8), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            half = T.alloc_ub((1, 8), T.bfloat16)
            wide = T.alloc_ub((1, 8), "float32")
            v = T.Cast("float32", A[cid])
            T.vbrc(T.bfloat16(1.5), half)
            T.vcast(half, wide)
            T.vmul(wide, v, wide)
            T.copy(wide, B[cid, 0])

    a = torch.tensor([1.0, -2.5, 0.007, 300.0]).bfloat16()
    anywhere.gives(scaled, (a,), (a.float() * 1.5)[:, None].expand(4, 8).contiguous())


_HALVES = torch.tensor([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 0.49, 7.51, -7.49]) * 0.25
_BY_MODE = {
    "rint": torch.round,
    "round": lambda x: torch.trunc(x + torch.copysign(torch.tensor(0.5), x)),
    "floor": torch.floor,
    "ceil": torch.ceil,
    "trunc": torch.trunc,
}


@pytest.mark.parametrize("mode", list(_BY_MODE))
def test_f28_rounding_of_a_quantiser(anywhere, mode: str) -> None:
    """floor(x + 0.5) took the place of the vendor's rounding: halves were off by one."""

    @T.prim_func
    def quantised(
        X: T.Tensor((10,), "float32"),
        Q: T.Tensor((10,), "int32"),
        F: T.Tensor((10,), "int32"),
    ):
        with T.Kernel(1, is_npu=True):
            x = T.alloc_ub((10,), "float32")
            q = T.alloc_ub((10,), "int32")
            f = T.alloc_ub((10,), "int32")
            T.copy(X, x)
            T.vdiv(x, 0.25, x)
            T.vcast(x, q, round_mode=mode)
            T.vadd(x, 0.5, x)
            T.vcast(x, f, round_mode="floor")
            T.copy(q, Q)
            T.copy(f, F)

    scaled = _HALVES / 0.25
    wanted = _BY_MODE[mode](scaled).int(), torch.floor(scaled + 0.5).int()
    anywhere.gives(quantised, (_HALVES,), *wanted)
    # Ties to even and floor(x + 0.5) are different rules: the case is about that.
    assert mode != "rint" or not torch.equal(*wanted)


def test_f29_int8_to_float16(anywhere) -> None:
    """The cast between elements of one and of two bytes read wrong lanes."""

    @T.prim_func
    def doubled(A: T.Tensor((4, 48), "int8"), B: T.Tensor((4, 48), "float16")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((4, 48), "int8")
            b = T.alloc_ub((4, 48), "float16")
            T.copy(A, a)
            T.vcast(a, b)
            T.vmul(b, 2.0, b)
            T.copy(b, B)

    a = (torch.arange(192) - 64).to(torch.int8).reshape(4, 48)
    anywhere.gives(doubled, (a,), a.half() * 2)
