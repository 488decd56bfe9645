"""Correct kernels that look wrong to a careless check: none gives a finding."""

# ruff: noqa: RUF059 (a kernel names both of its indices, used or not)

from __future__ import annotations

import tilelang.language as T
import torch

from zoo.case import Table, Tensors

TABLE = Table()


def _exp(a: Tensors) -> Tensors:
    return {"B": a["A"].exp()}


@TABLE.kernel(out="B", sync=False, wanted=_exp)
def double_buffering_by_hand(A: T.Tensor((8, 64), "float32"), B: T.Tensor((8, 64), "float32")):
    """Two tiles in one buffer take turns; both flags are raised once before the loop."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((2, 64), "float32")
        for p in T.serial(2):
            with T.rs("PIPE_MTE3"):
                T.set_flag("PIPE_MTE2", p)
        for i in T.serial(8):
            p = i % 2
            with T.rs("PIPE_MTE2"):
                T.wait_flag("PIPE_MTE3", p)
                T.copy(A[i : i + 1, :], a[p : p + 1, :])
                T.set_flag("PIPE_V", p)
            with T.rs("PIPE_V"):
                T.wait_flag("PIPE_MTE2", p)
                T.vexp(a[p : p + 1, :], a[p : p + 1, :])
                T.set_flag("PIPE_MTE3", p)
            with T.rs("PIPE_MTE3"):
                T.wait_flag("PIPE_V", p)
                T.copy(a[p : p + 1, :], B[i : i + 1, :])
                T.set_flag("PIPE_MTE2", p)
        for p in T.serial(2):
            with T.rs("PIPE_MTE2"):
                T.wait_flag("PIPE_MTE3", p)


@TABLE.kernel(out="B", sync=False, wanted=_exp)
def one_tile_primed_before_the_loop(
    A: T.Tensor((4, 64), "float32"), B: T.Tensor((4, 64), "float32")
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((2, 64), "float32")
        with T.rs("PIPE_MTE3"):
            T.set_flag("PIPE_MTE2", 0)
        for i in T.serial(4):
            with T.rs("PIPE_MTE2"):
                T.wait_flag("PIPE_MTE3", 0)
                T.copy(A[i : i + 1, :], a[0:1, :])
                T.set_flag("PIPE_V", 0)
            with T.rs("PIPE_V"):
                T.wait_flag("PIPE_MTE2", 0)
                T.vexp(a[0:1, :], a[1:2, :])
                T.set_flag("PIPE_MTE3", 0)
            with T.rs("PIPE_MTE3"):
                T.wait_flag("PIPE_V", 0)
                T.copy(a[1:2, :], B[i : i + 1, :])
                T.set_flag("PIPE_MTE2", 0)
        with T.rs("PIPE_MTE2"):
            T.wait_flag("PIPE_MTE3", 0)


@TABLE.kernel(out="B", sync=False, wanted=_exp)
def order_by_way_of_a_third_pipe(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    """MTE3 waits for V alone, which has waited for MTE2."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_V", 3)
        with T.rs("PIPE_V"):
            T.wait_flag("PIPE_MTE2", 3)
            T.vexp(a, a)
            T.set_flag("PIPE_MTE3", 5)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_V", 5)
        T.copy(a, B)


