"""Calls on tiles in a T.Parallel loop: each takes the loop in, or gets a loop of its own."""

from __future__ import annotations

import torch

import tlcourse.language as T
from tests.passes.tir.parallel_bodies import kernel_of
from tests.passes.tir.test_npu_loop_vectorize import PASSES, inputs, new_ops
from tlcourse.dialects import tl
from tlcourse.dialects.notes import notes_of
from tlcourse.functional.generate import generate
from tlcourse.functional.run import run


@T.macro
def one_does_not_fit(a, b, c, A, C, n):
    for i in T.Parallel(16):
        T.vadd(a[i, 0:32], b[i, 0:32], c[i, 0:32])
        T.vrelu(c[i, 0:32], c[i, 0:32])
        T.vmul(c[i, 0:16], 2.0, c[i, 0:16])
        T.vexp(b[i, 0:32], b[i, 0:32])


@T.macro
def in_a_nest(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        T.vexp(a[i, j], c[i, j])
        T.vrec(c[i, j], c[i, j])


@T.macro
def one_after_the_other(a, b, c, A, C, n):
    for i in T.Parallel(15):
        T.vadd(a[i, 0:32], 1.0, c[i, 0:32])
        T.vrelu(c[i + 1, 0:32], b[i, 0:32])


@T.macro
def a_scalar_of_what_is_written(a, b, c, A, C, n):
    for i in T.Parallel(16):
        T.vadd(a[i, 0:32], b[0, 0], c[i, 0:32])
        T.vmul(a[i, 0:32], 2.0, b[i, 0:32])


def loops_of(module) -> list[list[str]]:
    loops = [op for op in module.walk() if isinstance(op, tl.ForOp)]
    calls = [[op for op in loop.walk() if isinstance(op, tl.ElementwiseOp)] for loop in loops]
    return [[op.row.mnemonic for op in found] for found in calls]


def test_only_calls_that_do_not_fit_keep_a_loop(apply, ops) -> None:
    module = apply(kernel_of(one_does_not_fit), PASSES)
    assert new_ops(ops(module)) == ["vadd", "vrelu", "vmul", "vexp"]
    assert loops_of(module) == [["vrelu"], ["vmul"]]
    names = [op.variable.name_hint for op in module.walk() if isinstance(op, tl.ForOp)]
    assert names == ["i_split", "i_split"]
    said = " ".join(notes_of(module))
    assert "i taken into a call in its body" in said
    assert "i_split kept scalar: tl.vrelu in its body" in said
    assert "i_split kept scalar: the loop takes a part of c" in said


def test_the_loops_around_a_split_one_stay(apply) -> None:
    module = apply(kernel_of(in_a_nest), PASSES)
    assert loops_of(module) == [["vexp", "vrec"], ["vrec"]]
    assert any("i kept scalar: a loop inside its body" in note for note in notes_of(module))


def test_calls_of_one_turn_that_use_another_turn_stay_together(apply) -> None:
    module = apply(kernel_of(one_after_the_other), PASSES)
    assert loops_of(module) == [["vadd", "vrelu"]]


def test_a_scalar_that_the_loop_writes_keeps_it(apply) -> None:
    module = apply(kernel_of(a_scalar_of_what_is_written), PASSES)
    assert loops_of(module) == [["vadd", "vmul"]]
    assert any("b is also loaded as a scalar" in note for note in notes_of(module))


def test_numbers_stay(apply) -> None:
    bodies = one_does_not_fit, in_a_nest, one_after_the_other, a_scalar_of_what_is_written
    for loop in bodies:
        results = []
        for steps in ((), PASSES):
            kernel = kernel_of(loop)
            buffers = [*(tensor.clone() for tensor in inputs()), 3]
            run(generate(apply(kernel, steps), kernel.sources), buffers, symbols={})
            results.append(buffers[2])
        torch.testing.assert_close(*results, rtol=1e-4, atol=1e-4)


def test_nan_differs_from_itself_in_both_forms(apply) -> None:
    @T.prim_func
    def k(A: T.Tensor((2, 8), "float32"), C: T.Tensor((2, 8), "float32")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_shared((2, 8), "float32")
            T.copy(A, a)
            for j in T.Parallel(8):
                a[0, j] = T.if_then_else(a[0, j] != a[0, j], 1.0, 0.0)
            for j in T.serial(8):
                a[1, j] = T.if_then_else(a[1, j] != a[1, j], 1.0, 0.0)
            T.copy(a, C)

    given, got = torch.full((2, 8), torch.nan), torch.zeros(2, 8)
    given[:, ::2] = 3.0
    module = apply(k, PASSES)
    assert any("j became vcmp" in note for note in notes_of(module))
    run(generate(module, k.sources), [given, got], symbols={})
    assert torch.equal(got, given.isnan().float())
