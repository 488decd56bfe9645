"""Ops with code of their own in the passes that give them memory, scratch and moves."""

from __future__ import annotations

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.dialects.text import from_text, to_text
from tlcourse.passes.npuir.convert_to_hivm_op import ConvertToHivmOpPass
from tlcourse.passes.npuir.hivm_alloc_extra_buffer import HivmAllocExtraBufferPass
from tlcourse.passes.npuir.hivm_graph_sync_solver import HivmGraphSyncSolverPass
from tlcourse.passes.npuir.hivm_infer_mem_scope import HivmInferMemScopePass
from tlcourse.passes.npuir.hivm_inline_fixpipe import HivmInlineFixpipePass
from tlcourse.passes.npuir.hivm_split_mix_kernel import HivmSplitMixKernelPass
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


MACRO = (
    "hivm.pipe_in = #hivm.pipe<PIPE_MTE2>, hivm.pipe_out = #hivm.pipe<PIPE_V>, "
    'hivm.tcore_type = #hivm.tcore_type<VECTOR>, symbol = "f"'
)
A_TO_B = "#hivm.pipe<PIPE_MTE2>, #hivm.pipe<PIPE_MTE1>"
G = f"memref<4x8xf32, {GM}>"


def _macro(*slots: str, before: str = "", after: str = "") -> str:
    listed = ", ".join(f"#hivm.sync_event_slot<{slot}>" for slot in slots)
    return f"""func.func @k(%g: {G})
        attributes {{hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>}} {{
      %c0 = arith.constant 0 : i64
      %a = hivm.hir.pointer_cast(%c0) : {UB}
      {before}
      hivm.hir.custom_macro {{{MACRO}, sync_event_slots = [{listed}]}} "m" ins(%a : {UB})
        outs(%a : {UB})
      {after}
      return
    }}"""


def _solved(run_passes, text: str, name: str = "hivm-graph-sync-solver") -> list[str]:
    found = run_passes(text, *read_passes(name)).splitlines()
    return [line.strip().removeprefix("hivm.hir.") for line in found if "hivm.hir." in line][1:-1]


LOAD = f"hivm.hir.load ins(%g : {G}) outs(%a : {UB})"
EXP = f"hivm.hir.vexp ins(%a : {UB}) outs(%a : {UB})"


def test_a_macro_that_waits_gets_the_flag_set_before(run_passes) -> None:
    flag, op = _solved(run_passes, _macro(f"{A_TO_B}, wait", f"{A_TO_B}, wait"))
    assert flag == "set_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>]"
    assert op.endswith("sync_related_args(%c0, %c0 : i64, i64)")


def test_a_macro_that_sets_gets_the_wait_behind(run_passes) -> None:
    op, flag = _solved(run_passes, _macro(f"{A_TO_B}, set, <EVENT_ID2>"))
    assert op.endswith("sync_related_args(%c2_i64 : i64)")
    assert flag == "wait_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID2>]"


def test_a_flag_that_the_author_set_is_used(run_passes) -> None:
    own = "set_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID3>]"
    text = _macro(f"{A_TO_B}, wait", before=f"hivm.hir.{own}")
    flag, op = _solved(run_passes, text)
    assert flag == own
    assert "sync_related_args" in op
    assert "arith.constant 3 : i64" in run_passes(text, HivmGraphSyncSolverPass())


def test_ids_for_the_code_alone_are_not_those_of_solved_flags(run_passes) -> None:
    lines = _solved(run_passes, _macro("internal", "internal", before=LOAD))
    assert lines[1] == "set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]"
    text = run_passes(_macro("internal", "internal", before=LOAD), HivmGraphSyncSolverPass())
    assert "arith.constant 1 : i64" in text
    assert "arith.constant 2 : i64" in text


@pytest.mark.parametrize("name", ["hivm-graph-sync-solver", "hivm-inject-sync"])
def test_both_pipes_of_a_macro_are_ordered_with_others(run_passes, name: str) -> None:
    lines = _solved(run_passes, _macro(before=LOAD, after=EXP), name)
    place = next(at for at, line in enumerate(lines) if line.startswith("custom_macro"))
    before, after = lines[:place], lines[place:]
    assert "pipe_barrier[<PIPE_MTE2>]" in before
    assert "wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]" in before
    assert "pipe_barrier[<PIPE_V>]" in after
    assert any(line.startswith("set_flag[<PIPE_MTE2>, <PIPE_V>") for line in after)


def test_an_op_with_code_of_its_own_is_ordered_by_its_pipe(run_passes) -> None:
    op = f'hivm.hir.custom {{{VECTOR}, symbol = "f"}} "op" ins(%a : {UB}) outs(%a : {UB})'
    text = _macro(before=f"{LOAD} {op}").replace("hivm.hir.custom_macro", "// ")
    text = "\n".join(line for line in text.splitlines() if "//" not in line)
    text = text.replace(f"        outs(%a : {UB})\n", "")
    lines = _solved(run_passes, text)
    assert lines[1] == "set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]"
    assert lines[2] == "wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]"


def test_each_half_of_a_kernel_says_where_its_custom_op_runs(run_passes) -> None:
    both = "hivm.is_distributed, hivm.tcore_type = #hivm.tcore_type<CUBE_AND_VECTOR>"
    text = f"""func.func @k(%x: {M})
        attributes {{hivm.func_core_type = #hivm.func_core_type<MIX>}} {{
      hivm.hir.matmul ins(%x, %x : {M}, {M}) outs(%x : {M})
      hivm.hir.custom {{hivm.pipe = #hivm.pipe<PIPE_V>, {both}, symbol = "f"}} "far" ins(%x : {M})
      hivm.hir.vadd ins(%x, %x : {M}, {M}) outs(%x : {M})
      return
    }}"""
    out = run_passes(text, HivmSplitMixKernelPass())
    cube, vector = out.split("@k_mix_aiv")
    assert "tcore_type<CUBE>" in cube
    assert "hivm.hir.matmul" in cube
    assert "vadd" not in cube
    assert "tcore_type<VECTOR>" in vector
    assert "hivm.hir.vadd" in vector
    assert "matmul" not in vector


def test_products_of_batches_leave_l0c_through_the_fixpipe(run_passes) -> None:
    t3, h3, g3 = "tensor<2x8x8xf32>", "tensor<2x8x8xf16>", "memref<2x8x8xf16>"
    text = f"""func.func @k(%a: {h3}, %e: {t3}, %o: {h3}, %g: {g3}, %b: i1, %n: index) {{
      %r = hivm.hir.batchMmadL1 ins(%a, %a, %b, %n, %n, %n : {h3}, {h3}, i1, index, index, index)
        outs(%e : {t3}) -> {t3}
      %h = hivm.hir.vcast ins(%r : {t3}) outs(%o : {h3}) -> {h3}
      hivm.hir.store ins(%h : {h3}) outs(%g : {g3})
      return
    }}"""
    out = run_passes(text, HivmInlineFixpipePass())
    assert "batchMmadL1 {fixpipe_for_result_already_inserted = true}" in out
    assert "pre_quant = #hivm.fixpipe_pre_quant_mode<F322F16>} ins(%r :" in out
    assert "hir.vcast" not in out
    assert "hir.store" not in out
