"""What the passes may do on their own, and upstream's names for it."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith, memref, scf

import tlcourse  # noqa: F401  serves `import tilelang`
from tests.pipeline.minicv import TIR, Kernel, count
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects.hivm.core import PointerCastOp
from tlcourse.dialects.hivm.sync import SetFlagOp, WaitFlagOp
from tlcourse.dialects.signature import signature, stamp
from tlcourse.pipeline import (
    NPUIR_PASSES,
    TIR_PASSES,
    PassOptions,
    Setting,
    compile_module,
)
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
