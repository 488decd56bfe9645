"""Times and by which clock they were taken."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest
import torch

from tlcourse.jit import Latency, compile, do_bench
from tlcourse.jit.bench import simulated_ms
from tlcourse.language import PrimFunc

Factory = Callable[..., PrimFunc]


def test_latency_is_a_number_that_knows_its_clock() -> None:
    latency = Latency(1.5, "simulated")
    assert (latency, latency.clock, f"{latency:.2f}") == (1.5, "simulated", "1.50")
    assert pickle.loads(pickle.dumps(latency)).clock == "simulated"


def test_simulated_time_is_cycles_over_the_clock(add: Factory) -> None:
    kernel = compile(add(64), out_idx=[-1])
    launch = kernel.launch(torch.ones(64).npu(), torch.ones(64).npu(), execution="simulator")
    timeline = launch.timeline
    assert float(simulated_ms(timeline)) == timeline.cycles / timeline.clock_mhz / 1000


@pytest.mark.parametrize(("warmup", "repeat", "calls"), [(1, 3, 5), (4, 2, 7)])
def test_counts_of_runs(warmup: int, repeat: int, calls: int) -> None:
    seen: list[int] = []
    found = do_bench(lambda: seen.append(1), _n_warmup=warmup, _n_repeat=repeat)
    assert len(seen) == calls
    assert isinstance(found, Latency)
    assert found.clock == "wall"


def test_quantiles_are_ordered() -> None:
    found = do_bench(lambda: None, _n_warmup=1, _n_repeat=9, quantiles=[0.2, 0.5, 0.8])
    assert isinstance(found, list)
    assert found == sorted(found)


@pytest.mark.parametrize("mode", ["mean", "median", "min", "max"])
def test_averages(mode: str) -> None:
    assert do_bench(lambda: None, _n_repeat=3, return_mode=mode) >= 0  # type: ignore[operator,arg-type]


def test_gradients_are_dropped() -> None:
    x = torch.ones(2, requires_grad=True)
    do_bench(lambda: (x * x).sum().backward(), _n_warmup=1, _n_repeat=2, grad_to_none=[x])
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 2.0]
