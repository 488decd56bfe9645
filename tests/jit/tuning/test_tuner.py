"""`AutoTuner`, the tuner as an object."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.jit import AutoTuner
from tlcourse.language import PrimFunc

Factory = Callable[..., PrimFunc]
CONFIGS = [{"block": 32}, {"block": 256}]


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def of(add: Factory, size: int) -> Callable[..., PrimFunc]:
    def kernel(block: int) -> PrimFunc:
        return add(size, block)

    return kernel


def test_result(add: Factory) -> None:
    tuner = AutoTuner.from_kernel(of(add, 4096), CONFIGS)
    result = (
        tuner.set_compile_args(out_idx=[-1], target="npuir")
        .set_profile_args(ref_prog=lambda a, b: a + b)
        .run(warmup=1, rep=2, timeout=30)
    )
    assert result.config == {"block": 256}
    assert result.latency is not None
    assert result.latency.clock == "simulated"
    assert result.ref_latency is not None
    assert result.func is result.kernel.prim_func
    assert "hivm.hir.vadd" in result.libcode


def test_captured_sizes_are_part_of_what_is_remembered(add: Factory) -> None:
    """The text of the function is the same for both sizes."""
    results = [AutoTuner(of(add, size), CONFIGS)().kernel.params for size in (512, 4096)]
    assert [params[0].extents for params in results] == [("512",), ("4096",)]


def test_works_without_out_idx(add: Factory) -> None:
    tuner = AutoTuner(of(add, 512), CONFIGS).set_profile_args(ref_prog=lambda a, b: a + b)
    assert tuner.run().config in CONFIGS


@pytest.mark.parametrize(
    ("configs", "code"), [([{"blok": 1}], "TL450"), ([], "TL451"), ([{"block": 0}], "TL452")]
)
def test_errors(add: Factory, configs: list[dict[str, int]], code: str) -> None:
    with pytest.raises(TLError) as caught:
        AutoTuner(of(add, 512), configs).run()
    assert caught.value.code == code
