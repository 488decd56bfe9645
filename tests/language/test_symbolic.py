"""Symbolic sizes: arithmetic in the factory, arguments of the kernel."""

from __future__ import annotations

import pytest

import tlcourse.language as T
from tlcourse import extents
from tlcourse.diagnostics import TLError

M, N = T.dynamic("M, N")
TEXTS = [
    (T.ceildiv(M, 64), {"M": 65}, 2),
    (M * 2 + N // 3 - 1, {"M": 5, "N": 7}, 11),
    ((M + N) * 2, {"M": 5, "N": 7}, 24),
    (10 - (M - N), {"M": 5, "N": 7}, 12),
    (-M % 8, {"M": 5}, 3),
    (T.min(M, 4) * T.max(N, 2), {"M": 5, "N": 1}, 8),
    (T.ceildiv(M, N), {"M": 9, "N": 4}, 3),
]


@pytest.mark.parametrize(("size", "values", "wanted"), TEXTS, ids=lambda value: str(value))
def test_text(size: object, values: dict[str, int], wanted: int) -> None:
    assert extents.evaluate(str(size), values) == wanted


def test_equal_texts_are_equal_sizes() -> None:
    assert T.symbolic("M") == T.symbolic("M")
    assert T.symbolic("M") != T.symbolic("N")
    assert len({T.symbolic("M"), T.symbolic("M")}) == 1


def test_each_symbol_becomes_one_argument_behind_the_parameters(read) -> None:
    kernel = read(
        """
        M, N = T.dynamic("M N")

        @T.prim_func
        def k(A: T.Tensor((M, N), "float32"), B: T.Tensor((N * 2, M + n), "float32"), n: T.int32):
            with T.Kernel(T.ceildiv(M, 64), is_npu=True) as (cid, vid):
                T.print(N + B.shape[0])
        """,
        n=T.symbolic("n"),
    )
    text = str(kernel.module)
    assert text.count('tl.kind = "symbol"') == 2
    assert text.index('tl.name = "n"') < text.index('tl.symbol = "M"')
    assert 'tl.extents = ["N * 2", "M + n"]' in text


@pytest.mark.parametrize(
    "action",
    [
        lambda: T.symbolic("no name"),
        lambda: bool(M),
        lambda: T.symbolic("min"),
    ],
)
def test_what_a_symbol_cannot_be(action) -> None:
    with pytest.raises(TLError) as caught:
        action()
    assert caught.value.code == "TL129"


def test_comparing_sizes_in_the_factory_is_refused() -> None:
    with pytest.raises(TLError) as caught:
        _ = M < 4
    assert caught.value.code == "TL108"


def test_a_tail_of_a_symbolic_size_is_a_region_of_the_run(body) -> None:
    kernel = body(
        "rows = T.min(64, n - cid * 64)\nT.copy(A[cid * 64 : cid * 64 + rows, :], a[0:rows, :])"
    )
    text = str(kernel.module)
    assert "[%rows] : memref<256x128xf32, #tl.scope<global>> to memref<?x128xf32" in text
    assert "[%c0, %c0] [%rows] : memref<64x128xf32, #tl.scope<shared>> to memref<?x128xf32" in text
