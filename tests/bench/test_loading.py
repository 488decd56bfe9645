"""What is measured of loading a package: ten kernels, no compiler, and what a budget says."""

from __future__ import annotations

import pytest

from tlcourse.bench import loading


def test_the_package_has_ten_kernels_and_brings_no_compiler() -> None:
    seconds, kernels, modules = loading._run(loading._LOADS)
    assert kernels == 10
    assert "tlcourse.ops.loading" in modules
    assert [name for name in modules if name.startswith(loading._COMPILER)] == []
    assert seconds > 0


@pytest.mark.parametrize(
    ("seconds", "modules", "met"),
    [(0.015, ["torch"], True), (0.021, ["torch"], False), (0.001, ["xdsl.ir"], False)],
)
def test_time_and_modules_decide(
    monkeypatch: pytest.MonkeyPatch, seconds: float, modules: list[str], met: bool
) -> None:
    monkeypatch.setattr(loading, "_run", lambda code: (seconds, 10, modules))
    found = loading.measure_loading()
    assert found.met is met
    assert found.milliseconds == round(seconds * 1e3, 1)
    assert found.compiler_modules == tuple(name for name in modules if name != "torch")
