"""The profiler of a kernel: times by name, checks with out_idx and without."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.jit import Kernel, Profiler, TensorSupplyType, compile
from tlcourse.jit.bench import simulated_ms
from tlcourse.language import PrimFunc

Factory = Callable[..., PrimFunc]


@pytest.fixture(params=[[-1], None], ids=["out_idx", "in place"])
def kernel(request: pytest.FixtureRequest, add: Factory) -> Kernel:
    return compile(add(128), out_idx=request.param)


@pytest.fixture
def symbolic(doubled: PrimFunc) -> Kernel:
    return compile(doubled, out_idx=[1])


def ones(size: int) -> torch.Tensor:
    return torch.ones(size).npu()


class TestTimes:
    def test_of_the_kernel_are_simulated_and_repeat(self, kernel: Kernel) -> None:
        profiler = kernel.get_profiler()
        first, second = profiler.do_bench(), profiler.simulated_ms()
        assert first == second > 0
        assert first.clock == "simulated"
        assert kernel.benchmark() == first

    def test_equal_those_of_a_launch_and_compute_nothing(self, kernel: Kernel) -> None:
        profiler = kernel.get_profiler()
        tensors = profiler.inputs()
        before = [tensor.cpu().clone() for tensor in tensors]
        found = profiler.simulated_ms(tensors)
        assert kernel.last_launch is None
        assert all(map(torch.equal, before, (tensor.cpu() for tensor in tensors)))
        launch = kernel.launch(*tensors, execution="simulator")
        assert found == simulated_ms(launch.timeline)

    def test_of_a_function_are_wall_time(self, kernel: Kernel) -> None:
        assert kernel.get_profiler().do_bench(lambda *tensors: None).clock == "wall"

    def test_of_a_kernel_that_only_the_functional_executor_runs(
        self, kernel: Kernel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def unknown(self: Kernel, execution: str | None = None, backend: str | None = None) -> None:
            raise NotImplementedError

        monkeypatch.setattr(Kernel, "program", unknown)
        assert kernel.get_profiler().do_bench().clock == "wall"

    def test_of_a_kernel_that_does_not_fit_there_is_none(self, add: Factory) -> None:
        with pytest.raises(TLError) as caught:
            compile(add(2**17, block=2**16)).benchmark()
        assert caught.value.code == "TL301"

    def test_symbols_take_given_tensors(self, symbolic: Kernel) -> None:
        profiler = symbolic.get_profiler()
        short, long = (profiler.do_bench(input_tensors=[ones(n)]) for n in (32, 32 * 96))
        assert 0 < short < long
        with pytest.raises(TLError) as caught:
            profiler.do_bench()
        assert caught.value.code == "TL434"


class TestChecks:
    def test_right_reference(self, kernel: Kernel) -> None:
        kernel.get_profiler().assert_allclose(lambda a, b: a + b, rtol=0, atol=0)

    def test_wrong_reference(self, kernel: Kernel) -> None:
        with pytest.raises(AssertionError) as caught:
            kernel.get_profiler().assert_allclose(lambda a, b: a - b)
        assert isinstance(caught.value, TLError)
        assert caught.value.code == "TL435"
        assert "output 0 of add" in caught.value.diagnostic.what

    def test_reference_that_writes_in_place(self, add: Factory) -> None:
        def into(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
            c.copy_(a + b)

        tensors = [ones(128), ones(128), torch.zeros(128).npu()]
        compile(add(128)).get_profiler().assert_allclose(into, tensors)
        assert (tensors[2] == 2).all()

    def test_number_of_outputs(self, kernel: Kernel) -> None:
        with pytest.raises(TLError) as caught:
            kernel.get_profiler().assert_allclose(lambda a, b: (a, b))
        assert caught.value.code == "TL435"

    def test_manual_check_gets_lists(self, kernel: Kernel) -> None:
        seen: list[int] = []

        def check(got: list[torch.Tensor], wanted: list[torch.Tensor]) -> None:
            torch.testing.assert_close(got[0], wanted[0])
            seen.append(len(got))

        kernel.get_profiler().manual_assert_close(lambda a, b: a + b, manual_check_prog=check)
        assert seen == [1]

    def test_symbols(self, symbolic: Kernel) -> None:
        symbolic.get_profiler().assert_allclose(lambda a: a * 2, [ones(96)])

    def test_consistent(self, kernel: Kernel) -> None:
        kernel.get_profiler(TensorSupplyType.Randn).assert_consistent(repeat=2)

    def test_inconsistent(self, kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
        def other(self: Profiler, tensors: object, seed: int = 0) -> list[torch.Tensor]:
            return [torch.full((2,), float(seed // 2))]

        monkeypatch.setattr(Profiler, "_outputs", other)
        with pytest.raises(AssertionError) as caught:
            kernel.get_profiler().assert_consistent(repeat=3)
        assert isinstance(caught.value, TLError)
        assert caught.value.code == "TL436"
        assert "run 2 of add" in caught.value.diagnostic.what

    def test_run_once(self, kernel: Kernel) -> None:
        tensors = [ones(128)] * 2 if kernel.out_idx else [ones(128), ones(128), ones(128)]
        result = kernel.get_profiler().run_once(input_tensors=tensors)
        written = result if kernel.out_idx else tensors[2]
        assert isinstance(written, torch.Tensor)
        assert (written == 2).all()

    def test_profiler_calls_the_kernel(self, add: Factory) -> None:
        result = Profiler(compile(add(128), out_idx=-1))(ones(128), ones(128))
        assert isinstance(result, torch.Tensor)


def test_scalar_parameters_need_given_arguments() -> None:
    @T.prim_func
    def filled(A: T.Tensor((32,), "float32"), x: T.float32):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub((32,), "float32")
            T.vbrc(x, a)
            T.copy(a, A)

    profiler = compile(filled, out_idx=[0]).get_profiler()
    with pytest.raises(TLError) as caught:
        profiler.inputs()
    assert caught.value.code == "TL434"
    profiler.assert_allclose(lambda x: torch.full((32,), x), [2.5])
