"""The four passes that give border tiles their place in the workspace."""

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.passes.npuir.hivm_bind_workspace_arg import HivmBindWorkspaceArgPass
from tlcourse.passes.npuir.hivm_insert_infer_funcs import (
    InsertInferTaskTypeFuncPass,
    InsertInferWorkspaceSizeFuncPass,
)
from tlcourse.passes.npuir.hivm_plan_memory import GLOBAL, HivmPlanMemoryPass
from tlcourse.passes.npuir.insert_workspace_for_mix_cv import InsertWorkSpaceForMixCVPass
from tlcourse.passes.npuir.lower_memref_ext import LowerMemRefExtPass

T = "tensor<5x7xf32>"
MODULE = f"""module {{
  func.func @k(%ffts: i64, %lock: memref<?xi8>, %ws: memref<?xi8>, %r: {T}, %s: {T},
      %gm: memref<5x7xf32>)
      attributes {{WorkspaceArgIdx = 1 : i64, hivm.func_core_type = #hivm.func_core_type<MIX>}} {{
    %e = tensor.empty() : {T}
    %t = hivm.hir.fixpipe ins(%r : {T}) outs(%e : {T}) -> {T}
    %u = hivm.hir.fixpipe ins(%s : {T}) outs(%e : {T}) -> {T}
    hivm.hir.fixpipe ins(%s : {T}) outs(%gm : memref<5x7xf32>)
    return
  }}
}}
"""
PLANNED = (
    InsertWorkSpaceForMixCVPass(),
    HivmBindWorkspaceArgPass(),
    HivmPlanMemoryPass(mem_plan_mode=GLOBAL),
)


def test_insert_workspace_only_where_a_result_is_read(run_passes) -> None:
    text = run_passes(MODULE, InsertWorkSpaceForMixCVPass())
    assert text.count("memref_ext.alloc_workspace() : memref<5x7xf32>") == 2
    assert text.count("bufferization.to_tensor") == 2
    assert "restrict writable" in text


def test_bind_names_the_workspace_argument(run_passes) -> None:
    text = run_passes(MODULE, InsertWorkSpaceForMixCVPass(), HivmBindWorkspaceArgPass())
    assert text.count("alloc_workspace() from %ws : from memref<?xi8> to memref<5x7xf32>") == 2


def test_plan_puts_one_behind_the_other_on_32_bytes(run_passes) -> None:
    text = run_passes(MODULE, *PLANNED)
    # 5 * 7 * 4 = 140 bytes, rounded up to 160
    assert "arith.constant 0 : index" in text
    assert "arith.constant 160 : index" in text
    assert text.count("offset = [") == 2


def test_host_functions_tell_size_and_task_type(run_passes) -> None:
    text = run_passes(
        MODULE, *PLANNED, InsertInferWorkspaceSizeFuncPass(), InsertInferTaskTypeFuncPass()
    )
    assert "func.func @k_infer_workspace_shape_function() -> index" in text
    assert "arith.constant 300 : index" in text
    assert "func.func @k_infer_task_type_function() -> i8" in text
    assert "arith.constant 32 : i8" in text


def test_a_second_run_replaces_what_the_first_one_told(run_passes) -> None:
    told = (InsertInferWorkspaceSizeFuncPass(), InsertInferTaskTypeFuncPass())
    assert run_passes(MODULE, *PLANNED, *told, *told) == run_passes(MODULE, *PLANNED, *told)


def test_buffers_without_a_place_are_passed_over(run_passes) -> None:
    inserted = run_passes(MODULE, InsertWorkSpaceForMixCVPass())
    assert run_passes(inserted, LowerMemRefExtPass()) == inserted
    assert run_passes(inserted, InsertInferWorkspaceSizeFuncPass()) == inserted


def test_lowering_uses_the_block_and_the_offset(run_passes) -> None:
    text = run_passes(MODULE, *PLANNED, InsertInferWorkspaceSizeFuncPass(), LowerMemRefExtPass())
    assert "alloc_workspace" not in text
    assert text.count("memref.view %ws[") == 2
    assert text.count("arith.muli") == 2
    assert text.count("arith.addi") == 1


def test_kernel_without_borders_is_left_alone(run_passes) -> None:
    alone = "module { func.func @k(%a: memref<4xf32>) { return } }"
    passes = (*PLANNED, InsertInferWorkspaceSizeFuncPass(), LowerMemRefExtPass())
    assert run_passes(alone, *passes) == run_passes(alone)


def test_bind_without_an_argument_for_it_is_an_error(run_passes) -> None:
    text = MODULE.replace("WorkspaceArgIdx = 1 : i64, ", "")
    with pytest.raises(TLError, match="k has no argument for the workspace") as raised:
        run_passes(text, InsertWorkSpaceForMixCVPass(), HivmBindWorkspaceArgPass())
    assert raised.value.code == "TL305"


def test_a_function_without_the_argument_is_an_error_at_the_buffer(run_passes) -> None:
    text = """func.func @k(%a: i64) {
      %w = memref_ext.alloc_workspace() : memref<4xi32>
      return
    }"""
    with pytest.raises(TLError) as caught:
        run_passes(text, HivmBindWorkspaceArgPass())
    assert caught.value.code == "TL305"
    assert "failed to bind workspace argument" in caught.value.diagnostic.why


def test_binding_keeps_extents_that_are_known_later(run_passes) -> None:
    text = """func.func @k(
          %w: memref<?xi8> {hacc.arg_type = #hacc.arg_type<workspace>}, %n: index) {
      %b = memref_ext.alloc_workspace(%n) : memref<?xi32>
      return
    }"""
    assert "alloc_workspace(%n) from %w : " in run_passes(text, HivmBindWorkspaceArgPass())


def test_the_size_is_where_the_last_buffer_ends(run_passes) -> None:
    text = """func.func @k(%w: memref<?xi8> {hacc.arg_type = #hacc.arg_type<workspace>}) {
      %o = arith.constant 40 : index
      %b = memref_ext.alloc_workspace() from %w offset = [%o] : from memref<?xi8> to memref<3xi32>
      return
    }"""
    assert "arith.constant 52 : index" in run_passes(text, InsertInferWorkspaceSizeFuncPass())
