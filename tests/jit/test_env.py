"""`tilelang.env`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.jit.env import DEFAULTS, env


def test_defaults_and_values(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in DEFAULTS:
        monkeypatch.delenv(name, raising=False)
    assert {name: getattr(env, name) for name in DEFAULTS} == dict(DEFAULTS)
    monkeypatch.setenv("TILELANG_ASCEND_MODE", "Developer")
    assert env.TILELANG_ASCEND_MODE == "Developer"
    assert set(DEFAULTS) < set(dir(env))


def test_setting_one_is_seen_by_the_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TILELANG_CACHE_DIR", "before")
    env.TILELANG_CACHE_DIR = tmp_path  # type: ignore[misc, assignment]
    assert os.environ["TILELANG_CACHE_DIR"] == env.TILELANG_CACHE_DIR == str(tmp_path)


def test_cache_switches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILELANG_DISABLE_CACHE", "0")
    env.disable_cache()
    assert not env.is_cache_enabled()
    env.enable_cache()
    assert env.is_cache_enabled()


@pytest.mark.parametrize(
    "use", [lambda: env.TILELANG_CACHE, lambda: setattr(env, "CUDA_HOME", "x")], ids=["get", "set"]
)
def test_unknown_names(use: Callable[[], object]) -> None:
    with pytest.raises(TLError) as caught:
        use()
    assert caught.value.code == "TL460"
