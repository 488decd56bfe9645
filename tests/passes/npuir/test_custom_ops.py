"""Ops with code of their own in the passes that give them memory, scratch and moves."""

from __future__ import annotations

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.dialects.text import from_text, to_text
from tlcourse.passes.npuir.convert_to_hivm_op import ConvertToHivmOpPass
from tlcourse.passes.npuir.hivm_alloc_extra_buffer import HivmAllocExtraBufferPass
from tlcourse.passes.npuir.hivm_graph_sync_solver import HivmGraphSyncSolverPass
from tlcourse.passes.npuir.hivm_infer_mem_scope import HivmInferMemScopePass
from tlcourse.pipeline.registry import read_passes

M = "memref<4x8xf32>"
VECTOR = "hivm.pipe = #hivm.pipe<PIPE_V>, hivm.tcore_type = #hivm.tcore_type<VECTOR>"
GM = "#hivm.address_space<gm>"
UB = "memref<4x8xf32, #hivm.address_space<ub>>"
FAR = f'hivm.hir.custom {{{VECTOR}, hivm.is_distributed, symbol = "f"}} "far" ins(%x : {M}) -> {M}'


def _custom(extra: str) -> str:
    return (
        f'func.func @k(%x: {M}) {{ hivm.hir.custom {{{VECTOR}, symbol = "f"{extra}}} "op" '
        f"ins(%x : {M}) outs(%x : {M}) return }}"
    )


def test_a_custom_op_gets_the_scratch_it_asks_for(run_passes) -> None:
    asked = ", extra_buffers_types = [f32, f16], extra_buffers_sizes = [512, 128]"
    text = run_passes(_custom(asked), HivmAllocExtraBufferPass())
    assert "%0 = memref.alloc() : memref<512xf32>" in text
    assert "%1 = memref.alloc() : memref<128xf16>" in text
    assert "tmps(%0, %1 : memref<512xf32>, memref<128xf16>)" in text


def test_a_custom_op_that_asks_for_none_gets_none(run_passes) -> None:
    assert "alloc" not in run_passes(_custom(""), HivmAllocExtraBufferPass())


@pytest.mark.parametrize(
    ("source", "destination", "op"), [("%f", "%a", "load"), ("%a", "%f", "store")]
)
def test_memory_of_another_chip_is_global(
    run_passes, source: str, destination: str, op: str
) -> None:
    text = f"""func.func @k(%x: {M}) {{
      %f = {FAR}
      %a = memref.alloc() : {M}
      memref.copy {source}, {destination} : {M} to {M}
      return
    }}"""
    assert f"hivm.hir.{op} ins({source} " in run_passes(text, ConvertToHivmOpPass())


def test_what_another_chip_gives_is_typed_as_global() -> None:
    module = from_text(f"func.func @k(%x: {M}) {{ %f = {FAR} return }}")
    HivmInferMemScopePass().apply(None, module)
    assert f"-> memref<4x8xf32, {GM}>" in to_text(module)


def test_a_convolution_reads_l1_and_adds_into_l0c() -> None:
    text = f"""func.func @k(%b: i1) {{
      %x = memref.alloc() : {M}
      %w = memref.alloc() : {M}
      %r = memref.alloc() : memref<8xf32>
      %c = memref.alloc() : {M}
      hivm.hir.Conv1dL1 {{groups = 1 : i32, padding = 0 : i32}} ins(%x, %w, %b, %r : {M}, {M}, i1,
        memref<8xf32>) outs(%c : {M})
      return
    }}"""
    module = from_text(text)
    HivmInferMemScopePass().apply(None, module)
    lines = [line for line in to_text(module).splitlines() if "memref.alloc" in line]
    assert ["cbuf" in line for line in lines] == [True, True, True, False]
    assert "#hivm.address_space<cc>" in lines[3]


def _meets(kind: str) -> str:
    ws = f"memref<4x8xf32, {GM}>"
    return f"""func.func @k(%w: {ws} {{hacc.arg_type = #hacc.arg_type<{kind}>}})
        attributes {{hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>}} {{
      %c0 = arith.constant 0 : i64
      %c512 = arith.constant 512 : i64
      %a = hivm.hir.pointer_cast(%c0) : {UB}
      %b = hivm.hir.pointer_cast(%c512) : {UB}
      hivm.hir.store ins(%a : {UB}) outs(%w : {ws})
      hivm.hir.load ins(%w : {ws}) outs(%b : {UB})
      return
    }}"""


@pytest.mark.parametrize(("kind", "ignored"), [("workspace", True), ("sync_block_lock", False)])
def test_the_workspace_may_be_left_to_other_flags(run_passes, kind: str, ignored: bool) -> None:
    flag = "set_flag[<PIPE_MTE3>, <PIPE_MTE2>"
    ordered = run_passes(_meets(kind), HivmGraphSyncSolverPass())
    assert flag in ordered
    loose = run_passes(_meets(kind), HivmGraphSyncSolverPass(ignore_workspace_func_args=True))
    assert (flag not in loose) is ignored


@pytest.mark.parametrize("name", ["hivm-graph-sync-solver", "hivm-inject-sync"])
def test_unit_flags_are_refused_and_not_ignored(name: str) -> None:
    assert read_passes(f"{name}{{enable-unit-flag=false}}")
    with pytest.raises(TLError) as caught:
        read_passes(f"{name}{{enable-unit-flag=true}}")
    assert caught.value.code == "TL321"
