"""hivm-init-entry-kernel, hivm-add-ffts-to-syncblocksetop and annotation-lowering."""

import pytest

from tlcourse.passes.npuir.annotation_lowering import AnnotationLoweringPass
from tlcourse.passes.npuir.hivm_add_ffts_to_syncblocksetop import HivmAddFftsToSyncBlockSetOpPass
from tlcourse.passes.npuir.hivm_init_entry_kernel import HivmInitEntryKernelPass

SET = "hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 0"
MODULE = f"""module {{
  func.func @k(%f: i64 {{hacc.arg_type = #hacc.arg_type<ffts_base_address>}}, %n: i32)
      attributes {{hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>}} {{
    hivm.hir.set_ffts_base_addr %f
    annotation.mark %n {{logical_block_num}} : i32
    {SET}
    return
  }}
}}"""
HOST = MODULE.replace("DEVICE", "HOST")


def test_the_mask_comes_first(run_passes) -> None:
    lines = run_passes(MODULE, HivmInitEntryKernelPass()).splitlines()
    assert lines[2].strip() == "hivm.hir.set_mask_norm"


def test_the_mask_is_set_once(run_passes) -> None:
    text = run_passes(MODULE, HivmInitEntryKernelPass(), HivmInitEntryKernelPass())
    assert text.count("set_mask_norm") == 1


@pytest.mark.parametrize("text", [HOST, MODULE.replace("hacc.entry, ", "")])
def test_only_entries_on_the_device_get_it(run_passes, text: str) -> None:
    assert "set_mask_norm" not in run_passes(text, HivmInitEntryKernelPass())


def test_flags_get_the_address(run_passes) -> None:
    text = run_passes(MODULE, HivmAddFftsToSyncBlockSetOpPass())
    assert "flag = 0 ffts_base_addr = %f" in text


def test_flags_with_an_address_keep_theirs(run_passes) -> None:
    own = MODULE.replace("%n: i32)", "%n: i32, %o: i64)").replace(SET, SET + " ffts_base_addr = %o")
    assert "ffts_base_addr = %o" in run_passes(own, HivmAddFftsToSyncBlockSetOpPass())


def test_without_an_address_argument_nothing_happens(run_passes) -> None:
    text = MODULE.replace(" {hacc.arg_type = #hacc.arg_type<ffts_base_address>}", "")
    assert "ffts_base_addr =" not in run_passes(text, HivmAddFftsToSyncBlockSetOpPass())


def test_marks_go_and_nothing_else(run_passes) -> None:
    before, after = run_passes(MODULE), run_passes(MODULE, AnnotationLoweringPass())
    assert after.splitlines() == [x for x in before.splitlines() if "annotation" not in x]


@pytest.mark.bishengir
@pytest.mark.parametrize(
    ("real", "ours", "word"),
    [
        ("hivm-init-entry-kernel", HivmInitEntryKernelPass(), "hivm.hir.set_mask_norm"),
        (
            "hivm-add-ffts-to-syncblocksetop",
            HivmAddFftsToSyncBlockSetOpPass(),
            "ffts_base_addr = %",
        ),
    ],
)
def test_the_real_passes_do_the_same(run_passes, real_passes, real: str, ours, word: str) -> None:
    assert run_passes(MODULE, ours).count(word) == 1
    assert real_passes(MODULE, f"func.func({real})").count(word) == 1
