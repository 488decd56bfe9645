"""Text of whole matrix ops, convolutions and ops with code of their own, as the compiler has it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from xdsl.utils.exceptions import VerifyException

from tlcourse.dialects.text import from_text, to_text

M = "memref<8x8xf32>"
T = "tensor<8x8xf32>"
T3 = "tensor<2x8x8xf32>"
ROW = "tensor<8xf32>"
PIPES = "hivm.pipe_in = #hivm.pipe<PIPE_MTE2>, hivm.pipe_out = #hivm.pipe<PIPE_V>"
A_TO_B = "#hivm.pipe<PIPE_MTE2>, #hivm.pipe<PIPE_MTE1>"
LINES = [
    f"%r = hivm.hir.batchMmadL1 {{b_transpose}} ins(%t3, %t3, %b, %i, %i, %i : {T3}, {T3}, i1, "
    f"index, index, index) outs(%t3 : {T3}) -> {T3}",
    f"%r = hivm.hir.mmadL1 ins(%t, %t, %b, %i, %i, %i, %row : {T}, {T}, i1, index, index, index, "
    f"{ROW}) outs(%t : {T}) -> {T}",
    "%r = hivm.hir.Conv1dL1 {groups = 2 : i32, outputAlreadyNormalized, padding = 0 : i32} "
    f"ins(%t, %t, %b : {T}, {T}, i1) outs(%t : {T}) -> {T}",
    "%r = hivm.hir.Conv2dL1 {groups = 1 : i32, padding = [0 : i32, 1 : i32]} "
    f"ins(%t, %t, %b, %row : {T}, {T}, i1, {ROW}) outs(%t : {T}) -> {T}",
    "%r = hivm.hir.Conv3dL1 {groups = 1 : i32, padding = 1 : i32} "
    f"ins(%t, %t, %b : {T}, {T}, i1) outs(%t : {T}) -> {T}",
    f"%r = hivm.hir.matmul ins(%t, %t : {T}, {T}) outs(%t : {T}) b_transpose "
    f"descale_mode = <DescaleNull> block_sizes(%k, %k, %k : i64, i64, i64) "
    f"swizzle_offset = %k : i64 -> {T}",
    f'%r = hivm.hir.mix_matmul {{post_vector_func = "e"}} ins(%t, %t : {T}, {T}) '
    f"post_vector_func_ins(%t : {T}) workspace_ins(%t : {T}) outs(%t : {T}) "
    f"tiling_params = %m : {M} -> {T}",
    f"%r = hivm.hir.mix_group_matmul ins(%t3, %t, %ids : {T3}, {T}, tensor<2xi64>) "
    f"post_vector_func_outs(%t : {T}) outs(%t : {T}) comm_params = %ids : tensor<2xi64> -> {T}",
    "%r = hivm.hir.custom {hivm.pipe = #hivm.pipe<PIPE_V>, hivm.tcore_type = "
    '#hivm.tcore_type<VECTOR>, hivm.vf_mode = #hivm.vf_mode<SIMD>, symbol = "f"} "user.op" '
    f"ins(%t : {T}) outs(%t : {T}) -> {T}",
    f"hivm.hir.custom_macro {{{PIPES}, hivm.tcore_type = #hivm.tcore_type<VECTOR>, "
    f'symbol = "f", sync_event_slots = [#hivm.sync_event_slot<{A_TO_B}, wait>, '
    f"#hivm.sync_event_slot<internal>, #hivm.sync_event_slot<{A_TO_B}>, "
    f'#hivm.sync_event_slot<{A_TO_B}, set, <EVENT_ID2>>]}} "user.op" ins(%m : {M}) '
    f"outs(%m : {M}) sync_related_args(%k, %k, %k, %k : i64, i64, i64, i64)",
    f'hivm.hir.debug {{debugtype = "print", hex = false, prefix = "x"}} %t : {T}',
    f"%r = bufferization.to_memref %t : {M}",
    f"%r = bufferization.to_memref %t read_only : {M}",
    f'annotation.mark %t keys = ["key"] values = [%row : {ROW}] : {T}',
    "%r = affine.max affine_map<(d0)[s0] -> ((d0 * s0), (d0 floordiv s0))>(%i)[%i]",
    "%r = affine.min affine_map<()[s0, s1] -> ((s0 ceildiv s1), (s0 mod s1))>()[%i, %i]",
    f"%r = scope.scope : () -> {T} {{\n      scope.return %t : {T}\n    }} {{no_inline}}",
]
IDS = [line.removeprefix("%r = ").split()[0] for line in LINES]


def _module(line: str) -> str:
    return f"""module {{
  func.func @f(%t: {T}, %t3: {T3}, %m: {M}, %row: {ROW}, %ids: tensor<2xi64>, %b: i1, %i: index, \
%k: i64) {{
    {line}
    return
  }}
}}
"""


@pytest.mark.parametrize("line", LINES, ids=IDS)
def test_round_trip_keeps_the_line(line: str) -> None:
    module = from_text(_module(line))
    module.verify()
    text = to_text(module)
    assert f"    {line}\n" in text
    assert to_text(from_text(to_text(module, generic=True))) == text


@pytest.mark.bishengir
@pytest.mark.parametrize("line", LINES, ids=IDS)
def test_real_compiler_reads_both_forms_alike(line: str, bishengir_opt: Path) -> None:
    module = from_text(_module(line))
    forms = (_module(line), to_text(module), to_text(module, generic=True))
    outputs = [
        subprocess.run(
            [bishengir_opt, "-", "--mlir-print-op-generic"],
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        for text in forms
    ]
    assert [output.returncode for output in outputs] == [0, 0, 0], outputs[1].stderr
    assert outputs[0].stdout == outputs[1].stdout == outputs[2].stdout


def test_a_custom_macro_has_one_id_for_each_slot() -> None:
    line = LINES[IDS.index("hivm.hir.custom_macro")]
    short = line.replace("(%k, %k, %k, %k : i64, i64, i64, i64)", "(%k : i64)")
    with pytest.raises(VerifyException, match="one for each slot"):
        from_text(_module(short)).verify()


def test_defaults_of_fixpipe_are_not_printed() -> None:
    kind = "pre_relu = #hivm.fixpipe_pre_relu_mode<NO_RELU>, dma_mode = #hivm.dma_mode<normal>"
    line = f"hivm.hir.fixpipe {{{kind}}} ins(%t : {T}) outs(%m : {M})"
    assert f"hivm.hir.fixpipe ins(%t : {T}) outs(%m : {M})" in to_text(from_text(_module(line)))


def test_an_elementwise_op_without_a_function_has_the_dialects_own() -> None:
    line = f"%r = hfusion.elemwise_unary ins(%t : {T}) outs(%t : {T}) -> {T}"
    assert "{fun = #hfusion.unary_fn<sqrt>}" in to_text(from_text(_module(line)))


def test_a_scope_without_return_gets_one() -> None:
    text = to_text(from_text(_module("scope.scope : () -> () {\n    }")))
    assert "scope.return\n    }\n" in text
