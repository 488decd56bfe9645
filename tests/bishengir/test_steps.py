from __future__ import annotations

import pytest

from tlcourse.bishengir import BishengOptions, ToolError, compile_text
from tlcourse.bishengir.steps import RealStep, real_steps, run_steps, stages
from tlcourse.dialects.normal_form import normal_form

pytestmark = pytest.mark.bishengir


def test_options_of_an_entry():
    step = RealStep(name="p", text="func.func(p{a=1 b= mode=local-mem-plan})")
    assert step.options == {"a": "1", "mode": "local-mem-plan"}
    assert RealStep(name="p", text="func.func(p)").options == {}


def test_the_entries_are_those_of_the_mode(bishengir_opt):
    expert, developer = (
        [step.name for step in real_steps(mode)] for mode in ("Expert", "Developer")
    )
    assert expert[:2] == ["canonicalize-module", "hacc-append-device-spec"]
    assert "one-shot-bufferize" in developer
    assert "one-shot-bufferize" not in expert
    assert "convert-hivm-to-std" not in developer
    assert developer.count("hivm-plan-memory") == 2


def test_switches_reach_the_entries(bishengir_opt):
    steps = real_steps("Expert", BishengOptions(graph_sync_solver=False))
    names = [step.name for step in steps]
    assert "hivm-inject-sync" in names
    assert "hivm-graph-sync-solver" not in names


def test_what_the_tool_does_not_say_of_bufferization_is_said(bishengir_opt):
    (step,) = [one for one in real_steps("Developer") if one.name == "one-shot-bufferize"]
    assert step.options["allow-return-allocs-from-loops"] == "true"
    assert step.options["function-boundary-type-conversion"] == "identity-layout-map"


def test_a_stretch_a_step_at_a_time_and_the_whole_run_come_to_the_same(bishengir_opt, vadd_text):
    steps = real_steps("Expert")
    whole = normal_form(compile_text(vadd_text, mode="Expert"))
    assert normal_form(run_steps(vadd_text, steps)) == whole
    text = vadd_text
    for step in steps:
        text = run_steps(text, [step], for_xdsl=step is steps[-1])
    assert normal_form(text) == whole


def test_stages_come_in_order_and_end_with_executable_hivm(bishengir_opt, vadd_text):
    steps = real_steps("Expert")
    found = list(stages(vadd_text, steps))
    assert [name for name, _ in found] == [step.name for step in steps]
    assert "hivm.hir.pointer_cast" in found[-1][1]
    assert 'loc("cell:abcd0123":5:9)' in found[-1][1]


def test_a_failing_entry_is_named(bishengir_opt, vadd_text):
    large = vadd_text.replace("64x128", "1024x128").replace("[64, 128]", "[1024, 128]")
    with pytest.raises(ToolError, match="TL301") as caught:
        run_steps(large, real_steps("Expert"))
    assert caught.value.pass_name == "hivm-plan-memory"
