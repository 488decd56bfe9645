"""Findings that end a launch: each code once, with the learner's line."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.dialects.signature import stamp
from tlcourse.dialects.text import from_text
from tlcourse.functional.generate import generate
from tlcourse.functional.run import FunctionalRun, run

Launch = Callable[..., FunctionalRun]
Faults = Callable[..., list[str]]


def rows(N: int, block: int, shift: int) -> T.PrimFunc:
    @T.prim_func
    def rows(A: T.Tensor((N, 8), "float32"), B: T.Tensor((N, 8), "float32")):
        with T.Kernel(T.ceildiv(N, block), is_npu=True) as (cid, _):
            tile = T.alloc_ub((block, 8), "float32")
            for j in T.serial(2):
                first = cid * block + j * shift
                T.copy(A[first : first + block, :], tile)
            T.copy(tile, B[cid * block : cid * block + block, :])

    return rows


def test_read_behind_the_end(launch: Launch, faults: Faults) -> None:
    kernel, a, b = rows(96, 64, 0), torch.ones(96, 8), torch.zeros(96, 8)
    (found,) = launch(kernel, a, b).findings
    assert (found.diagnostic.code, found.agent, found.block, found.iteration) == (
        "TL501",
        "aiv0",
        1,
        (0,),
    )
    (text,) = faults(kernel, a, b)
    assert "the kernel reads A[64:128, 0:8] in block 1, loop turn 0" in text
    assert "A has the extents (96, 8)" in text
    assert "dimension 0 ends at 128, 32 too far" in text
    assert "T.copy(A[first : first + block, :], tile)" in text


def test_launch_ends_at_the_first_error(launch: Launch) -> None:
    a, b = torch.ones(96, 8), torch.zeros(96, 8)
    launch(rows(96, 64, 0), a, b)
    assert torch.equal(b[:64], a[:64])
    assert torch.equal(b[64:], torch.zeros(32, 8))


def test_read_before_the_start(faults: Faults) -> None:
    (text,) = faults(rows(128, 64, -1), torch.ones(128, 8), torch.zeros(128, 8))
    assert "the kernel reads A[-1:63, 0:8] in block 0, loop turn 1" in text
    assert "dimension 0 starts at -1" in text


def test_element_outside(faults: Faults) -> None:
    @T.prim_func
    def element(A: T.Tensor((4,), "int32"), n: T.int32):
        with T.Kernel(1, is_npu=True):
            A[n] = A[n - 1]

    assert faults(element, torch.zeros(4, dtype=torch.int32), 3) == []
    (text,) = faults(element, torch.zeros(4, dtype=torch.int32), 4)
    assert "the kernel writes A[4] in block 0" in text
    assert "keep the index below 4" in text
    (text,) = faults(element, torch.zeros(4, dtype=torch.int32), 0)
    assert "the kernel reads A[-1] in block 0" in text


def test_buffer_on_chip_has_bounds_too(faults: Faults) -> None:
    @T.prim_func
    def tail(A: T.Tensor((64,), "float32"), n: T.int32):
        with T.Kernel(1, is_npu=True):
            tile = T.alloc_ub((16,), "float32")
            T.copy(A[0:n], tile[0:n])

    assert faults(tail, torch.ones(64), 16) == []
    (text,) = faults(tail, torch.ones(64), 17)
    assert "the kernel writes tile[0:17] in block 0" in text
    (text,) = faults(tail, torch.ones(64), -2)
    assert "the extent of dimension 0 is -2" in text


def test_tile_that_never_fits() -> None:
    gm, part = "memref<64xf32, #tl.scope<global>>", "memref<16xf32, #tl.scope<global>>"
    module = from_text(
        f"""func.func @k(%A : {gm} {{tl.name = "A", tl.dtype = "float32", tl.kind = "tensor",
                                     tl.extents = ["64"]}}) {{
          %one = arith.constant 1 : i32
          %first = arith.constant 50 : i32
          tl.kernel(%one) {{
          ^bb0(%cid : i32, %vid : i32):
            %part = tl.region %A[%first] [] : {gm} to {part}
            %tile = tl.alloc "tile" : memref<16xf32, #tl.scope<shared>>
            tl.copy %part, %tile : {part} to memref<16xf32, #tl.scope<shared>>
          }}
          func.return
        }}"""
    )
    stamp(module, mode="Expert", target="npuir", out_idx=(), pass_configs={})
    (found,) = run(generate(module, {}), [torch.ones(64)], symbols={}).findings
    assert "the kernel reads A[50:66] in block 0" in found.diagnostic.what
    assert found.diagnostic.labels == ()


def test_tile_that_is_used_in_a_branch_and_behind_it(launch: Launch) -> None:
    @T.prim_func
    def branch(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32"), n: T.int32):
        with T.Kernel(1, is_npu=True):
            tile = T.alloc_ub((16,), "float32")
            first = n + 1
            if n > 8:
                T.copy(A[first : first + 16], tile)
            T.copy(A[first : first + 16], tile)
            T.copy(tile, B[first : first + 16])

    a, b = torch.randn(64), torch.zeros(64)
    assert launch(branch, a, b, 3).findings == ()
    assert torch.equal(b[4:20], a[4:20])


@pytest.mark.parametrize("start", [0, 64, 100])
def test_empty_tile_is_no_fault(faults: Faults, start: int) -> None:
    @T.prim_func
    def nothing(A: T.Tensor((64,), "float32"), start: T.int32, n: T.int32):
        with T.Kernel(1, is_npu=True):
            tile = T.alloc_ub((16,), "float32")
            T.copy(A[start : start + n], tile[0:n])

    assert faults(nothing, torch.ones(64), start, 0) == []


def test_extents_that_disagree_at_run_time(faults: Faults) -> None:
    @T.prim_func
    def unequal(A: T.Tensor((64,), "float32"), n: T.int32, m: T.int32):
        with T.Kernel(1, is_npu=True):
            tile = T.alloc_ub((64,), "float32")
            T.copy(A[0:n], tile[0:m])

    assert faults(unequal, torch.ones(64), 5, 5) == []
    (text,) = faults(unequal, torch.ones(64), 5, 6)
    assert "error[TL505]" in text
    assert "A (5,), tile (6,)" in text


@pytest.mark.parametrize("symbol", ["//", "%"])
def test_division_by_zero(faults: Faults, symbol: str) -> None:
    @T.prim_func
    def floor(A: T.Tensor((4,), "int32"), n: T.int32):
        with T.Kernel(4, is_npu=True) as (cid, _):
            A[cid] = cid // (n - cid)

    @T.prim_func
    def modulo(A: T.Tensor((4,), "int32"), n: T.int32):
        with T.Kernel(4, is_npu=True) as (cid, _):
            A[cid] = cid % (n - cid)

    kernel = floor if symbol == "//" else modulo
    (text,) = faults(kernel, torch.zeros(4, dtype=torch.int32), 2)
    assert "error[TL506]: an integer is divided by zero in block 2" in text
    assert "(n - cid)" in text


def test_division_of_integer_tiles_by_zero(faults: Faults) -> None:
    @T.prim_func
    def divide(A: T.Tensor((8,), "int64"), B: T.Tensor((8,), "int64")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((8,), "int64")
            b = T.alloc_ub((8,), "int64")
            T.copy(A, a)
            T.copy(B, b)
            T.vdiv(a, b, a)

    ones, zeros = torch.ones(8, dtype=torch.int64), torch.zeros(8, dtype=torch.int64)
    assert faults(divide, ones, ones) == []
    (text,) = faults(divide, ones, zeros)
    assert "error[TL506]" in text
    assert "T.vdiv(a, b, a)" in text


def loops(outer: int, inner: int) -> T.PrimFunc:
    @T.prim_func
    def loops(A: T.Tensor((8,), "int32"), n: T.int32):
        with T.Kernel(2, is_npu=True):
            for i in T.serial(n):
                for j in T.serial(4):
                    A[j] = A[j] + i

    return loops


def test_step_limit_counts_turns_and_elements(launch: Launch, faults: Faults) -> None:
    # Each of two blocks is 100 steps; a turn of i costs 1 + 4 * (turn of j + load + store).
    steps = 2 * 100 + 2 * 3 * (1 + 4 * 41)
    a = torch.zeros(8, dtype=torch.int32)
    assert launch(loops(3, 4), a, 3, step_limit=steps).findings == ()
    (text,) = faults(loops(3, 4), a, 3, step_limit=steps - 1)
    assert f"error[TL504]: loops takes more than {steps - 1:,} steps" in text
    assert "in block 1 this loop turns 3 times, 165 steps each" in text
    assert "set TLCOURSE_STEP_LIMIT to a higher one" in text
    assert "for i in T.serial(n):" in text


def test_endless_loop_ends_at_once(launch: Launch) -> None:
    a = torch.zeros(8, dtype=torch.int32)
    (found,) = launch(loops(3, 4), a, 2**31 - 1).findings
    assert found.diagnostic.code == "TL504"
    assert torch.equal(a, torch.zeros(8, dtype=torch.int32))


@T.prim_func
def many(A: T.Tensor((8,), "int32"), n: T.int32):
    with T.Kernel(n, is_npu=True):
        A[0] = 1


def test_grid_of_too_many_steps_ends_at_once(faults: Faults) -> None:
    a = torch.zeros(8, dtype=torch.int32)
    assert faults(many, a, 1000, step_limit=120_000) == []
    (text,) = faults(many, a, 1000, step_limit=119_999)
    assert "the grid has 1,000 blocks of 120 steps or more" in text
    assert "T.Kernel(n, is_npu=True)" in text


def test_grid_beyond_the_chip_is_refused(launch: Launch) -> None:
    with pytest.raises(TLError) as caught:
        launch(many, torch.zeros(8, dtype=torch.int32), 65536)
    assert caught.value.diagnostic.code == "TL414"
    assert "T.Kernel(n, ..) asks for 65,536" in caught.value.diagnostic.what
    (label,) = caught.value.diagnostic.labels
    assert label.text == "65,536 blocks for this call"


def test_slow_turns_end_at_once_by_default(launch: Launch) -> None:
    @T.prim_func
    def slow(A: T.Tensor((64,), "float32"), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub([64], "float32")
            T.copy(A, a)
            for _i in T.serial(n):
                T.vexp(a, a)

    (found,) = launch(slow, torch.zeros(64), 10**6).findings
    assert found.diagnostic.code == "TL504"
    assert launch(slow, torch.zeros(64), 100).findings == ()


def test_the_limit_can_be_set(launch: Launch, monkeypatch: pytest.MonkeyPatch) -> None:
    a = torch.zeros(8, dtype=torch.int32)
    monkeypatch.setenv("TLCOURSE_STEP_LIMIT", "1000")
    assert len(launch(many, a, 10, step_limit=None).findings) == 1
    monkeypatch.setenv("TLCOURSE_STEP_LIMIT", "1_200")
    assert launch(many, a, 10, step_limit=None).findings == ()
