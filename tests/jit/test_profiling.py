"""`kernel.profile`: times without numbers, by chip, by block, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
from tlcourse.chips import CHIPS
from tlcourse.diagnostics import TLError
from tlcourse.jit import compile
from tlcourse.language import PrimFunc
from tlcourse.records import Timeline, to_json


def _error(call: Callable[[], object]) -> TLError:
    with pytest.raises(TLError) as caught:
        call()
    return caught.value


def counted() -> PrimFunc:
    @T.prim_func
    def counted(
        N: T.Tensor((1,), "int32"), A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")
    ):
        with T.Kernel(1, is_npu=True) as (_, _):
            a = T.alloc_ub((64,), "float32")
            n = T.alloc_ub((1,), "int32")
            T.copy(N, n)
            T.copy(A, a)
            for _i in T.serial(n[0]):
                T.vexp(a, a)
            T.copy(a, B)

    return counted


class TestArguments:
    def test_shapes_meta_and_tensors_give_one_timeline(self, add) -> None:
        kernel = compile(add(128), out_idx=-1)
        meta = torch.empty(128, device="meta")
        ways = [(128,), torch.Size((128,)), meta, torch.ones(128), torch.ones(128).npu()]
        found = {to_json(kernel.profile(one, [128])) for one in ways}
        assert len(found) == 1

    def test_a_launch_takes_as_long(self, add, monkeypatch) -> None:
        monkeypatch.setenv("TLCOURSE_EXECUTION", "simulator")
        kernel = compile(add(128), out_idx=-1)
        launched = kernel.launch(torch.ones(128).npu(), torch.ones(128).npu()).timeline
        assert kernel.profile((128,), (128,)) == launched

    def test_symbols_follow_from_shapes(self, doubled: PrimFunc) -> None:
        kernel = compile(doubled)
        few, many = (kernel.profile((n,), (n,)) for n in (32, 32 * 49))
        assert few.replicated_blocks == 0
        assert many.replicated_blocks == 48
        assert many.cycles > few.cycles

    def test_nothing_is_written(self, doubled: PrimFunc) -> None:
        a, b = torch.ones(64), torch.zeros(64)
        compile(doubled).profile(a, b)
        assert b.eq(0).all()

    @pytest.mark.parametrize(
        ("given", "code"),
        [(((128,),), "TL401"), (((128,), 3), "TL403"), (((128,), (64,)), "TL407")],
    )
    def test_misfits_are_told_as_in_a_call(self, add, given, code: str) -> None:
        kernel = compile(add(128), out_idx=-1)
        assert _error(lambda: kernel.profile(*given)).code == code

    def test_dtype_of_a_tensor_is_checked(self, add) -> None:
        kernel = compile(add(128), out_idx=-1)
        half = torch.empty(128, dtype=torch.float16, device="meta")
        assert _error(lambda: kernel.profile(half, (128,))).code == "TL405"


class TestNumbers:
    def test_shapes_are_not_enough_where_numbers_decide(self) -> None:
        found = _error(lambda: compile(counted()).profile((1,), (64,), (64,)))
        assert found.code == "TL470"
        assert "counted" in found.diagnostic.what

    def test_tensors_are(self) -> None:
        kernel = compile(counted())
        b = torch.zeros(64)
        few, many = (
            kernel.profile(torch.tensor([n], dtype=torch.int32), torch.ones(64), b) for n in (1, 5)
        )
        ops = [[i.op for i in found.instructions].count("vexp") for found in (few, many)]
        assert ops == [1, 5]
        assert b.eq(0).all(), "the tensors of the caller stay as they are"


class TestChips:
    def test_fewer_cores_make_more_waves(self, add) -> None:
        kernel = compile(add(32 * 44), out_idx=-1)
        times = {name: _work(kernel.profile((1408,), (1408,), chip=name)) for name in CHIPS}
        assert times["Ascend910B1"] < times["Ascend910B3"]
        assert times["Ascend910_9392"] < times["Ascend910_9372"]

    def test_the_clock_is_the_chip_s(self, add) -> None:
        kernel = compile(add(128), out_idx=-1)
        found = kernel.profile((128,), (128,), chip="Ascend910B4")
        assert (found.chip, found.clock_mhz) == ("Ascend910B4", 1500)

    def test_the_environment_names_it(self, add, monkeypatch) -> None:
        monkeypatch.setenv("TILELANG_ASCEND_DEVICE_NAME", "Ascend910B4")
        assert compile(add(128), out_idx=-1).profile((128,), (128,)).chip == "Ascend910B4"

    def test_unknown_chip(self, add) -> None:
        kernel = compile(add(128), out_idx=-1)
        found = _error(lambda: kernel.profile((128,), (128,), chip="Ascend910B5"))
        assert found.code == "TL425"
        assert "Ascend910B" in found.diagnostic.fix


class TestState:
    def test_cold_takes_longer(self, add) -> None:
        """On the chip with the slowest memory, 40 cores read more than HBM brings."""
        size = 40 * 16384 * 2
        kernel = compile(add(size, 16384), out_idx=-1)
        warm, cold = (
            kernel.profile((size,), (size,), cold=cold, chip="Ascend910B4")
            for cold in (False, True)
        )
        assert cold.cycles > warm.cycles

    def test_a_block_is_shown(self, add) -> None:
        kernel = compile(add(32 * 50), out_idx=-1)
        shown = kernel.profile((1600,), (1600,), block=49)
        assert {i.block for i in shown.instructions} == {49}
        assert shown.cycles == kernel.profile((1600,), (1600,)).cycles

    def test_a_block_that_is_not_there(self, add) -> None:
        kernel = compile(add(128), out_idx=-1)
        found = _error(lambda: kernel.profile((128,), (128,), block=4))
        assert found.code == "TL471"
        assert "0 to 3" in found.diagnostic.fix

    def test_a_kernel_that_stands_still_has_no_time(self, monkeypatch) -> None:
        @T.prim_func
        def stuck(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, is_npu=True) as (_, _):
                with T.Scope("Vector"):
                    a = T.alloc_ub((64,), "float32")
                    with T.rs("PIPE_MTE2"):
                        T.wait_flag("PIPE_V", 0)
                        T.copy(A, a)

        monkeypatch.setenv("TILELANG_ASCEND_MODE", "Expert")
        assert _error(lambda: compile(stuck).profile((64,))).code == "TL472"


def _work(found: Timeline) -> float:
    """Microseconds behind the launch."""
    return (found.cycles - found.launch_cycles) / found.clock_mhz
