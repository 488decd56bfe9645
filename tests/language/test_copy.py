"""The older forms of T.copy: what leaves L0C, and in which form."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.dialects.signature import stamp
from tlcourse.functional.generate import generate
from tlcourse.functional.run import run

Read = Callable[..., T.PrimFunc]
SAME = {
    "load": ("T.load_nd2nz(A[n, 0], p, size=[16, 128])", "T.copy(A[n, 0], p, size=[16, 128])"),
    "load, old name": ("T.npuir_load_nd2nz(A[n, 0], p)", "T.copy(A[n, 0], p)"),
    "store": ("T.store_fixpipe(r, C[n, 0], enable_nz2nd=True)", "T.copy(r, C[n, 0])"),
    "older store": (
        "T.store_nz2nd(r, C[n, 0], size=[8, 128])",
        "T.copy(r, C[n, 0], size=[8, 128])",
    ),
    "older store, old name": ("T.npuir_store_nz2nd(r, C[n, 0])", "T.copy(r, C[n, 0])"),
}
ALLOCATIONS = """
p = T.alloc_L1((64, 128), "float32")
r = T.alloc_L0C((64, 128), "float32")
d = T.alloc_L0C((64, 128), "int32")
"""


@pytest.mark.parametrize("name", SAME)
def test_it_is_a_copy(body: Read, name: str) -> None:
    form, plain = SAME[name]
    assert body(ALLOCATIONS + form).script() == body(ALLOCATIONS + plain).script()


REFUSED = {
    "fractal order": ("TL205", "T.store_fixpipe(r, C[n, 0])"),
    "split channels": ("TL205", "T.store_fixpipe(r, C[n, 0], None, True, True)"),
    "a relu with slopes": (
        "TL205",
        "T.store_fixpipe(r, C[n, 0], enable_nz2nd=True, pre_relu_mode='prelu')",
    ),
    "a conversion": ("TL124", "T.store_fixpipe(d, C[n, 0], enable_nz2nd=True)"),
    "a conversion, older form": ("TL124", "T.store_nz2nd(d, C[n, 0])"),
    "from UB": ("TL203", "T.store_nz2nd(a, C[n, 0])"),
    "to UB": ("TL203", "T.store_nz2nd(r, a)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(refuse: Callable[[str], TLError], name: str) -> None:
    code, line = REFUSED[name]
    assert refuse(ALLOCATIONS + line).code == code


def product(relu: str, dtype: str) -> T.PrimFunc:
    """A @ A, out of L0C with or without a relu."""

    @T.prim_func
    def product(A: T.Tensor((16, 16), "float16"), C: T.Tensor((16, 16), dtype)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_L1((16, 16), "float16")
            c = T.alloc_L0C((16, 16), "float32")
            T.copy(A, a)
            T.gemm(a, a, c, initC=True)
            T.store_fixpipe(c, C[0, 0], enable_nz2nd=True, pre_relu_mode=relu)

    return product


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_relu_on_the_way_out(dtype: str) -> None:
    torch.manual_seed(3)
    a = torch.randint(-2, 3, (16, 16)).to(torch.float16)
    found = torch.empty(16, 16, dtype=getattr(torch, dtype))
    func = product("relu", dtype)
    stamp(func.module, mode="Expert", target="npuir", out_idx=(), pass_configs={})
    run(generate(func.module, func.sources), [a, found], symbols={})
    assert torch.equal(found, torch.relu(a.float() @ a.float()).to(found.dtype))


def test_relu_in_generated_code_and_in_the_script() -> None:
    from tlcourse.codegen import generate as to_mlir
    from tlcourse.dialects.text import to_text

    func = product("relu", "float16")
    stamp(func.module, mode="Expert", target="npuir", out_idx=(), pass_configs={})
    assert "pre_relu = #hivm.fixpipe_pre_relu_mode<NORMAL_RELU>" in to_text(
        to_mlir(func.module, func.sources)
    )
    assert 'enable_nz2nd=True, pre_relu_mode="relu")' in func.script()
    assert "relu" not in to_text(to_mlir(_stamped(product("", "float16")), {}))


def _stamped(func: T.PrimFunc):
    stamp(func.module, mode="Expert", target="npuir", out_idx=(), pass_configs={})
    return func.module
