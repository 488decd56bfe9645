"""Switches that only the real compiler follows are warned of where the embedded passes compile."""

from __future__ import annotations

import warnings

import pytest

from tlcourse.examples.minicv import minicv_developer
from tlcourse.jit import KernelWarning, compile
from tlcourse.pipeline.ignored import idle_exchanges, ignored_switches, switch_states
from tlcourse.pipeline.options import SWAP, SWITCHES
from tlcourse.records import Backend, Mode

TILE, UNIT = "npuir.tile_mix_cube_loop", "npuir.enable_hivm_unit_flag_sync"
CASES: list[tuple[dict[str, str], Backend, list[str]]] = [
    ({}, "embedded", []),
    ({TILE: "4", UNIT: "True"}, "embedded", [TILE, UNIT]),
    ({TILE: "4", UNIT: "True"}, "bishengir", []),
    # what the embedded passes do anyway
    ({TILE: "1", UNIT: "False"}, "embedded", []),
    # the usual value of the real compiler is not what the embedded passes do
    ({TILE: "2"}, "embedded", [TILE]),
    # a pass of the other back half
    ({UNIT: "1", SWAP: "hivm-graph-sync-solver"}, "embedded", []),
    ({UNIT: "1", SWAP: "hivm-graph-sync-solver"}, "bishengir", [UNIT]),
    ({UNIT: "1", SWAP: "hivm-plan-memory"}, "embedded", [UNIT]),
]


@pytest.mark.parametrize(("configs", "backend", "names"), CASES)
def test_what_is_ignored(configs: dict[str, str], backend: Backend, names: list[str]) -> None:
    found = ignored_switches(configs, backend)
    assert [one.code for one in found] == ["TL326"] * len(names)
    assert all(name in one.what for one, name in zip(found, names, strict=True))


def test_the_warning_names_the_pass_and_the_way_out() -> None:
    (here,) = ignored_switches({TILE: "4"}, "embedded")
    assert "only the real compiler follows it, in its tile-cube-vector-loop" in here.why
    assert here.why.endswith("do as with 1")
    assert 'backend="bishengir"' in here.fix
    (there,) = ignored_switches({UNIT: "1", SWAP: "hivm-inject-sync"}, "bishengir")
    assert there.fix.startswith(f"leave {SWAP} alone")


def test_switches_that_both_follow_are_never_warned_of() -> None:
    configs = {switch.config: "2" if switch.is_number else "1" for switch in SWITCHES}
    found = " ".join(one.what for one in ignored_switches(configs, "embedded"))
    ignored = {switch.config for switch in SWITCHES if switch.config in found}
    assert ignored == {TILE, "npuir.tile_mix_vector_loop", UNIT}


def test_a_compile_warns_once_and_the_functional_executor_never() -> None:
    func = minicv_developer(128, 128, 64, 64, 64, 64)
    kernel = compile(func, mode="Developer", pass_configs={TILE: 4})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel.program("functional")
    with pytest.warns(KernelWarning, match=r"warning\[TL326\]") as caught:
        kernel.program("simulator", "embedded")
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel.program("simulator", "embedded")
    with pytest.warns(KernelWarning, match="TL326"):
        kernel.trace("embedded")


@pytest.mark.parametrize(
    ("swap", "mode", "more", "idle"),
    [
        ("", "Expert", {}, []),
        ("hivm-plan-memory,hivm-graph-sync-solver", "Expert", {}, []),
        ("hivm-plan-memory,hivm-inject-sync", "Expert", {}, ["hivm-inject-sync"]),
        ("hivm-inject-sync", "Expert", {"npuir.enable_hivm_graph_sync_solver": "False"}, []),
        ("hivm-split-mix-kernel", "Expert", {}, ["hivm-split-mix-kernel"]),
        ("hivm-split-mix-kernel", "Developer", {}, []),
    ],
)
def test_a_pass_that_does_not_run_is_exchanged_for_nothing(
    swap: str, mode: Mode, more: dict[str, str], idle: list[str]
) -> None:
    found = idle_exchanges({SWAP: swap, **more}, mode)
    assert [one.code for one in found] == ["TL326"] * len(idle)
    assert all(f": {name} is" in one.what for one, name in zip(found, idle, strict=True))


@pytest.mark.bishengir
def test_a_compile_warns_of_an_idle_exchange(bishengir_opt: object) -> None:
    func = minicv_developer(128, 128, 64, 64, 64, 64)
    kernel = compile(func, mode="Developer", pass_configs={SWAP: "hivm-inject-sync"})
    with pytest.warns(KernelWarning, match="hivm-inject-sync is exchanged for nothing"):
        kernel.trace("embedded")


def test_states_show_every_switch_in_upstreams_sense():
    configs = {
        "npuir.enable_auto_multi_buffer": "False",
        "npuir.disable_hivm_auto_inject_sync": "True",
        "npuir.set_workspace_multibuffer": "2",
    }
    found = {one.name: one for one in switch_states(configs, "embedded")}
    assert len(found) == len(SWITCHES)
    assert found["enable-auto-multi-buffer"].value == "false"
    assert found["disable-hivm-auto-inject-sync"].value == "true"
    assert found["disable-hivm-auto-inject-sync"].usual == "false"
    assert found["set-workspace-multibuffer"].value == "2"
    assert found["set-workspace-multibuffer"].is_number
    assert found["tl.enable_plan_and_update_buffer_allocation"].value == "true"


def test_states_know_what_the_back_half_follows():
    def idle(backend):
        return {one.name for one in switch_states({}, backend) if not one.is_followed}

    assert idle("embedded") == {
        "tile-mix-cube-loop",
        "tile-mix-vector-loop",
        "enable-hivm-unit-flag-sync",
    }
    assert idle("bishengir") == set()
