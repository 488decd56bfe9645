"""Simplify: what it folds, which names it takes away and which it leaves."""

from __future__ import annotations

import torch

import tlcourse.language as T
from tlcourse.passes.tir.remove_no_op import RemoveNoOpPass
from tlcourse.passes.tir.simplify import SimplifyPass

PASSES = (SimplifyPass(), RemoveNoOpPass())


def test_integer_names_go_and_loaded_and_float_names_stay(apply) -> None:
    @T.prim_func
    def k(A: T.Tensor((64, 8), "float32"), n: T.int32):
        with T.Kernel(2, is_npu=True) as (cid, _):
            a = T.alloc_ub((8,), "float32")
            i = T.alloc_ub((8,), "int32")
            zero = 0
            row = cid * 4 + zero
            other = row
            element = i[other]
            later = element + 1
            number = a[0] * 2.0
            a[later] = number
            half = 0.5
            a[1] = half

    text = str(apply(k, PASSES))
    labels = [line.split('"')[1] for line in text.splitlines() if "tl.let" in line]
    assert labels == ["element", "later", "number"]
    assert "%row = arith.muli %cid, %c4" in text


def test_constants_fold_and_greater_becomes_less(apply, lines) -> None:
    @T.prim_func
    def k(n: T.int32):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a, b = 7, 2
            if n > a // b * 4 + a % 4:
                T.print(n)
            if n >= 1 * n:
                T.print(cid)

    assert lines(apply(k, PASSES)) == [
        "%c1 = arith.constant 1 : i32",
        "tl.kernel(%c1) {",
        "^bb0(%cid: i32, %vid: i32):",
        "%c15 = arith.constant 15 : i32",
        "%0 = arith.cmpi slt, %c15, %n : i32",
        "scf.if %0 {",
        'tl.print "expr<n>", %n : i32',
        "}",
        "%1 = arith.cmpi sle, %n, %n : i32",
        "scf.if %1 {",
        'tl.print "expr<cid>", %cid : i32',
        "}",
        "}",
        "func.return",
    ]


def test_a_branch_that_is_decided_takes_the_place_of_the_if(apply, ops) -> None:
    @T.prim_func
    def k(n: T.int32):
        with T.Kernel(1, is_npu=True) as (cid, _):
            three = 3
            if three > 4:
                T.print(cid)
            else:
                T.print(n, "else")

    module = apply(k, PASSES)
    assert ops(module) == ["tl.print"]
    assert "scf.if" not in str(module)


def test_numbers_stay(same_numbers) -> None:
    @T.prim_func
    def k(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((16,), "float32")
            start = cid * 16
            T.copy(A[start : start + 16], a)
            first = a[0]
            a[0] = 5.0
            a[1] = first
            T.copy(a, B[start : start + 16])

    inputs = [torch.arange(64, dtype=torch.float32), torch.zeros(64)]
    same_numbers(k, PASSES, inputs)


def test_a_condition_keeps_its_name(apply) -> None:
    @T.prim_func
    def k(n: T.int32):
        with T.Kernel(1, is_npu=True) as (cid, _):
            small = n < 4
            if small:
                T.print(cid)

    text = str(apply(k, PASSES))
    assert 'tl.let "small"' in text
    assert "scf.if %small" in text
