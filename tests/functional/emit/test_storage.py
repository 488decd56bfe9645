"""Which buffers are poisoned in each block, and which are kept in float32."""

from __future__ import annotations

from collections.abc import Callable

import torch

import tlcourse.language as T
from tlcourse.dialects import tl
from tlcourse.dialects.signature import stamp
from tlcourse.functional.emit.storage import is_name, needs_poison, storage_dtype


def allocs(func: T.PrimFunc) -> dict[str, tl.AllocOp]:
    stamp(func.module, mode="Expert", target="npuir", out_idx=(), pass_configs={})
    return {op.label.data: op for op in func.module.walk() if isinstance(op, tl.AllocOp)}


def test_poison_is_needed_unless_the_first_access_fills_the_buffer() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((16,), "float32"), n: T.int32):
        with T.Kernel(1, is_npu=True):
            filled = T.alloc_ub((16,), "float32")
            partly = T.alloc_ub((16,), "float32")
            in_place = T.alloc_ub((16,), "float32")
            cleared = T.alloc_ub((16,), "float32")
            maybe = T.alloc_ub((16,), "float32")
            looped = T.alloc_ub((16,), "float32")
            T.copy(A, filled)
            T.copy(A[0:8], partly[0:8])
            T.vadd(in_place, filled, in_place)
            T.clear(cleared)
            if n > 0:
                T.copy(A, maybe)
            for _i in T.serial(4):
                T.copy(A, looped)
                T.vadd(looped, cleared, partly)
            T.copy(maybe, A)

    needs = {name: needs_poison(op, "vector") for name, op in allocs(kernel).items()}
    assert needs == {
        "filled": False,
        "partly": True,
        "in_place": True,
        "cleared": False,
        "maybe": True,
        "looped": False,
    }


def test_a_write_on_the_other_core_fills_nothing() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((16,), "float32")):
        with T.Kernel(1, is_npu=True):
            shared = T.alloc_ub((16,), "float32")
            with T.Scope("Cube"):
                T.copy(A, shared)
            with T.Scope("Vector"):
                T.copy(shared, A)

    (op,) = allocs(kernel).values()
    assert not needs_poison(op, "cube")
    assert needs_poison(op, "vector")


def test_accumulator_is_filled_by_a_product_that_always_starts_anew() -> None:
    def products(init: bool) -> T.PrimFunc:
        @T.prim_func
        def kernel(A: T.Tensor((16, 16), "float16"), C: T.Tensor((16, 16), "float32")):
            with T.Kernel(1, is_npu=True):
                a = T.alloc_L1((16, 16), "float16")
                c = T.alloc_L0C((16, 16), "float32")
                T.copy(A, a)
                T.gemm(a, a, c, initC=init)
                T.copy(c, C)

        return kernel

    assert not needs_poison(allocs(products(True))["c"], "cube")
    assert needs_poison(allocs(products(False))["c"], "cube")


def test_operands_of_products_are_kept_wide() -> None:
    @T.prim_func
    def kernel(
        A: T.Tensor((16, 16), "float16"),
        F: T.Tensor((16, 16), "float32"),
        C: T.Tensor((16, 16), "float32"),
    ):
        with T.Kernel(1, is_npu=True):
            copied = T.alloc_shared((16, 16), "float16")
            rounded = T.alloc_shared((16, 16), "float16")
            computed = T.alloc_shared((16, 16), "float16")
            c = T.alloc_fragment((16, 16), "float32")
            T.clear(copied)
            T.copy(A[0:8, :], copied[0:8, :])
            T.copy(F, rounded)
            T.copy(A, computed)
            T.vexp(computed, computed)
            T.gemm(copied, rounded, c, initC=True)
            T.gemm(copied, computed, c)
            T.copy(c, C)

    kept = {name: storage_dtype(op, "vector") for name, op in allocs(kernel).items()}
    assert kept == {
        "copied": "float32",
        "rounded": "float16",
        "computed": "float16",
        "c": "float32",
    }


def test_half_precision_that_feeds_no_product_stays() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((16,), "float16")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((16,), "float16")
            T.copy(A, a)
            T.copy(a, A)

    assert storage_dtype(allocs(kernel)["a"], "vector") == "float16"


