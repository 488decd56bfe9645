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
    assert "arith.constant 320 : index" in text
    assert "func.func @k_infer_task_type_function() -> i8" in text
    assert "arith.constant 32 : i8" in text


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
