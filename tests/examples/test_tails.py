"""Sizes that no tile divides, in every way of compiling and running."""

from __future__ import annotations

import pytest
import tilelang.language as T
import torch
import torch_npu  # noqa: F401 - adds `.npu()`

from tlcourse.examples.tails import minicv_tails_developer, minicv_tails_expert
from tlcourse.jit import compile as compile_kernel

FORMS = {"Developer": minicv_tails_developer, "Expert": minicv_tails_expert}
SIZES = [(200, 160, 128), (64, 70, 64), (65, 64, 64), (1, 1, 64), (33, 129, 192)]


def _inputs(m: int, n: int, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    a = (torch.randn(m, k, generator=generator) / k**0.5).half()
    return a, torch.randn(k, n, generator=generator).half()


@pytest.mark.parametrize("execution", ["functional", "simulator"])
@pytest.mark.parametrize("backend", ["embedded", "bishengir"])
@pytest.mark.parametrize("mode", FORMS)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_minicv(
    sizes: tuple[int, int, int],
    mode: str,
    backend: str,
    execution: str,
    request: pytest.FixtureRequest,
) -> None:
    if backend == "bishengir":
        request.getfixturevalue("bishengir_opt")
    a, b = _inputs(*sizes)
    kernel = compile_kernel(FORMS[mode](*sizes), out_idx=[2, 3], mode=mode)
    launch = kernel.launch(a.npu(), b.npu(), execution=execution, backend=backend)
    assert launch.findings == ()
    c = a.float() @ b.float()
    for result, want in zip(launch.outputs, (c, c.exp()), strict=True):
        torch.testing.assert_close(result.cpu(), want, rtol=1e-4, atol=1e-4)


def _one_block(rows: int, depth: int, stored: int):
    """A 32 x 32 x 32 product of which `rows` rows and `depth` columns of A are loaded."""

    @T.prim_func
    def product(
        A: T.Tensor((32, 32), "float16"),
        B: T.Tensor((32, 32), "float16"),
        C: T.Tensor((32, 32), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            A_sh = T.alloc_shared((32, 32), "float16")
            B_sh = T.alloc_shared((32, 32), "float16")
            C_fr = T.alloc_fragment((32, 32), "float32")
            E_fr = T.alloc_fragment((32, 32), "float32")
            T.copy(A[0:rows, 0:depth], A_sh[0:rows, 0:depth])
            T.copy(B, B_sh)
            T.gemm(A_sh, B_sh, C_fr, initC=True)
            T.vexp(C_fr, E_fr)
            T.copy(E_fr[0:stored, :], C[0:stored, :])

    return product


@pytest.mark.parametrize(
    ("rows", "depth", "stored", "tainted"),
    [(20, 32, 20, 0), (20, 32, 32, 384), (32, 16, 32, 512), (20, 16, 8, 256)],
    ids=["rows-left-out", "rows-stored", "missing-in-the-sum", "few-stored"],
)
def test_unwritten_parts_taint_their_rows_only(
    rows: int, depth: int, stored: int, tainted: int
) -> None:
    a, b = torch.ones(32, 32).half(), torch.ones(32, 32).half()
    c = torch.zeros(32, 32)
    kernel = compile_kernel(_one_block(rows, depth, stored), mode="Developer")
    launch = kernel.launch(a.npu(), b.npu(), c.npu())
    codes = [finding.diagnostic.code for finding in launch.findings]
    assert codes == (["TL520"] if tainted else [])
    if tainted:
        assert f"uses {tainted} of" in launch.findings[0].diagnostic.what


@pytest.mark.parametrize("execution", ["functional", "simulator"])
@pytest.mark.parametrize("K", [100, 96, 20])
def test_last_block_of_the_sum_may_be_short(K: int, execution: str) -> None:
    """T.ceildiv(K, block) with slices of what is there, also in the product."""

    @T.prim_func
    def product(
        A: T.Tensor((32, K), "float16"),
        B: T.Tensor((K, 48), "float16"),
        C: T.Tensor((32, 48), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            A_sh = T.alloc_shared((32, 32), "float16")
            B_sh = T.alloc_shared((32, 48), "float16")
            C_fr = T.alloc_fragment((32, 48), "float32")
            for k in T.serial(T.ceildiv(K, 32)):
                n = T.min(32, K - k * 32)
                T.copy(A[:, k * 32 : k * 32 + n], A_sh[:, 0:n])
                T.copy(B[k * 32 : k * 32 + n, :], B_sh[0:n, :])
                T.gemm(A_sh[:, 0:n], B_sh[0:n, :], C_fr, initC=(k == 0))
            T.copy(C_fr, C)

    torch.manual_seed(K)
    a, b = torch.randn(32, K).half(), torch.randn(K, 48).half()
    passed = torch.zeros(32, 48).npu()
    kernel = compile_kernel(product, mode="Developer")
    assert kernel.launch(a.npu(), b.npu(), passed, execution=execution).findings == ()
    torch.testing.assert_close(passed.cpu(), a.float() @ b.float(), rtol=1e-4, atol=1e-4)
