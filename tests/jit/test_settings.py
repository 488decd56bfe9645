"""Words from calls and from the environment, and positions of outputs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.jit import launch, settings
from tlcourse.records import Parameter

PARAMETERS = (
    Parameter(name="A", dtype="float16", kind="tensor", extents=("M",)),
    Parameter(name="n", dtype="int32", kind="scalar"),
    Parameter(name="C", dtype="float16", kind="tensor", extents=("M",)),
    Parameter(name="M", dtype="int32", kind="symbol"),
)


@pytest.fixture(autouse=True)
def _empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "TILELANG_ASCEND_MODE",
        "TILELANG_ASCEND_DEVICE_NAME",
        "TILELANG_DISABLE_CACHE",
        "TLCOURSE_COMPILER",
        "TLCOURSE_EXECUTION",
        "TLCOURSE_CHECKS",
    ):
        monkeypatch.delenv(name, raising=False)


def test_defaults() -> None:
    found = settings.read_settings()
    assert (found.mode, found.target, found.chip.name) == ("Expert", "npuir", "Ascend910B1")
    assert (found.backend, found.execution, found.checks) == ("embedded", "simulator", "class")
    assert found.pass_configs == {}
    assert found.cache_folder is not None


def test_environment_is_read_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILELANG_ASCEND_MODE", "Developer")
    monkeypatch.setenv("TLCOURSE_EXECUTION", "functional")
    monkeypatch.setenv("TILELANG_DISABLE_CACHE", "1")
    found = settings.read_settings(pass_configs={"npuir.enable_auto_multi_buffer": True})
    assert (found.mode, found.execution, found.cache_folder) == ("Developer", "functional", None)
    assert found.pass_configs == {"npuir.enable_auto_multi_buffer": "True"}


def test_mode_of_a_call_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILELANG_ASCEND_MODE", "Expert")
    assert settings.read_settings(mode="Developer").mode == "Developer"


@pytest.mark.parametrize(
    ("ask", "code", "fix"),
    [
        (lambda: settings.read_settings(target="cuda"), "TL422", '"npuir"'),
        (lambda: settings.backend_from("bishengr"), "TL424", 'did you mean "bishengir"?'),
        (lambda: settings.execution_from("gpu"), "TL424", '"simulator", "functional"'),
        (lambda: launch.whole_from("a", "seed"), "TL424", "write seed=1"),
        (lambda: launch.whole_from(1.5, "replay"), "TL424", "write replay=1"),
        (lambda: settings.checks_from("most"), "TL424", '"off", "class", "all"'),
    ],
    ids=["target", "backend", "execution", "seed", "replay", "checks"],
)
def test_unknown_word(ask: Callable[[], object], code: str, fix: str) -> None:
    with pytest.raises(TLError) as caught:
        ask()
    assert caught.value.code == code
    assert fix in caught.value.diagnostic.fix


@pytest.mark.parametrize(
    ("variable", "word", "code"),
    [
        ("TLCOURSE_COMPILER", "llvm", "TL424"),
        ("TLCOURSE_EXECUTION", "fast", "TL424"),
        ("TLCOURSE_CHECKS", "none", "TL424"),
        ("TILELANG_ASCEND_DEVICE_NAME", "Ascend310", "TL425"),
    ],
)
def test_unknown_word_in_the_environment(
    monkeypatch: pytest.MonkeyPatch, variable: str, word: str, code: str
) -> None:
    monkeypatch.setenv(variable, word)
    with pytest.raises(TLError) as caught:
        settings.read_settings()
    assert caught.value.code == code
    assert f'{variable} = "{word}"' in caught.value.diagnostic.what


@pytest.mark.parametrize(
    ("given", "normal"), [(None, ()), (2, (2,)), (-1, (2,)), ([-1, 0], (2, 0)), ((0,), (0,))]
)
def test_out_idx(given: int | list[int] | None, normal: tuple[int, ...]) -> None:
    assert settings.normal_out_idx(given, PARAMETERS) == normal


@pytest.mark.parametrize("given", [3, -4, 1, [0, 0], [2, -1]])
def test_out_idx_that_names_no_output(given: int | list[int]) -> None:
    with pytest.raises(TLError) as caught:
        settings.normal_out_idx(given, PARAMETERS)
    assert caught.value.code == "TL421"
    assert "0 = A, 2 = C" in caught.value.diagnostic.why


@pytest.mark.parametrize("given", ["2", 2.0, [1.0], {"C": 2}, True])
def test_out_idx_that_is_no_position(given: object) -> None:
    with pytest.raises(TLError) as caught:
        settings.normal_out_idx(given, PARAMETERS)  # type: ignore[arg-type]
    assert caught.value.code == "TL421"
    assert repr(given) in caught.value.diagnostic.what


@pytest.mark.parametrize("family", ["", "Ascend910B"])
def test_the_name_of_the_family_is_the_chip(monkeypatch: pytest.MonkeyPatch, family: str) -> None:
    monkeypatch.setenv("TILELANG_ASCEND_DEVICE_NAME", family)
    assert settings.read_settings().chip.name == "Ascend910B1"


@pytest.mark.parametrize("word", ["1", "TRUE", "on", "0", "no", "Off"])
def test_simt_takes_yes_and_no(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    monkeypatch.setenv("TILELANG_ENABLE_SIMT", word)
    settings.read_settings()


def test_simt_refuses_other_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILELANG_ENABLE_SIMT", "maybe")
    with pytest.raises(TLError) as caught:
        settings.read_settings()
    assert caught.value.code == "TL424"
