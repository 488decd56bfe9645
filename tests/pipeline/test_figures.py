from __future__ import annotations

from tlcourse.pipeline.figures import figures

UB, L1 = "#hivm.address_space<ub>", "#hivm.address_space<cbuf>"
TEXT = f"""builtin.module {{
  func.func @k_mix_aic(%a: i64) {{
    %c = arith.constant 64 : i64 loc("k.py":1:1)
    %0 = hivm.hir.pointer_cast(%c, %d) : memref<2x16xf16, strided<[16, 1]>, {L1}> loc("k.py":1:1)
    hivm.hir.pipe_barrier[<PIPE_ALL>]
    func.return
  }}
  func.func @k_mix_aiv(%a: i64) {{
    %c = arith.constant 0 : i64
    %0 = hivm.hir.pointer_cast(%c) : memref<40xi1, {UB}>
    %1 = hivm.hir.pointer_cast(%c)[%n] : memref<8xf32, {UB}>
    %2 = memref.alloc() : memref<8xf32, {UB}>
    hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    hivm.hir.sync_block_wait[<VECTOR>, <PIPE_FIX>, <PIPE_S>] flag = 0
    func.return
  }}
}}
"""


def test_flags_barriers_and_buffers_are_counted():
    found = figures(TEXT)
    assert (found.flags, found.barriers, found.cross_flags, found.buffers) == (2, 1, 1, 4)
    assert found.ops["hivm.hir.pointer_cast"] == 3


def test_the_peak_is_the_end_of_the_last_buffer_and_names_belong_to_a_function():
    assert figures(TEXT).peak_bytes == {"cbuf": 64 + 64, "ub": 32}


def test_a_module_without_plan_has_no_peak():
    assert figures("builtin.module {\n}\n").peak_bytes == {}