@TABLE.kernel(out="B", sync=False, wanted=_exp)
def barriers_in_place_of_flags(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        T.pipe_barrier("PIPE_ALL")
        T.vexp(a, a)
        T.pipe_barrier("PIPE_ALL")
        T.copy(a, B)


@TABLE.kernel(out="B", sync=False, wanted=lambda a: {"B": a["A"].flip(0)})
def scalar_code_between_the_pipes(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        b = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_S", 0)
        with T.rs("PIPE_S"):
            T.wait_flag("PIPE_MTE2", 0)
        for i in T.serial(64):
            b[i] = a[63 - i]
        with T.rs("PIPE_S"):
            T.set_flag("PIPE_MTE3", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_S", 0)
        T.copy(b, B)


@TABLE.kernel(out="B", wanted=lambda a: {"B": a["A"].exp().abs() + a["A"].exp()})
def ops_in_place(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        T.vexp(a, a)
        T.vabs(a, a)
        T.vadd(a, a, a)
        T.copy(a, B)


@TABLE.kernel(out="B", wanted=_exp)
def last_tile_is_shorter(A: T.Tensor((1000,), "float32"), B: T.Tensor((1000,), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((256,), "float32")
        n = T.min(256, 1000 - cid * 256)
        T.copy(A[cid * 256 : cid * 256 + n], a[0:n])
        T.vexp(a, a)
        T.copy(a[0:n], B[cid * 256 : cid * 256 + n])


@TABLE.kernel(out="B", M=37, wanted=_exp)
def rows_known_at_the_launch(
    A: T.Tensor((T.symbolic("M"), 16), "float32"), B: T.Tensor((T.symbolic("M"), 16), "float32")
):
    with T.Kernel(3, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 16), "float32")
        n = T.min(16, A.shape[0] - cid * 16)
        T.copy(A[cid * 16 : cid * 16 + n, :], a[0:n, :])
        T.vexp(a, a)
        T.copy(a[0:n, :], B[cid * 16 : cid * 16 + n, :])


@TABLE.kernel(out="B", wanted=_exp)
def more_cores_than_tiles(A: T.Tensor((4, 64), "float32"), B: T.Tensor((4, 64), "float32")):
    """Persistent blocks: the last four find nothing to do."""
    with T.Kernel(8, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        for t in T.serial(T.ceildiv(4, 8)):
            tile = t * 8 + cid
            if tile < 4:
                T.copy(A[tile : tile + 1, :], a)
                T.vexp(a, a)
                T.copy(a, B[tile : tile + 1, :])


@TABLE.kernel(out="B", wanted=_exp)
def rows_dealt_in_turn(A: T.Tensor((12, 64), "float32"), B: T.Tensor((12, 64), "float32")):
    """Blocks touch every third row, so their ranges overlap and their elements do not."""
    with T.Kernel(3, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        for i in T.serial(4):
            T.copy(A[i * 3 + cid : i * 3 + cid + 1, :], a)
            T.vexp(a, a)
            T.copy(a, B[i * 3 + cid : i * 3 + cid + 1, :])


@TABLE.kernel(out="B", wanted=_exp)
def columns_side_by_side(A: T.Tensor((8, 64), "float32"), B: T.Tensor((8, 64), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 16), "float32")
        T.copy(A[:, cid * 16 : cid * 16 + 16], a)
        T.vexp(a, a)
        T.copy(a, B[:, cid * 16 : cid * 16 + 16])


@TABLE.kernel(
    A=torch.arange(16 * 64.0).reshape(16, 64),
    S=torch.ones(1, 64),
    wanted=lambda a: {"S": a["S"] + a["A"].sum(0, keepdim=True)},
)
def sum_of_all_blocks(A: T.Tensor((16, 64), "float32"), S: T.Tensor((1, 64), "float32")):
    with T.Kernel(16, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        T.copy(A[cid : cid + 1, :], a)
        T.atomic_add(S, a)


@TABLE.kernel(out="B", wanted=lambda a: {"B": a["A"].exp()})
def narrow_rows(A: T.Tensor((4, 9), "float32"), B: T.Tensor((4, 9), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((4, 9), "float32")
        T.copy(A, a)
        T.vexp(a, a)
        T.copy(a, B)


@TABLE.kernel(out="B", sync=False, wanted=lambda a: {"B": a["A"].exp() + 1})
def one_buffer_for_two_purposes(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        b = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_V", 0)
        with T.rs("PIPE_V"):
            T.wait_flag("PIPE_MTE2", 0)
            T.vexp(a, b)
            T.pipe_barrier("PIPE_V")
            T.vadd(b, 1.0, a)
            T.set_flag("PIPE_MTE3", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_V", 0)
        T.copy(a, B)


@TABLE.kernel(out="W B", wanted=lambda a: {"W": a["A"], "B": a["A"].flip(0)})
def blocks_meet_at_a_barrier(
    A: T.Tensor((8, 64), "float32"),
    W: T.Tensor((8, 64), "float32"),
    B: T.Tensor((8, 64), "float32"),
):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        b = T.alloc_ub((1, 64), "float32")
        T.copy(A[cid : cid + 1, :], a)
        T.copy(a, W[cid : cid + 1, :])
        T.pipe_barrier("PIPE_ALL")
        with T.rs("PIPE_S"):
            T.block_barrier(0)
        T.copy(W[7 - cid : 8 - cid, :], b)
        T.copy(b, B[cid : cid + 1, :])
