"""Field log, groups H and I: what a launch and a second compile must take into account."""

from __future__ import annotations

import pytest
import torch

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.jit import AutoTuner
from tlcourse.jit import compile as compile_kernel


def test_f72_product_over_nothing(developer) -> None:
    """A product of matrices with K = 0 tripped a check of strides; it is zero."""
    K = T.symbolic("K")

    @T.prim_func
    def product(
        A: T.Tensor((16, K), "float16"),
        B: T.Tensor((K, 16), "float16"),
        C: T.Tensor((16, 16), "float32"),
    ):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((16, 16), "float16")
            b = T.alloc_shared((16, 16), "float16")
            c = T.alloc_fragment((16, 16), "float32")
            T.clear(c)
            for k in T.serial(T.ceildiv(K, 16)):
                T.copy(A[0:16, k * 16 : k * 16 + 16], a)
                T.copy(B[k * 16 : k * 16 + 16, 0:16], b)
                T.gemm(a, b, c)
            T.copy(c, C)

    for size in (0, 32):
        a, b = torch.ones(16, size).half(), torch.ones(size, 16).half()
        developer.gives(product, (a, b), torch.full((16, 16), float(size)))


def _doubled() -> T.PrimFunc:
    @T.prim_func
    def doubled(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((64,), "float32")
            T.copy(A, a)
            T.vadd(a, a, a)
            T.copy(a, B)

    return doubled


def test_f75_mode_and_pass_configs_make_another_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel compiled again with another mode or pass config was the old one from the cache."""
    texts: list[str] = []
    for mode in ("Developer", "Expert", "Developer"):
        monkeypatch.setenv("TILELANG_ASCEND_MODE", mode)
        texts.append(compile_kernel(_doubled()).mlir_content)
    assert "tensor<" in texts[0]
    assert "tensor<" not in texts[1]
    assert texts[0] == texts[2]


def test_f75_a_pass_config_is_seen_in_the_second_run() -> None:
    """Without the compiler's synchronisation the same kernel races, and with it again not."""
    codes: list[list[str]] = []
    for configs in ({}, {"npuir.disable_hivm_auto_inject_sync": True}, {}):
        kernel = compile_kernel(_doubled(), mode="Expert", pass_configs=configs)
        a, b = torch.ones(64).npu(), torch.zeros(64).npu()
        launch = kernel.launch(a, b, execution="simulator")
        codes.append([finding.diagnostic.code for finding in launch.findings])
    assert codes[0] == codes[2] == []
    assert "TL521" in codes[1]


def test_f77_every_configuration_and_why_it_failed() -> None:
    """No configuration succeeded, and the reasons were hidden in a log."""

    def make(block: int) -> T.PrimFunc:
        @T.prim_func
        def copied(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(64 // block, is_npu=True) as (cid, _):
                a = T.alloc_ub((block,), "float32")
                T.copy(A[cid * block : cid * block + block], a)
                T.copy(a, B[cid * block : cid * block + block])

        return copied

    tuner = AutoTuner(make, [{"block": 128}, {"block": 0}])
    with pytest.raises(TLError) as caught:
        tuner.run()
    text = str(caught.value)
    assert caught.value.code == "TL452"
    assert "128" in text
    assert "TL112" in text
    assert "TL130" in text
