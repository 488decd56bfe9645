"""What code generation emits is read, checked and compiled by the real compiler."""

from __future__ import annotations

import re

import pytest

import tlcourse.language as T
from tlcourse.bishengir import BishengOptions, compile_text
from tlcourse.dialects.text import from_text, to_text

pytestmark = pytest.mark.bishengir
_F16 = "float16"
_F32 = "float32"
_MODES = ("Expert", "Developer")


def _alloc(mode):
    return T.alloc_ub if mode == "Expert" else T.alloc_shared


def _vadd(alloc):
    @T.prim_func
    def vadd(
        A: T.Tensor((1024, 1024), _F16),
        B: T.Tensor((1024, 1024), _F16),
        C: T.Tensor((1024, 1024), _F16),
    ):
        with T.Kernel(16, is_npu=True) as (cid, _):
            a = alloc((64, 128), _F16)
            b = alloc((64, 128), _F16)
            c = alloc((64, 128), _F16)
            for j in T.serial(8):
                T.copy(A[cid * 64 : cid * 64 + 64, j * 128 : j * 128 + 128], a)
                T.copy(B[cid * 64 : cid * 64 + 64, j * 128 : j * 128 + 128], b)
                T.vadd(a, b, c)
                T.copy(c, C[cid * 64 : cid * 64 + 64, j * 128 : j * 128 + 128])

    return vadd


def _tail(alloc):
    M, N = T.symbolic("M"), T.symbolic("N")

    @T.prim_func
    def tail(A: T.Tensor((M, N), _F16), C: T.Tensor((M, N), _F16)):
        with T.Kernel(T.ceildiv(M, 64) * T.ceildiv(N, 128), is_npu=True) as (cid, _):
            i = cid // T.ceildiv(N, 128) * 64
            j = cid % T.ceildiv(N, 128) * 128
            m = T.min(64, M - i)
            n = T.min(128, N - j)
            a = alloc((64, 128), _F16)
            T.copy(A[i : i + m, j : j + n], a[0:m, 0:n])
            T.vexp(a, a)
            T.copy(a[0:m, 0:n], C[i : i + m, j : j + n])

    return tail


