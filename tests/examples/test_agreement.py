"""Every way of compiling and running a kernel gives torch's numbers, within the dtype table."""

from __future__ import annotations

import pytest
import torch
import torch_npu  # noqa: F401 - adds `.npu()`

from tlcourse.examples.elementwise import vector_add_developer, vector_add_expert
from tlcourse.examples.minicv import minicv_developer, minicv_expert
from tlcourse.jit import compile as compile_kernel
from tlcourse.tolerance import tolerance

M, N, K = 256, 512, 128
TILES = {"block_M": 64, "block_N": 128, "block_K": 64}


def _minicv(form, mode: str, dtype: str):
    generator = torch.Generator().manual_seed(0)
    kind = getattr(torch, dtype)
    a = (torch.randn(M, K, generator=generator) / K**0.5).to(kind)
    b = torch.randn(K, N, generator=generator).to(kind)
    c = a.float() @ b.float()
    kernel = compile_kernel(form(M, N, K, **TILES, dtype=dtype), out_idx=[2, 3], mode=mode)
    return kernel, (a, b), (c, c.exp()), "float32"


def _vector_add(form, mode: str, dtype: str):
    generator = torch.Generator().manual_seed(0)
    a, b = (torch.randn(4096, generator=generator).to(getattr(torch, dtype)) for _ in range(2))
    kernel = compile_kernel(form(4096, 256, dtype=dtype), out_idx=[2], mode=mode)
    return kernel, (a, b), (a + b,), dtype


CASES = {
    f"{name}-{mode}-{dtype}": (make, form, mode, dtype)
    for name, make, mode, form, dtypes in (
        ("minicv", _minicv, "Expert", minicv_expert, ("float16", "bfloat16")),
        ("minicv", _minicv, "Developer", minicv_developer, ("float16", "bfloat16")),
        ("vadd", _vector_add, "Expert", vector_add_expert, ("float16", "float32")),
        ("vadd", _vector_add, "Developer", vector_add_developer, ("float16", "float32")),
    )
    for dtype in dtypes
}


@pytest.mark.parametrize("execution", ["functional", "simulator"])
@pytest.mark.parametrize("backend", ["embedded", "bishengir"])
@pytest.mark.parametrize("case", CASES)
def test_equal_to_torch(
    case: str, backend: str, execution: str, request: pytest.FixtureRequest
) -> None:
    if backend == "bishengir":
        request.getfixturevalue("bishengir_opt")
    make, form, mode, dtype = CASES[case]
    kernel, inputs, expected, out_dtype = make(form, mode, dtype)
    launch = kernel.launch(*(t.npu() for t in inputs), execution=execution, backend=backend)
    assert launch.findings == ()
    limit = tolerance(out_dtype)
    for result, want in zip(launch.outputs, expected, strict=True):
        torch.testing.assert_close(result.cpu(), want, rtol=limit, atol=limit)
