from __future__ import annotations

import tlcourse.language as T
from tlcourse.codegen.write_sets import carried
from tlcourse.dialects import tl

_F32 = "float32"
_SHAPE = (16, 16)


def _carried(func) -> list[list[str]]:
    """Names of the carried tiles of each loop and branch, outermost first."""
    found = []
    for op in func.module.walk():
        if isinstance(op, tl.ForOp) or op.name == "scf.if":
            found.append([buffer.owner.label.data for buffer in carried(op)])
    return found


def test_a_sum_is_carried_and_a_scratch_tile_is_not():
    @T.prim_func
    def kernel(A: T.Tensor((64, 16), _F32), C: T.Tensor(_SHAPE, _F32)):
        with T.Kernel(1, is_npu=True):
            total = T.alloc_shared(_SHAPE, _F32)
            scratch = T.alloc_shared(_SHAPE, _F32)
            T.clear(total)
            for i in T.serial(4):
                T.copy(A[i * 16 : i * 16 + 16, :], scratch)
                T.vadd(total, scratch, total)
            T.copy(total, C)

    assert _carried(kernel) == [["total"]]


def test_what_is_read_after_the_loop_is_carried():
    @T.prim_func
    def kernel(A: T.Tensor((64, 16), _F32), C: T.Tensor(_SHAPE, _F32)):
        with T.Kernel(1, is_npu=True):
            last = T.alloc_shared(_SHAPE, _F32)
            for i in T.serial(4):
                T.copy(A[i * 16 : i * 16 + 16, :], last)
            T.copy(last, C)

    assert _carried(kernel) == [["last"]]


def test_what_the_next_turn_reads_is_carried():
    @T.prim_func
    def kernel(A: T.Tensor((64, 16), _F32), C: T.Tensor((64, 16), _F32)):
        with T.Kernel(1, is_npu=True):
            before = T.alloc_shared(_SHAPE, _F32)
            for i in T.serial(4):
                T.copy(before, C[i * 16 : i * 16 + 16, :])
                T.copy(A[i * 16 : i * 16 + 16, :], before)

    assert _carried(kernel) == [["before"]]


def test_a_write_to_a_part_reads_the_rest():
    @T.prim_func
    def kernel(A: T.Tensor((64, 16), _F32), C: T.Tensor(_SHAPE, _F32)):
        with T.Kernel(1, is_npu=True):
            rows = T.alloc_shared(_SHAPE, _F32)
            for i in T.serial(4):
                T.copy(A[i, :], rows[i, :])
                T.vcast(rows, rows)

    assert _carried(kernel) == [["rows"]]


def test_every_kind_of_write_counts():
    @T.prim_func
    def kernel(n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared(_SHAPE, _F32)
            b = T.alloc_shared(_SHAPE, _F32)
            c = T.alloc_shared(_SHAPE, _F32)
            d = T.alloc_shared(_SHAPE, "float16")
            for i in T.serial(n):
                T.vbrc(i, a)
                b[0, i] = 1.0
                T.gemm(d, d, c)
                T.vcast(a, d)
            T.vadd(a, b, a)

    assert _carried(kernel) == [["a", "b", "c", "d"]]


def test_every_kind_of_read_counts():
    @T.prim_func
    def kernel(n: T.int32):
        with T.Kernel(1, is_npu=True):
            row = T.alloc_shared((1, 16), _F32)
            a = T.alloc_shared(_SHAPE, _F32)
            b = T.alloc_shared(_SHAPE, "float16")
            c = T.alloc_shared(_SHAPE, _F32)
            d = T.alloc_shared(_SHAPE, _F32)
            for i in T.serial(n):
                T.clear(row)
                T.clear(a)
                T.clear(b)
                T.clear(d)
            T.vbrc(row, c)
            T.vcast(a, b[0:16, :], round_mode="rint")
            T.gemm(b, b, c, initC=True)
            T.print(d, "d")

    assert _carried(kernel) == [["row", "a", "b", "d"]]


def test_tiles_of_the_loop_itself_are_not_carried():
    @T.prim_func
    def kernel(A: T.Tensor((64, 16), _F32)):
        with T.Kernel(1, is_npu=True):
            for i in T.serial(4):
                inner = T.alloc_shared(_SHAPE, _F32)
                for j in T.serial(4):
                    T.vadd(inner, j, inner)

    assert _carried(kernel) == [[], ["inner"]]


def test_a_branch_in_a_loop_hands_its_tile_to_the_next_turn():
    @T.prim_func
    def kernel(A: T.Tensor(_SHAPE, _F32), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared(_SHAPE, _F32)
            for i in T.serial(n):
                if i > 2:
                    T.vexp(a, a)

    assert _carried(kernel) == [["a"], ["a"]]