def _scalars(alloc):
    @T.prim_func
    def scalars(A: T.Tensor((64, 128), _F32), C: T.Tensor((64, 128), _F32), n: T.int32):
        with T.Kernel(4, 2, is_npu=True) as (cid, by, _):
            a = alloc((16, 128), _F32)
            r = alloc((16, 1), _F32)
            T.copy(A[cid * 16 : cid * 16 + 16, :], a)
            T.copy(A[cid * 16 : cid * 16 + 16, 0:1], r)
            T.vmul(a, 0.5, a)
            T.vmax(a, by, a)
            T.vsub(a, r, a)
            T.vadd(a, n // 3 - n % 5, a)
            T.copy(a, C[cid * 16 : cid * 16 + 16, :])

    return scalars


def _branches(alloc):
    @T.prim_func
    def branches(A: T.Tensor((1024, 256), _F16), C: T.Tensor((1024, 256), _F16), n: T.int32):
        with T.Kernel(16, is_npu=True) as (cid, _):
            a = alloc((64, 256), _F16)
            b = alloc((64, 256), _F16)
            T.copy(A[cid * 64 : cid * 64 + 64, :], a)
            T.clear(b)
            for i in T.serial(n):
                if i % 2 == 0:
                    T.vadd(a, b, b)
                else:
                    T.vsub(b, a, b)
            if n > 3:
                T.copy(b, C[cid * 64 : cid * 64 + 64, :])

    return branches


def _parts(alloc):
    @T.prim_func
    def parts(A: T.Tensor((4, 64, 128), _F32), C: T.Tensor((4, 64, 128), _F16)):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = alloc((64, 128), _F32)
            b = alloc((64, 128), _F32)
            h = alloc((64, 128), _F16)
            row = alloc((1, 128), _F32)
            T.copy(A[cid, :, :], a)
            T.copy(A[cid, 3, :], row)
            T.copy(a, b)
            for i in T.serial(4):
                T.vexp(a[i * 16 : i * 16 + 8, 0:64], b[i * 16 : i * 16 + 8, 64:128])
            T.vadd(b, row, b)
            T.vcast(b, h)
            T.copy(h, C[cid, :, :])

    return parts


def _elements(alloc):
    @T.prim_func
    def elements(A: T.Tensor((64, 128), _F32), C: T.Tensor((64, 128), _F32), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = alloc((64, 128), _F32)
            T.copy(A, a)
            x = a[n, 3]
            a[1, 2] = x + A[0, 0]
            T.vadd(a, x, a)
            T.print(n, "n")
            T.print(a, "a")
            T.copy(a, C)

    return elements


def _flags():
    @T.prim_func
    def flags(A: T.Tensor((64, 128), _F32), C: T.Tensor((64, 128), _F32), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((64, 128), _F32)
            with T.rs("PIPE_MTE2"):
                T.copy(A, a)
                T.set_flag("PIPE_V", 0)
            with T.rs("PIPE_V"):
                T.wait_flag("PIPE_MTE2", 0)
                T.vexp(a, a)
                T.pipe_barrier("PIPE_V")
                T.set_flag("PIPE_MTE3", n % 2)
            with T.rs("PIPE_MTE3"):
                T.wait_flag("PIPE_V", n % 2)
                T.copy(a, C)

    return flags


def _product():
    @T.prim_func
    def product(
        A: T.Tensor((128, 64), _F16), B: T.Tensor((32, 64), _F16), C: T.Tensor((128, 32), _F16)
    ):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((128, 64), _F16)
            b = T.alloc_shared((32, 64), _F16)
            c = T.alloc_fragment((128, 32), _F32)
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, initC=True, b_transpose=True)
            T.copy(c, C)

    return product


_KERNELS = (_vadd, _tail, _scalars, _branches, _parts, _elements)


@pytest.mark.parametrize("mode", _MODES)
@pytest.mark.parametrize("kernel", _KERNELS, ids=lambda kernel: kernel.__name__.strip("_"))
def test_kernels_pass_the_whole_recipe(compiled, kernel, mode):
    module = from_text(compiled(kernel(_alloc(mode)), mode))
    module.verify()
    assert any(op.name == "hivm.hir.pipe_barrier" for op in module.walk())


def test_flags_by_hand_pass_the_whole_recipe(compiled):
    text = compiled(_flags(), "Expert")
    assert text.count('"hivm.hir.set_flag"') >= 2


def test_a_product_that_is_rounded_on_its_way_out_needs_no_vector_core(compiled):
    text = compiled(_product(), "Developer")
    assert "#hivm.fixpipe_pre_quant_mode<F322F16>" in text
    assert "vcast" not in text


@pytest.mark.parametrize("mode", _MODES)
def test_minicv_is_executable_on_both_cores(compiled, minicv, mode):
    module = from_text(compiled(minicv(mode), mode))
    module.verify()
    names = [op.sym_name.data for op in module.body.block.ops if op.name == "func.func"]
    assert [name for name in names if "_mix_" in name] == ["minicv_mix_aic", "minicv_mix_aiv"]
    used = {op.name for op in module.walk()}
    assert {"hivm.hir.nd2nz", "hivm.hir.mmadL1", "hivm.hir.fixpipe", "hivm.hir.vexp"} <= used
    assert {"hivm.hir.pointer_cast", "hivm.hir.sync_block_set"} <= used


@pytest.mark.parametrize("mode", _MODES)
def test_the_learners_lines_reach_the_last_ir(compiled, minicv, mode):
    func = minicv(mode)
    (source,) = func.sources.values()
    lines = source.text.splitlines()
    text = compiled(func, mode)
    for op, statement in (("mmadL1", "T.gemm("), ("vexp", "T.vexp(")):
        (place,) = re.findall(rf'"hivm.hir.{op}".* loc\("(.*)":(\d+):(\d+)\)', text)
        assert place[0] == source.id
        assert lines[int(place[1]) - 1][int(place[2]) - 1 :].startswith(statement)
    stores = re.findall(r'"hivm.hir.store".* loc\(".*":(\d+):\d+\)', text)
    assert any(re.search(r"D\[", lines[int(line) - 1]) for line in stores)


@pytest.mark.parametrize("mode", _MODES)
def test_generated_text_is_read_and_printed_back(lower, minicv, mode):
    module = lower(minicv(mode), mode).module
    again = from_text(to_text(module, locations=True))
    assert to_text(again) == to_text(module)


@pytest.mark.parametrize(
    "change",
    [
        {"auto_multi_buffer": False},
        {"auto_inject_sync": False},
        {"auto_inject_block_sync": False},
        {"bind_sub_block": False},
        {"graph_sync_solver": False},
        {"unit_flag_sync": True},
        {"barrier_all": True},
    ],
    ids=lambda change: next(iter(change)),
)
def test_each_option_changes_minicv(lower, minicv, bishengir_opt, change):
    text = to_text(lower(minicv("Developer"), "Developer").module, locations=True)
    plain = compile_text(text, mode="Developer")
    assert compile_text(text, mode="Developer", options=BishengOptions(**change)) != plain
