"""What the passes may do on their own, and upstream's names for it."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith, memref, scf

import tlcourse  # noqa: F401  serves `import tilelang`
from tests.pipeline.minicv import TIR, Kernel, count
from tlcourse.bishengir.options import pipeline_text
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects.hivm.core import PointerCastOp
from tlcourse.dialects.hivm.sync import PipeBarrierOp, SetFlagOp, WaitFlagOp
from tlcourse.dialects.signature import signature, stamp
from tlcourse.pipeline import (
    NPUIR_PASSES,
    TIR_PASSES,
    PassOptions,
    Setting,
    compile_module,
)
from tlcourse.pipeline.options import SWAP, SWITCHES, Switch, configs_of
from tlcourse.records import Mode


def test_without_multi_buffering_there_is_one_copy_of_each(kernel: Kernel) -> None:
    both = kernel.compile().executable
    one = kernel.compile(options=PassOptions(auto_multi_buffer=False)).executable
    assert count(both, arith.SelectOp) == 2
    assert count(one, arith.SelectOp) == 0
    assert count(both, PointerCastOp) - count(one, PointerCastOp) == 2
    assert count(both, SetFlagOp) > count(one, SetFlagOp)


def test_without_injected_sync_there_are_no_flags(kernel: Kernel) -> None:
    bare = kernel.compile(options=PassOptions(inject_sync=False)).executable
    assert count(bare, SetFlagOp, WaitFlagOp) == 0


def test_without_moved_allocations_nothing_stands_in_the_loop() -> None:
    options = PassOptions(plan_buffer_location=False)
    done = Kernel("Expert").compile(options=options)
    loop = next(op for op in done.mlir.walk() if isinstance(op, scf.ForOp))
    assert not any(isinstance(op, memref.AllocOp) for op in loop.walk())


@pytest.mark.parametrize("value", [False, "False", "false", "0"])
def test_pass_configs_by_upstream_names(value: object) -> None:
    options = PassOptions().with_configs(
        {
            "npuir.enable_auto_multi_buffer": value,
            "npuir.disable_hivm_auto_inject_sync": "True",
            "tl.disable_tma_lower": True,
        }
    )
    assert options == PassOptions(auto_multi_buffer=False, inject_sync=False)
    assert PassOptions().with_configs({"npuir.disable_hivm_auto_inject_sync": value}) == (
        PassOptions()
    )


def test_a_stamped_module_brings_its_own_configs() -> None:
    kernel = Kernel("Expert")
    module = kernel.func.module.clone()
    stamp(
        module,
        mode="Expert",
        target="npuir",
        out_idx=(2,),
        pass_configs={"npuir.enable_auto_multi_buffer": "False"},
    )
    done = compile_module(module, kernel.func.sources, mode="Expert")
    assert count(done.executable, arith.SelectOp) == 0
    assert signature(done.tile, kernel.func.sources).out_idx == (2,)


def test_real_options_follow_ours() -> None:
    ours = PassOptions(auto_multi_buffer=False, inject_block_sync=False, bind_sub_block=False)
    real = ours.for_real_compiler()
    assert (real.auto_multi_buffer, real.auto_inject_sync) == (False, True)
    assert (real.auto_inject_block_sync, real.bind_sub_block) == (False, False)


def test_the_tables_say_which_mode_needs_a_pass() -> None:
    def names(mode: Mode) -> list[str]:
        setting = Setting(mode=mode, chip=DEFAULT_CHIP, options=PassOptions())
        return [s.make(setting).name for s in NPUIR_PASSES if s.runs(setting)]

    expert, developer = names("Expert"), names("Developer")
    assert [name for name in developer if name in expert][-5:] == expert[-5:]
    assert "one-shot-bufferize" in developer
    assert "one-shot-bufferize" not in expert
    assert len(TIR_PASSES) == len(TIR)


@pytest.mark.parametrize("switch", SWITCHES, ids=lambda switch: switch.option)
def test_each_switch_is_reached_by_its_key_and_by_the_compilers_name(switch: Switch) -> None:
    usual = getattr(PassOptions(), switch.option)
    value = "3" if switch.is_number else str(usual is switch.inverted).lower()
    configs = configs_of([f"{switch.upstream or switch.config}={value}"])
    assert configs == {switch.config: value}
    changed = PassOptions().with_configs(configs)
    assert getattr(changed, switch.option) == (3 if switch.is_number else not usual)
    assert PassOptions().with_configs({switch.config: switch.usual}) == PassOptions()
    if switch.upstream:
        real, plain = (
            pipeline_text("Developer", options.for_real_compiler(), "Ascend910B1")
            for options in (changed, PassOptions())
        )
        assert real != plain
        assert f"{switch.upstream}={value}" in real


def test_a_name_alone_switches_on() -> None:
    assert configs_of(["--enable-auto-blockify-loop"]) == {
        "npuir.enable_auto_blockify_loop": "true"
    }


def test_passes_to_exchange_come_by_a_key() -> None:
    assert PassOptions().with_configs({SWAP: "a, b"}).swap == ("a", "b")


def test_copies_of_workspaces_reach_the_embedded_passes() -> None:
    setting = Setting(
        mode="Developer", chip=DEFAULT_CHIP, options=PassOptions(workspace_multibuffer=2)
    )
    made = [step.make(setting) for step in NPUIR_PASSES]
    marks = [one for one in made if one.name == "hivm-mark-multi-buffer"]
    assert {vars(one)["set_workspace_multibuffer"] for one in marks} == {2}


@pytest.mark.parametrize("solver", [True, False])
def test_barriers_instead_of_flags(kernel: Kernel, solver: bool) -> None:
    options = PassOptions(barrier_all=True, graph_sync_solver=solver)
    done = kernel.compile(options=options).executable
    assert count(done, SetFlagOp, WaitFlagOp) == 0
    barriers = [op for op in done.walk() if isinstance(op, PipeBarrierOp)]
    assert len(barriers) > 5
    assert {op.pipe.data for op in barriers} == {"PIPE_ALL"}
