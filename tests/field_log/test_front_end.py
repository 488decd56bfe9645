"""Field log, group H: the front end and the language."""

from __future__ import annotations

import warnings

import pytest
import torch

import tlcourse.language as T
from tlcourse.jit import compile as compile_kernel


def test_f64_name_bound_again_in_a_branch(refused) -> None:
    """The condition of a clamp was dropped where a name is bound again inside an `if`."""

    def make() -> T.PrimFunc:
        @T.prim_func
        def clamped(X: T.Tensor((8,), "float32")):
            with T.Kernel(1, is_npu=True):
                x = T.alloc_ub((8,), "float32")
                y = T.alloc_ub((8,), "float32")
                T.copy(X, x)
                for i in T.serial(8):
                    v = x[i]
                    if v > 3:
                        v = 3.0
                    y[i] = v

        return clamped

    refused(make, "TL126", "y[i] = v", "`v`", "T.if_then_else")


def test_f65_and_or_not_on_values_of_the_run(anywhere) -> None:
    """Python's `and`, `or` and `not` on values of the run were refused or decided too early."""

    @T.prim_func
    def chosen(A: T.Tensor((4, 8), "float32"), B: T.Tensor((4, 8), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((1, 8), "float32")
            T.copy(A[cid, 0], a)
            if cid > 0 and cid < 3:
                T.vadd(a, 100.0, a)
            if cid == 0 or not cid < 2:
                T.vadd(a, 0.5, a)
            T.copy(a, B[cid, 0])

    a = torch.arange(32.0).reshape(4, 8)
    added = torch.tensor([0.5, 100.0, 100.5, 0.5])
    anywhere.gives(chosen, (a,), a + added[:, None])


def _with_print() -> T.PrimFunc:
    @T.prim_func
    def printed(A: T.Tensor((8,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            print(f"{cid}")
            a = T.alloc_ub((8,), "float32")
            T.copy(A, a)

    return printed


def test_f66_python_print(capsys: pytest.CaptureFixture[str]) -> None:
    """`print` shows the name of a symbol once, while the kernel is read."""
    with pytest.warns(UserWarning, match="TL135") as caught:
        compile_kernel(_with_print())
    text = str(caught[0].message)
    assert 'print(f"{cid}")' in text
    assert "^" in text
    assert "T.print" in text
    # F-74: one message, with the learner's line; no stack.
    assert "Traceback" not in text


@pytest.mark.parametrize("execution", ["functional", "simulator"])
@pytest.mark.parametrize("mode", ["Expert", "Developer"])
def test_f67_one_compile_for_every_length(mode: str, execution: str) -> None:
    """A first try of a symbolic length failed with an internal check."""
    N = T.symbolic("N")

    @T.prim_func
    def doubled(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 256), is_npu=True) as (cid, _):
            a = T.alloc_ub((256,), "float32")
            n = T.min(256, N - cid * 256)
            T.copy(A[cid * 256 : cid * 256 + n], a[0:n])
            T.vadd(a, a, a)
            T.copy(a[0:n], B[cid * 256 : cid * 256 + n])

    kernel = compile_kernel(doubled, out_idx=[-1], mode=mode)
    program = kernel.program(execution)
    for length in (1000, 256, 1):
        a = torch.arange(float(length))
        launch = kernel.launch(a.npu(), execution=execution)
        assert launch.findings == ()
        assert torch.equal(launch.outputs[0].cpu(), 2 * a)
    assert kernel.program(execution) is program


def test_f68_tile_with_a_symbolic_extent(refused) -> None:
    """A product with a tile of symbolic extent ended in an internal error."""
    M = T.symbolic("M")

    def make() -> T.PrimFunc:
        @T.prim_func
        def product(A: T.Tensor((M, 32), "float16"), B: T.Tensor((32, 16), "float16")):
            with T.Kernel(1, is_npu=True):
                a = T.alloc_shared((M, 32), "float16")
                b = T.alloc_shared((32, 16), "float16")
                c = T.alloc_fragment((M, 16), "float32")
                T.copy(A, a)
                T.copy(B, b)
                T.gemm(a, b, c, initC=True)

        return product

    refused(make, "TL117", 'T.alloc_shared((M, 32), "float16")', "M")


def test_f69_negative_index(refused) -> None:
    """An index of -1 addressed what lies before the buffer."""

    def make() -> T.PrimFunc:
        @T.prim_func
        def last(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
            with T.Kernel(1, is_npu=True):
                a = T.alloc_ub((8,), "float32")
                T.copy(A, a)
                a[0] = a[-1]
                T.copy(a, B)

        return last

    refused(make, "TL119", "a[0] = a[-1]", "-1")


def test_f69_index_that_turns_out_negative(anywhere, found) -> None:
    """The same, where the index is known in the run only."""

    @T.prim_func
    def before(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32"), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((8,), "float32")
            T.copy(A, a)
            a[0] = a[n]
            T.copy(a, B)

    findings = anywhere.run(before, torch.zeros(8), torch.zeros(8), -1)
    found(findings, before.sources, "TL501", "a[0] = a[n]", "starts at -1")


def test_f73_name_used_again_as_a_loop_variable(anywhere) -> None:
    """A loop variable that bears the name of an earlier one was reported as out of scope."""

    @T.prim_func
    def again(A: T.Tensor((8,), "float32"), B: T.Tensor((8,), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((8,), "float32")
            T.copy(A, a)
            i = 3
            a[i] = 50.0
            for i in T.serial(4):
                a[i] = a[i] + 1.0
            for i in T.serial(4):
                a[i + 4] = a[i] * 2.0
            T.copy(a, B)

    a = torch.arange(8.0)
    wanted = torch.tensor([1.0, 2, 3, 51, 2, 4, 6, 102])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        anywhere.gives(again, (a,), wanted)
