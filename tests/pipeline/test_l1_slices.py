"""Products of parts of L1 tiles that start at any row, not only where blocks of 16 rows do."""

from __future__ import annotations

import pytest
import torch

import tlcourse.language as T
from tlcourse import device
from tlcourse.diagnostics import TLError
from tlcourse.jit import compile as compile_kernel
from tlcourse.records import Backend

ROWS = 48
A_TYPE, B_TYPE = T.Tensor((ROWS, 16), "float16"), T.Tensor((16, 16), "float16")


def _developer(step: int, count: int, size: int) -> T.PrimFunc:
    @T.prim_func
    def parts(A: A_TYPE, B: B_TYPE, C: T.Tensor((count, size, 16), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((ROWS, 16), "float16")
            b = T.alloc_shared((16, 16), "float16")
            c = T.alloc_fragment((size, 16), "float32")
            T.copy(A, a)
            T.copy(B, b)
            for i in T.serial(count):
                T.gemm(a[i * step : i * step + size, :], b, c, initC=True)
                T.copy(c, C[i, :, :])

    return parts


def _expert(step: int, count: int, size: int) -> T.PrimFunc:
    @T.prim_func
    def parts(A: A_TYPE, B: B_TYPE, C: T.Tensor((count, size, 16), "float32")):
        with T.Kernel(1, is_npu=True):
            with T.Scope("Cube"):
                a = T.alloc_L1((ROWS, 16), "float16")
                b = T.alloc_L1((16, 16), "float16")
                c = T.alloc_L0C((size, 16), "float32")
                # The first rows come last: a part is filled at any row as well.
                T.copy(A[5:ROWS, :], a[5:ROWS, :])
                T.copy(A[0:5, :], a[0:5, :])
                T.copy(B, b)
                for i in T.serial(count):
                    T.gemm(a[i * step : i * step + size, :], b, c, initC=True)
                    T.copy(c, C[i, :, :])

    return parts


@pytest.mark.parametrize(
    "backend", ["embedded", pytest.param("bishengir", marks=pytest.mark.bishengir)]
)
@pytest.mark.parametrize(("step", "count", "size"), [(8, 6, 8), (7, 4, 24), (16, 3, 16)])
@pytest.mark.parametrize("mode", ["Developer", "Expert"])
def test_parts_at_any_row(mode: str, step: int, count: int, size: int, backend: Backend) -> None:
    device.install()
    torch.manual_seed(0)
    a, b = torch.randn(ROWS, 16).half(), torch.randn(16, 16).half()
    func = (_expert if mode == "Expert" else _developer)(step, count, size)
    kernel = compile_kernel(func, out_idx=[2], mode=mode)
    launch = kernel.launch(a.npu(), b.npu(), execution="simulator", backend=backend)
    assert launch.findings == ()
    whole = a.float() @ b.float()
    for i, part in enumerate(launch.outputs[0].cpu()):
        wanted = whole[i * step : i * step + size]
        torch.testing.assert_close(part, wanted, rtol=1e-4, atol=1e-4)


def _columns(first: int | None) -> T.PrimFunc:
    """A product of 16 of 32 columns, from a known column or from one of the launch."""

    @T.prim_func
    def product(
        A: T.Tensor((16, 32), "float16"), B: B_TYPE, C: T.Tensor((16, 16), "float32"), n: T.int32
    ):
        with T.Kernel(1, is_npu=True):
            with T.Scope("Cube"):
                a = T.alloc_L1((16, 32), "float16")
                b = T.alloc_L1((16, 16), "float16")
                c = T.alloc_L0C((16, 16), "float32")
                T.copy(A, a)
                T.copy(B, b)
                start = n if first is None else first
                T.gemm(a[:, start : start + 16], b, c, initC=True)
                T.copy(c, C)

    return product


def test_columns_inside_a_block_are_refused() -> None:
    """The unit would take the end of one row and the start of the next for a row."""
    kernel = compile_kernel(_columns(8), mode="Expert")
    with pytest.raises(TLError) as caught:
        kernel.program("simulator")
    assert caught.value.code == "TL303"


@pytest.mark.parametrize(("start", "codes"), [(16, []), (8, ["TL501"])])
def test_columns_known_in_the_run_are_found(start: int, codes: list[str]) -> None:
    device.install()
    kernel = compile_kernel(_columns(None), mode="Expert")
    a, b, c = torch.ones(16, 32).half(), torch.ones(16, 16).half(), torch.zeros(16, 16)
    launch = kernel.launch(a.npu(), b.npu(), c.npu(), start, execution="simulator")
    assert [finding.diagnostic.code for finding in launch.findings] == codes
