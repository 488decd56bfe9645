"""Whole kernels at every stage of the AscendNPU IR phase."""

from __future__ import annotations

import pytest
import torch

from tests.functional.test_differential import read
from tlcourse.dialects.signature import signature, stamp
from tlcourse.dialects.text import from_text
from tlcourse.examples.minicv import minicv_developer, minicv_expert
from tlcourse.pipeline.checking import check_passes
from tlcourse.stages.run import StuckError, load


@pytest.mark.parametrize("mode", ["Developer", "Expert"])
def test_minicv_keeps_its_numbers_through_every_pass(mode) -> None:
    kernel = (minicv_developer if mode == "Developer" else minicv_expert)(256, 256, 128)
    stamp(kernel.module, mode=mode, target="npuir", out_idx=(), pass_configs={})
    generator = torch.Generator().manual_seed(0)
    a = torch.randn(256, 128, generator=generator).half() / 11
    b = torch.randn(128, 256, generator=generator).half()
    outputs = [torch.full((256, 256), torch.nan) for _ in range(2)]
    checks = check_passes(kernel.module, kernel.sources, [a, b, *outputs])
    assert [check for check in checks if check.state == "differs"] == []
    assert {check.pass_name for check in checks if check.state == "same"} >= {
        "codegen",
        "hivm-infer-mem-scope",
        "hivm-infer-data-layout",
        "hivm-plan-memory",
        "hivm-graph-sync-solver",
    }


_STUCK = """module {
  func.func @k(%f: i64, %l: memref<?xi8>, %w: memref<?xi8>, %A: memref<?xf32>, %x: i32, %y: i32,
      %z: i32) attributes {hivm.func_core_type = #hivm.func_core_type<AIV>} {
    hivm.hir.sync_block_wait[<VECTOR>, <PIPE_MTE3>, <PIPE_MTE2>] flag = 1
    return
  }
  func.func @k_mix_aic(%f: i64, %l: memref<?xi8>, %w: memref<?xi8>, %A: memref<?xf32>, %x: i32,
      %y: i32, %z: i32) attributes {hivm.func_core_type = #hivm.func_core_type<AIC>} {
    return
  }
}"""

_COPY = """@T.prim_func
def k(A: T.Tensor((16,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, _):
        a = T.alloc_ub((16,), "float32")
        T.copy(A, a)
        T.copy(a, A)
"""


def test_cores_that_wait_for_nobody_are_an_error() -> None:
    kernel = read(_COPY)
    stamp(kernel.module, mode="Expert", target="npuir", out_idx=(), pass_configs={})
    known = signature(kernel.module, kernel.sources)
    stage = load(from_text(_STUCK), known, {})
    with pytest.raises(StuckError, match="2 cores wait"):
        stage.run([torch.zeros(16)])


_ARGUMENTS = "%f: i64, %l: memref<?xi8>, %w: memref<?xi8>, %A: memref<?xf32>, %x: i32, %y: i32"
_IN_TURN = f"""module {{
  func.func @k({_ARGUMENTS}, %z: i32)
      attributes {{hivm.func_core_type = #hivm.func_core_type<AIV>}} {{
    %0 = arith.constant 0 : i32
    %1 = arith.constant 1 : i32
    %3 = arith.constant 3 : i32
    scf.for %i = %0 to %3 step %1 : i32 {{
      hivm.hir.sync_block_wait[<VECTOR>, <PIPE_FIX>, <PIPE_S>] flag = 1
      hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE2>, <PIPE_S>] flag = 2
    }}
    return
  }}
  func.func @k_mix_aic({_ARGUMENTS}, %z: i32)
      attributes {{hivm.func_core_type = #hivm.func_core_type<AIC>}} {{
    %0 = arith.constant 0 : i32
    %1 = arith.constant 1 : i32
    %3 = arith.constant 3 : i32
    scf.for %i = %0 to %3 step %1 : i32 {{
      hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 1
      hivm.hir.sync_block_wait[<CUBE>, <PIPE_MTE2>, <PIPE_S>] flag = 2
    }}
    return
  }}
}}"""


def test_cores_that_take_turns_come_to_an_end() -> None:
    """After each turn the same flag is up, though both cores have gone on."""
    kernel = read(_COPY)
    stamp(kernel.module, mode="Developer", target="npuir", out_idx=(), pass_configs={})
    known = signature(kernel.module, kernel.sources)
    load(from_text(_IN_TURN), known, {}).run([torch.zeros(16)])
