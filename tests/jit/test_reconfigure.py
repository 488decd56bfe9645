from __future__ import annotations

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.examples.gemm import gemm
from tlcourse.jit import compile as compile_kernel
from tlcourse.jit.reconfigure import with_pass_configs
from tlcourse.pipeline.options import SWAP


def test_further_configs_override_and_the_kernel_stays(add):
    off = {"npuir.disable_hivm_auto_inject_sync": "True"}
    kernel = compile_kernel(add(64), pass_configs={"npuir.enable_auto_multi_buffer": False})
    other = with_pass_configs(kernel, off)
    assert "set_flag" in kernel.get_kernel_source()
    assert "set_flag" not in other.get_kernel_source()
    assert other.settings.pass_configs == {"npuir.enable_auto_multi_buffer": "False", **off}
    assert other.launch_signature == kernel.launch_signature


def test_numbers_and_passes_are_checked(add):
    kernel = compile_kernel(add(64))
    with pytest.raises(TLError, match="not a number from 1 on") as caught:
        with_pass_configs(kernel, {"npuir.set_workspace_multibuffer": "many"})
    assert caught.value.code == "TL431"
    with pytest.raises(TLError, match="TL325"):
        with_pass_configs(kernel, {SWAP: "hivm-plan-memory, cse"})


def test_a_kernel_tells_its_switches_and_takes_others(add):
    kernel = compile_kernel(add(64), pass_configs={"npuir.enable_auto_multi_buffer": False})
    other = kernel.with_switches({"npuir.disable_hivm_auto_inject_sync": "true"})
    values = {one.name: one.value for one in other.switches()}
    assert values["enable-auto-multi-buffer"] == "false"
    assert values["disable-hivm-auto-inject-sync"] == "true"
    assert {one.name: one.value for one in kernel.switches()} == values | {
        "disable-hivm-auto-inject-sync": "false"
    }
    idle = [one.name for one in kernel.switches() if not one.is_followed]
    assert idle == ["tile-mix-cube-loop", "tile-mix-vector-loop", "enable-hivm-unit-flag-sync"]
    assert all(one.is_followed for one in kernel.switches("bishengir"))
    with pytest.raises(TLError, match="TL424"):
        kernel.switches("other")


def test_passes_are_measured_in_the_order_of_the_trace(add):
    kernel = compile_kernel(add(64))
    names = [one.pass_name for one in kernel.trace("embedded").snapshots[1:]]
    timed = kernel.measure_passes("embedded")
    assert [one.pass_name for one in timed] == names
    assert all(one.seconds is not None and one.seconds > 0 for one in timed)
    assert {one.numbers for one in timed} == {""}
    checked = kernel.measure_passes("embedded", numbers=True)
    assert [one.pass_name for one in checked] == names
    assert {one.numbers for one in checked} == {"same", "unchanged"}
    assert kernel.measure_passes("bishengir") == ()


def test_a_kernel_with_symbols_is_timed_only(doubled):
    measures = compile_kernel(doubled).measure_passes("embedded", numbers=True)
    assert {one.numbers for one in measures} == {""}


def test_a_kernel_of_the_cube_core_alone_is_measured():
    kernel = compile_kernel(gemm(64, 64, 64, 64, 64, 64), mode="Developer")
    measures = kernel.measure_passes("embedded", numbers=True)
    assert {one.numbers for one in measures} == {"same", "unchanged"}
