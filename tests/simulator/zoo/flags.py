"""Flags inside a core that are raised and waited for wrongly."""

# ruff: noqa: RUF059 (a kernel names both of its indices, used or not)

from __future__ import annotations

import tilelang.language as T

from zoo.case import Table

TABLE = Table()


@TABLE.kernel(out="B", sync=False)
def wait_without_set(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_MTE2", 0)
        T.copy(a, B)


@TABLE.kernel(out="B", sync=False)
def wait_for_another_id(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_MTE3", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_MTE2", 1)
        T.copy(a, B)


@TABLE.kernel(out="B", sync=False)
def flag_of_another_pair_of_pipes(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_V", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_MTE2", 0)
        T.copy(a, B)


@TABLE.kernel(out="B", sync=False)
def wait_stands_in_front_of_its_set(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        with T.rs("PIPE_S"):
            T.wait_flag("PIPE_MTE2", 0)
        T.copy(A, a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_S", 0)
            T.set_flag("PIPE_MTE3", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_MTE2", 0)
        T.copy(a, B)


@TABLE.kernel(out="B", sync=False)
def ping_pong_that_nobody_primed(A: T.Tensor((4, 64), "float32"), B: T.Tensor((4, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        for i in T.serial(4):
            with T.rs("PIPE_MTE2"):
                T.wait_flag("PIPE_MTE3", 0)
                T.copy(A[i : i + 1, :], a)
                T.set_flag("PIPE_MTE3", 0)
            with T.rs("PIPE_MTE3"):
                T.wait_flag("PIPE_MTE2", 0)
                T.copy(a, B[i : i + 1, :])
                T.set_flag("PIPE_MTE2", 0)
        with T.rs("PIPE_MTE2"):
            T.wait_flag("PIPE_MTE3", 0)


@TABLE.kernel(out="B", sync=False, n=0)
def set_only_in_a_branch(A: T.Tensor((64,), "float32"), n: T.int32, B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        if n > 0:
            with T.rs("PIPE_MTE2"):
                T.set_flag("PIPE_MTE3", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_MTE2", 0)
        T.copy(a, B)


@TABLE.kernel(out="B", sync=False)
def flag_raised_twice(A: T.Tensor((2, 64), "float32"), B: T.Tensor((2, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((2, 64), "float32")
        T.copy(A[0:1, :], a[0:1, :])
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_MTE3", 0)
        T.copy(A[1:2, :], a[1:2, :])
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_MTE3", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_MTE2", 0)
            T.copy(a[0:1, :], B[0:1, :])
            T.wait_flag("PIPE_MTE2", 0)
            T.copy(a[1:2, :], B[1:2, :])


@TABLE.kernel(out="B", sync=False)
def flag_never_waited_for(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_MTE3", 0)
            T.set_flag("PIPE_V", 0)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_MTE2", 0)
        T.copy(a, B)


@TABLE.kernel(out="B", sync=False)
def undocumented_event_id(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_MTE3", 9)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_MTE2", 9)
        T.copy(a, B)


@TABLE.kernel(out="B", sync=False)
def event_id_is_the_loop_variable(
    A: T.Tensor((17, 64), "float32"), B: T.Tensor((17, 64), "float32")
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((17, 64), "float32")
        for i in T.serial(17):
            with T.rs("PIPE_MTE2"):
                T.copy(A[i : i + 1, :], a[i : i + 1, :])
                T.set_flag("PIPE_MTE3", i)
            with T.rs("PIPE_MTE3"):
                T.wait_flag("PIPE_MTE2", i)
                T.copy(a[i : i + 1, :], B[i : i + 1, :])


@TABLE.kernel(out="B", sync=False)
def event_id_over_15(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        T.copy(A, a)
        with T.rs("PIPE_MTE2"):
            T.set_flag("PIPE_MTE3", 16)
        with T.rs("PIPE_MTE3"):
            T.wait_flag("PIPE_MTE2", 16)
        T.copy(a, B)
