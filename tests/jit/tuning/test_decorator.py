"""`@tilelang.autotune`: the winner, its memory, the failures, wrong use."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch

from tlcourse.diagnostics import TLError
from tlcourse.jit import Kernel, KernelWarning, autotune, jit
from tlcourse.jit.tuning.search import Search
from tlcourse.language import PrimFunc

CONFIGS = [{"block": 32}, {"block": 64}, {"block": 256}]
Factory = Callable[..., PrimFunc]


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where `autotuner.log` goes."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of configurations of the searches that were not answered by the cache."""
    seen: list[int] = []
    searched = Search._searched

    def counted(self: Search, candidates: Sequence[object], log: object) -> object:
        seen.append(len(candidates))
        return searched(self, candidates, log)  # type: ignore[arg-type]

    monkeypatch.setattr(Search, "_searched", counted)
    return seen


def tuned(add: Factory, **options: object) -> Callable[..., Kernel]:
    settings: dict[str, object] = {"configs": CONFIGS, "ref_prog": lambda a, b: a + b} | options
    return autotune(**settings)(jit(out_idx=[-1])(add))  # type: ignore[arg-type]


def test_fewest_cycles_win(add: Factory, capsys: pytest.CaptureFixture[str]) -> None:
    """4096 elements on 48 cores: 128 blocks wait for cores, 16 longer ones do not."""
    kernel = tuned(add)(4096)
    result = kernel.get_tuner_result()
    assert result["config"] == {"block": 256}
    assert result["latency"] == kernel.benchmark()
    assert getattr(result["latency"], "clock") == "simulated"
    assert getattr(result["ref_latency"], "clock") == "wall"
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" with ")[2] for line in lines] == [
        f"config {config} at index {index} (simulated ms)" for index, config in enumerate(CONFIGS)
    ]
    assert "ranked by simulated time" in Path("autotuner.log").read_text()


