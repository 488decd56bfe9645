"""T.Kernel in its forms."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tlcourse.language as T
from tlcourse.dialects.signature import kernel_of

Read = Callable[..., T.PrimFunc]
FORMS = {
    "1-D": ("T.Kernel(4, is_npu=True) as (x, v)", "x + v"),
    "1-D, second name unused": ("T.Kernel(4, is_npu=True) as (x, _)", "x"),
    "1-D without names": ("T.Kernel(4, is_npu=True)", "0"),
    "2-D": ("T.Kernel(4, n, is_npu=True) as (x, y, v)", "x + y + v"),
    "with threads": ("T.Kernel(4, threads=64, is_npu=True, pipeline=True) as (x, _)", "x"),
    "GPU form, 1-D": ("T.Kernel(4) as x", "x"),
    "GPU form, 2-D": ("T.Kernel(4, n, threads=128) as (x, y)", "x + y"),
    "GPU form, 3-D": ("T.Kernel(4, n, 2, threads=(4, 32)) as (x, y, z)", "x + y + z"),
    "with a scope": ('T.Kernel(4, is_npu=True) as (x, _), T.Scope("Vector")', "x"),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms(read: Read, name: str) -> None:
    head, index = FORMS[name]
    kernel = read(
        f"@T.prim_func\ndef k(A: T.Tensor((64,), 'int32'), n: T.int32):\n"
        f"    with {head}:\n        A[{index}] = 1\n"
    )
    dimensions = 2 if "-D" in name and "1-D" not in name else 1
    assert len(kernel_of(kernel.module).grid) == dimensions


def test_three_extents_cover_each_index_once(read: Read) -> None:
    import torch

    from tlcourse.dialects.signature import stamp
    from tlcourse.functional.generate import generate
    from tlcourse.functional.run import run

    kernel = read(
        "@T.prim_func\ndef k(C: T.Tensor((2, 3, 4), 'int32')):\n"
        "    with T.Kernel(2, 3, 4) as (x, y, z):\n"
        "        C[x, y, z] += 100 * x + 10 * y + z\n"
    )
    stamp(kernel.module, mode="Developer", target="npuir", out_idx=(), pass_configs={})
    found = torch.zeros(2, 3, 4, dtype=torch.int32)
    run(generate(kernel.module, kernel.sources), [found], symbols={})
    expected = [[[100 * x + 10 * y + z for z in range(4)] for y in range(3)] for x in range(2)]
    assert found.tolist() == expected