def test_buffers_that_are_names_for_tiles() -> None:
    @T.prim_func
    def kernel(
        A: T.Tensor((32, 16), "float16"),
        W: T.Tensor((16, 16), "float16"),
        C: T.Tensor((16, 16), "float32"),
        n: T.int32,
    ):
        with T.Kernel(1, is_npu=True):
            tile = T.alloc_shared((16, 16), "float16")
            plane = T.alloc_shared((1, 16, 16), "float16")
            partly = T.alloc_shared((16, 16), "float16")
            sliced = T.alloc_shared((16, 16), "float16")
            changing = T.alloc_shared((16, 16), "float16")
            cleared = T.alloc_shared((16, 16), "float16")
            c = T.alloc_fragment((16, 16), "float32")
            T.copy(A[16:32, :], tile)
            T.copy(A[0:16, :], plane)
            T.copy(A[0:n, :], partly[0:n, :])
            T.copy(A[0:16, :], sliced)
            T.copy(W, changing)
            T.clear(cleared)
            T.gemm(tile, tile, c, initC=True)
            T.gemm(tile, partly, c)
            T.gemm(sliced[0:16, 0:8], cleared[0:8, :], c)
            T.gemm(changing, cleared, c)
            T.gemm(plane[0, :, :], cleared, c)
            T.copy(c, C)
            T.copy(c, W)

    names = {name: is_name(op, "vector") for name, op in allocs(kernel).items()}
    assert names == {
        "tile": True,
        "plane": False,
        "partly": False,
        "sliced": False,
        "changing": False,
        "cleared": False,
        "c": False,
    }


def test_wide_storage_changes_no_number(launch: Callable[..., object]) -> None:
    @T.prim_func
    def kernel(
        A: T.Tensor((16, 16), "float16"),
        B: T.Tensor((16, 16), "float16"),
        C: T.Tensor((16, 16), "float32"),
    ):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((16, 16), "float16")
            c = T.alloc_fragment((16, 16), "float32")
            T.copy(A, a)
            T.gemm(a, a, c, initC=True)
            T.copy(c, C)
            T.copy(a, B)

    a = torch.randn(16, 16).half()
    b, c = torch.empty(16, 16).half(), torch.empty(16, 16)
    launch(kernel, a, b, c, mode="Developer")
    assert torch.equal(b, a)
    torch.testing.assert_close(c, a.float() @ a.float(), rtol=1e-4, atol=1e-4)


def test_tensor_that_the_kernel_writes_is_read_anew(launch: Callable[..., object]) -> None:
    @T.prim_func
    def powers(A: T.Tensor((16, 16), "float16")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((16, 16), "float16")
            c = T.alloc_fragment((16, 16), "float32")
            for _k in T.serial(3):
                T.copy(A, a)
                T.gemm(a, a, c, initC=True)
                T.copy(c, A)

    a = (torch.rand(16, 16) / 4).half()
    expected = a.clone()
    for _ in range(3):
        expected = (expected.float() @ expected.float()).half()
    launch(powers, a, mode="Developer")
    torch.testing.assert_close(a, expected, rtol=1e-3, atol=1e-3)


def test_name_stands_for_poison_until_the_first_copy(launch: Callable[..., object]) -> None:
    @T.prim_func
    def late(A: T.Tensor((16, 16), "float16"), C: T.Tensor((32, 16), "float32")):
        with T.Kernel(2, is_npu=True) as (cid, _):
            a = T.alloc_shared((16, 16), "float16")
            c = T.alloc_fragment((16, 16), "float32")
            T.gemm(a, a, c, initC=True, a_transpose=True)
            T.copy(A, a)
            if cid == 1:
                T.gemm(a, a, c, initC=True, a_transpose=True)
            T.copy(c, C[cid * 16 : cid * 16 + 16, :])

    a, c = torch.randn(16, 16).half(), torch.zeros(32, 16)
    launch(late, a, c, mode="Developer")
    assert c[:16].isnan().all()
    torch.testing.assert_close(c[16:], a.float().t() @ a.float(), rtol=1e-4, atol=1e-4)