def test_log_level_keeps_the_screen_empty(add: Factory, capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("tlcourse")
    before = logger.level
    logger.setLevel(logging.WARNING)
    try:
        tuned(add)(512)
    finally:
        logger.setLevel(before)
    assert capsys.readouterr().out == ""
    assert Path("autotuner.log").read_text().count("Tuned Latency") == 3


def test_the_kernel_is_ready_to_use(add: Factory) -> None:
    result = tuned(add)(512)(torch.ones(512).npu(), torch.ones(512).npu())
    assert isinstance(result, torch.Tensor)
    assert (result == 2).all()


def test_wall_time_ranks_where_one_kernel_cannot_be_simulated(
    add: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tlcourse.jit.compiling import Compiler

    def unknown(self: Compiler, backend: str) -> None:
        raise NotImplementedError

    monkeypatch.setattr(Compiler, "_simulated", unknown)
    latency = tuned(add, warmup=1, rep=1)(512).get_tuner_result()["latency"]
    assert getattr(latency, "clock") == "wall"


class TestMemory:
    def test_equal_calls_give_the_same_kernel(self, add: Factory, searches: list[int]) -> None:
        make = tuned(add)
        assert make(512) is make(512)
        assert searches == [3]

    def test_each_shape_has_its_own_winner(self, add: Factory, searches: list[int]) -> None:
        make = tuned(add)
        large, small = make(8192 * 8), make(256)
        assert searches == [3, 3]
        assert large.params != small.params

    def test_other_process_finds_the_winner_on_disk(
        self, add: Factory, searches: list[int]
    ) -> None:
        first, second = tuned(add)(512), tuned(add)(512)
        assert searches == [3]
        assert first.get_tuner_result() == second.get_tuner_result()
        assert getattr(second.get_tuner_result()["latency"], "clock") == "simulated"

    @pytest.mark.parametrize(
        "options",
        [{"configs": CONFIGS[:2]}, {"atol": 1e-3}, {"ref_prog": None}, {"skip_check": True}],
        ids=str,
    )
    def test_what_decides_the_winner_is_in_the_key(
        self, add: Factory, searches: list[int], options: dict[str, object]
    ) -> None:
        tuned(add)(512)
        tuned(add, **options)(512)
        assert len(searches) == 2

    def test_mode_is_in_the_key(
        self, add: Factory, searches: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make = tuned(add)
        make(512)
        monkeypatch.setenv("TILELANG_ASCEND_MODE", "Developer")
        assert make(512).launch_signature.mode == "Developer"
        assert len(searches) == 2

    @pytest.mark.parametrize(
        "variable", ["TILELANG_DISABLE_CACHE", "TILELANG_AUTO_TUNING_DISABLE_CACHE"]
    )
    def test_switched_off(
        self, add: Factory, searches: list[int], monkeypatch: pytest.MonkeyPatch, variable: str
    ) -> None:
        monkeypatch.setenv(variable, "1")
        tuned(add)(512)
        tuned(add)(512)
        assert len(searches) == 2


class TestArguments:
    def test_supply_prog_sees_parameters_and_configuration(self, add: Factory) -> None:
        seen: list[tuple[object, ...]] = []

        def supply(params: Sequence[object], config: object) -> list[torch.Tensor]:
            seen.append((len(params), config))
            return [torch.ones(512).npu(), torch.ones(512).npu()]

        tuned(add, supply_prog=supply)(512)
        assert seen == [(2, config) for config in CONFIGS]

    def test_kept_arguments_are_made_once(self, add: Factory) -> None:
        made: list[int] = []

        def supply(params: object) -> list[torch.Tensor]:
            made.append(1)
            return [torch.ones(512).npu(), torch.ones(512).npu()]

        tuned(add, supply_prog=supply, cache_input_tensors=True)(512)
        assert len(made) == 1

    def test_manual_check(self, add: Factory) -> None:
        seen: list[int] = []

        def check(got: list[torch.Tensor], wanted: list[torch.Tensor]) -> None:
            seen.append(len(got))
            if len(seen) == 1:
                raise ValueError("not this one")

        config = tuned(add, manual_check_prog=check)(512).get_tuner_result()["config"]
        assert config != {"block": 32}
        assert seen == [1, 1, 1]


class TestFailures:
    def test_those_that_fail_are_passed_over(
        self, add: Factory, capsys: pytest.CaptureFixture[str]
    ) -> None:
        configs = [{"block": 2**16}, {"block": 0}, {"block": 64}]
        kernel = tuned(add, configs=configs)(2**17)
        assert kernel.get_tuner_result()["config"] == {"block": 64}
        said = capsys.readouterr().out
        assert "Failed config {'block': 65536} at index 0: TL301" in said
        assert "at index 1: TL130" in said

    def test_table_where_none_works(self, add: Factory) -> None:
        configs = [{"block": 2**16}, {"block": 0}]
        with pytest.raises(TLError) as caught:
            tuned(add, configs=configs)(2**17)
        assert caught.value.code == "TL452"
        assert "none of the 2 configurations of _add" in caught.value.diagnostic.what
        rows = caught.value.diagnostic.why.splitlines()[1:]
        assert [row.split()[:2] for row in rows] == [
            ["block=65536", "TL301"],
            ["block=0", "TL130"],
        ]

    def test_wrong_results(self, add: Factory) -> None:
        with pytest.raises(TLError) as caught:
            tuned(add, ref_prog=lambda a, b: a - b)(512)
        assert caught.value.code == "TL452"
        assert caught.value.diagnostic.why.count("TL435") == 3

    def test_wrong_results_are_not_looked_for_if_so_wished(self, add: Factory) -> None:
        tuned(add, ref_prog=lambda a, b: a - b, skip_check=True)(512)

    def test_timeout(self, add: Factory) -> None:
        def slow(params: object) -> list[torch.Tensor]:
            torch.zeros(1)
            while True:
                pass

        with pytest.raises(TLError) as caught:
            tuned(add, supply_prog=slow, timeout=0.05)(512)
        assert caught.value.diagnostic.why.count("TL454") == 3


class TestWrongUse:
    def test_without_arguments(self, add: Factory) -> None:
        with pytest.raises(TLError) as caught:
            autotune(jit(add))
        assert caught.value.code == "TL432"
        assert "without arguments" in caught.value.diagnostic.what

    def test_not_above_jit(self, add: Factory) -> None:
        with pytest.raises(TLError) as caught:
            autotune(configs=CONFIGS)(add)  # type: ignore[arg-type]
        assert caught.value.code == "TL432"
        assert "above _add, no jit function" in caught.value.diagnostic.what

    def test_call_that_gives_what_is_tuned(self, add: Factory, searches: list[int]) -> None:
        make = tuned(add)
        for call in (lambda: make(512, 64), lambda: make(512, block=64)):
            with pytest.warns(KernelWarning, match=r"warning\[TL455\]: _add .* gives block"):
                kernel = call()
            assert kernel.gridfunc == "8"
        assert searches == []

    def test_other_arguments_than_the_function_takes(self, add: Factory) -> None:
        with pytest.raises(TLError) as caught:
            tuned(add)(512, dtyp="float16")
        assert caught.value.code == "TL426"

    def test_no_warning_of_its_own(self, add: Factory) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tuned(add)(512)
