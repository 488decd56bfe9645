"""Element loops that went wrong elsewhere: their numbers here, and what the pass says of them."""

from __future__ import annotations

import torch

import tlcourse.language as T
from tlcourse.functional.generate import generate
from tlcourse.functional.run import run
from tlcourse.pipeline import compile_module
from tlcourse.pipeline.options import PassOptions
from tlcourse.records import PassTrace


def computed(kernel: T.PrimFunc, *buffers: object) -> tuple[str, ...]:
    """Runs a kernel after the TIR passes; the notes of NpuLoopVectorize."""
    found = compile_module(
        kernel.module, kernel.sources, mode="Developer", options=PassOptions(), trace=True
    )
    run(generate(found.tile, kernel.sources), list(buffers), symbols={})
    assert found.trace is not None
    return notes(found.trace)


def notes(trace: PassTrace) -> tuple[str, ...]:
    step = next(s for s in trace.snapshots if s.pass_name == "NpuLoopVectorize")
    assert "tl.notes" not in trace.texts[step.text_id]
    return step.notes


def test_tiles_of_different_width_keep_their_rows() -> None:
    @T.prim_func
    def k(S: T.Tensor((4, 8), "float32"), D: T.Tensor((4, 16), "float32")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            src = T.alloc_shared((4, 8), "float32")
            dst = T.alloc_shared((4, 16), "float32")
            T.copy(S, src)
            T.vbrc(0.0, dst)
            for g, i in T.Parallel(4, 8):
                dst[g, i] = src[g, i]
            T.copy(dst, D)

    source, got = torch.arange(32.0).reshape(4, 8), torch.full((4, 16), 9.0)
    said = computed(k, source, got)
    torch.testing.assert_close(got, torch.cat([source, torch.zeros(4, 8)], 1), rtol=0, atol=0)
    assert "i became copy; g kept scalar: the loop takes a part of dst" in said[0]


def test_a_branch_on_data_stays_scalar() -> None:
    @T.prim_func
    def k(X: T.Tensor((64,), "float32"), Y: T.Tensor((64,), "float32")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            x = T.alloc_shared((64,), "float32")
            y = T.alloc_shared((64,), "float32")
            T.copy(X, x)
            for i in T.Parallel(64):
                if x[i] > 0:
                    y[i] = x[i]
                else:
                    y[i] = -2.0 * x[i]
            T.copy(y, Y)

    torch.manual_seed(0)
    given, got = torch.randn(64), torch.zeros(64)
    said = computed(k, given, got)
    torch.testing.assert_close(got, torch.where(given > 0, given, -2 * given), rtol=0, atol=0)
    assert said[0].endswith("i kept scalar: branch on data")


def test_an_outer_index_joins_a_loop_variable() -> None:
    @T.prim_func
    def k(S: T.Tensor((4, 16), "float32"), D: T.Tensor((8, 16), "float32")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            s = T.alloc_shared((4, 16), "float32")
            o = T.alloc_shared((8, 16), "float32")
            T.copy(S, s)
            for b in T.serial(2):
                for g, i in T.Parallel(4, 16):
                    o[b * 4 + g, i] = s[g, i] * 2.0
            T.copy(o, D)

    source, got = torch.arange(64.0).reshape(4, 16), torch.zeros(8, 16)
    said = computed(k, source, got)
    torch.testing.assert_close(got, torch.cat([source, source]) * 2, rtol=0, atol=0)
    assert said[0].endswith("g, i kept scalar: store index is no loop variable")


def test_an_extent_of_the_run_stays_scalar() -> None:
    @T.prim_func
    def k(S: T.Tensor((40,), "float32"), D: T.Tensor((40,), "float32"), n: T.int32):
        with T.Kernel(2, is_npu=True) as (cid, _):
            s = T.alloc_shared((32,), "float32")
            rb = T.min(32, n - cid * 32)
            T.copy(S[cid * 32 : cid * 32 + rb], s[0:rb])
            for i in T.Parallel(rb):
                s[i] = s[i] + 1.0
            T.copy(s[0:rb], D[cid * 32 : cid * 32 + rb])

    source, got = torch.arange(40.0), torch.zeros(40)
    said = computed(k, source, got, 40)
    torch.testing.assert_close(got, source + 1, rtol=0, atol=0)
    assert said[0].endswith("i kept scalar: extent not constant")


def test_a_scalar_variable_in_the_body() -> None:
    @T.prim_func
    def k(X: T.Tensor((16,), "int32"), Y: T.Tensor((16,), "int32")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            x = T.alloc_shared((16,), "int32")
            y = T.alloc_shared((16,), "int32")
            v = T.alloc_var("int32")
            T.copy(X, x)
            for i in T.Parallel(16):
                v = x[i] * 2
                y[i] = v + 1
            T.copy(y, Y)

    given, got = torch.arange(16, dtype=torch.int32), torch.zeros(16, dtype=torch.int32)
    said = computed(k, given, got)
    torch.testing.assert_close(got, given * 2 + 1)
    assert "i kept scalar" in said[0]


def test_serial_loops_with_bounds_from_a_tile() -> None:
    @T.prim_func
    def k(B: T.Tensor((8, 2), "int32"), D: T.Tensor((8, 4, 4), "int32")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            bounds = T.alloc_shared((8, 2), "int32")
            out = T.alloc_shared((8, 4, 4), "int32")
            T.copy(B, bounds)
            T.vbrc(0, out)
            for p in T.Parallel(8):
                for i in T.serial(bounds[p, 0]):
                    for j in T.serial(bounds[p, 1]):
                        out[p, i, j] = 1
            T.copy(out, D)

    torch.manual_seed(0)
    bounds = torch.randint(0, 4, (8, 2), dtype=torch.int32)
    got = torch.zeros(8, 4, 4, dtype=torch.int32)
    said = computed(k, bounds, got)
    expected = torch.zeros_like(got)
    for p, (rows, columns) in enumerate(bounds.tolist()):
        expected[p, :rows, :columns] = 1
    torch.testing.assert_close(got, expected)
    assert "p kept scalar: a loop inside its body" in said[0]


def test_a_norm_over_576_columns_says_what_it_became() -> None:
    @T.prim_func
    def k(X: T.Tensor((8, 576), "float32"), Y: T.Tensor((8, 576), "float32")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            x = T.alloc_shared((8, 576), "float32")
            square = T.alloc_shared((8, 576), "float32")
            total = T.alloc_shared((8, 1), "float32")
            T.copy(X, x)
            for i, j in T.Parallel(8, 576):
                square[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(square, total, dim=1)
            for i, j in T.Parallel(8, 576):
                x[i, j] = x[i, j] * T.rsqrt(total[i, 0] / 576.0 + 1e-6)
            T.copy(x, Y)

    torch.manual_seed(0)
    given, got = torch.randn(8, 576), torch.zeros(8, 576)
    said = computed(k, given.clone(), got)
    expected = given * torch.rsqrt((given * given).mean(1, keepdim=True) + 1e-6)
    torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)
    assert said[0].endswith("i, j became vmul")
    assert len(said) == 2


def test_an_operator_without_vector_form_stays_scalar() -> None:
    @T.prim_func
    def k(X: T.Tensor((16,), "int32"), Y: T.Tensor((16,), "int32")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            x = T.alloc_shared((16,), "int32")
            y = T.alloc_shared((16,), "int32")
            T.copy(X, x)
            for i in T.Parallel(16):
                y[i] = T.max(x[i], 0) % 3
            T.copy(y, Y)

    given, got = torch.arange(-8, 8, dtype=torch.int32), torch.zeros(16, dtype=torch.int32)
    said = computed(k, given, got)
    torch.testing.assert_close(got, given.clamp_min(0) % 3)
    assert said[0].endswith("i kept scalar: tl.floormod has no vector form")
