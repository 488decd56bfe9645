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


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """A clock that stands still unless it is told how many milliseconds have passed."""
    now = [100.0]
    monkeypatch.setattr("tlcourse.jit.bench.time.perf_counter", lambda: now[0])

    def wait(milliseconds: float) -> None:
        now[0] += milliseconds / 1e3

    return wait


@pytest.fixture
def work(clock: Callable[[float], None]) -> Callable[[], None]:
    """Two runs in front, which take 50 and 70 ms, then 2, 9, 1, 3 and 5 ms."""
    spans = iter((50.0, 70.0, 2.0, 9.0, 1.0, 3.0, 5.0))
    return lambda: clock(next(spans))


@pytest.mark.parametrize(
    ("mode", "ms"), [("mean", 4.0), ("median", 3.0), ("min", 1.0), ("max", 9.0)]
)
def test_averages_of_the_timed_runs_alone(work: Callable[[], None], mode: str, ms: float) -> None:
    found = do_bench(work, _n_warmup=1, _n_repeat=5, return_mode=mode)  # type: ignore[arg-type]
    assert found == pytest.approx(ms)


def test_quantiles_of_the_timed_runs_alone(work: Callable[[], None]) -> None:
    found = do_bench(work, _n_warmup=1, _n_repeat=5, quantiles=[0.25, 0.5, 1.0])
    assert found == pytest.approx([2.0, 3.0, 9.0])


def test_one_quantile_is_a_number(work: Callable[[], None]) -> None:
    found = do_bench(work, _n_warmup=1, _n_repeat=5, quantiles=[0.75])
    assert found == pytest.approx(5.0)


def test_milliseconds_become_counts_of_runs(clock: Callable[[float], None]) -> None:
    """5 ms a run: one run tells the time, 25 ms of warming up are 5 runs, 100 ms of timing 20."""
    seen: list[int] = []

    def run() -> None:
        seen.append(1)
        clock(5.0)

    assert do_bench(run, warmup=25.1, rep=100.1) == pytest.approx(5.0)
    assert len(seen) == 1 + 5 + 20


def test_gradients_are_dropped() -> None:
    x = torch.ones(2, requires_grad=True)
    do_bench(lambda: (x * x).sum().backward(), _n_warmup=1, _n_repeat=2, grad_to_none=[x])
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 2.0]


def test_latency_says_by_which_clock_it_was_taken() -> None:
    found = Latency(0.0125, "simulated")
    assert repr(found) == "0.0125 ms, simulated time"
    assert f"{found} ms" == "0.0125 ms"
    assert f"{found:.2f}" == "0.01"
