"""Text of HIVM: read, printed, read again, and read by the real compiler where it is there."""

import subprocess
import sys
from pathlib import Path

import pytest
from xdsl.utils.exceptions import ParseError

from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.text import from_text, to_text

UB = "memref<64x128xf16, strided<[128, 1]>, #hivm.address_space<ub>>"
UB32 = "memref<64x128xf32, strided<[128, 1]>, #hivm.address_space<ub>>"
COL = "memref<64x1xf32, strided<[8, 1]>, #hivm.address_space<ub>>"
GM = "memref<64x128xf16, strided<[1024, 1], offset: ?>, #hivm.address_space<gm>>"
L1 = "memref<8x4x16x16xf16, #hivm.address_space<cbuf>>"
L0C = "memref<8x4x16x16xf32, #hivm.address_space<cc>>"
LINES = [
    f"hivm.hir.load ins(%gm : {GM}) outs(%ub : {UB}) init_out_buffer = false "
    "may_implicit_transpose_with_last_axis = false core_type = <VECTOR>",
    f"hivm.hir.store ins(%ub : {UB}) outs(%gm : {GM}) atomic = <add>",
    f"hivm.hir.copy ins(%ub : {UB}) outs(%ub : {UB})",
    f"hivm.hir.nd2nz {{dst_continuous}} ins(%gm : {GM}) outs(%l1 : {L1}) init_out_buffer = false",
    "hivm.hir.fixpipe {dma_mode = #hivm.dma_mode<nz2nd>, "
    "pre_quant = #hivm.fixpipe_pre_quant_mode<F322F16>} "
    f"ins(%l0c : {L0C}) outs(%gm : {GM})",
    f"hivm.hir.mmadL1 {{b_transpose}} ins(%l1, %l1, %true, %i, %i, %i : {L1}, {L1}, i1, index, "
    f"index, index) outs(%l0c : {L0C}) sync_related_args(%id, %id, %id, %id, %id, %id, %id : i64, "
    "i64, i64, i64, i64, i64, i64)",
    f"hivm.hir.mmadL1 ins(%l1, %l1, %true, %i, %i, %i : {L1}, {L1}, i1, index, index, index) "
    f"outs(%l0c : {L0C}) unit_flag_mode([#hivm.unit_flag<ENABLED_WITH_UPDATE>]) "
    "unit_flag_cond(%true)",
    f"hivm.hir.fixpipe ins(%l0c : {L0C}) outs(%gm : {GM}) "
    "unit_flag_mode([#hivm.unit_flag<RESERVED>])",
    f"hivm.hir.nz2nd ins(%l1 : {L1}) outs(%gm : {GM})",
    f"hivm.hir.vadd ins(%f, %col : {UB32}, {COL}) outs(%f : {UB32}) broadcast = [1]",
    f"hivm.hir.vmul ins(%f, %s : {UB32}, f32) outs(%f : {UB32})",
    f"hivm.hir.vexp ins(%ub : {UB}) outs(%ub : {UB})",
    f"hivm.hir.vcast ins(%f : {UB32}) outs(%ub : {UB}) round_mode = <round>",
    f"hivm.hir.vbrc ins(%s : f32) outs(%f : {UB32})",
    f"hivm.hir.vreduce <sum> ins(%f : {UB32}) outs(%col : {COL}) reduce_dims = [1]",
    "hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]",
    "hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, %id]",
    "hivm.hir.pipe_barrier[<PIPE_ALL>]",
    "hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 0 ffts_base_addr = %id "
    "sync_instr_mode = <INTRA_BLOCK_SYNCHRONIZATION>",
    "hivm.hir.sync_block_wait[<VECTOR>, <PIPE_S>, <PIPE_MTE2>] flag = %id",
    "hivm.hir.set_mask_norm",
    "hivm.hir.set_ffts_base_addr %id",
    "%n = hivm.hir.get_block_num -> i64",
    "%n = hivm.hir.get_sub_block_num -> i64",
]
MODULE = """module {{
  func.func @f(%gm: {gm}, %ub: {ub}, %f: {ub32}, %col: {col}, %l1: {l1}, %l0c: {l0c},
      %true: i1, %i: index, %id: i64, %s: f32) {{
    %b = hivm.hir.get_block_idx -> i64
    %p = hivm.hir.pointer_cast(%id) : {ub}
    {line}
    return
  }}
}}
"""
IDS = [line.split()[0].split("[")[0] for line in LINES]


def _module(line: str) -> str:
    return MODULE.format(gm=GM, ub=UB, ub32=UB32, col=COL, l1=L1, l0c=L0C, line=line)


@pytest.mark.parametrize("line", LINES, ids=IDS)
def test_round_trip_keeps_the_line(line: str) -> None:
    module = from_text(_module(line))
    module.verify()
    text = to_text(module)
    printed = text.splitlines()[-4].strip()
    assert printed == line
    generic = to_text(module, generic=True)
    assert to_text(from_text(generic)) == text


@pytest.mark.bishengir
@pytest.mark.parametrize("line", LINES, ids=IDS)
def test_real_compiler_reads_both_forms_alike(line: str) -> None:
    tool = next(
        iter(Path(sys.prefix).glob("lib/python*/site-packages/ascendnpuir/bin/bishengir-opt")), None
    )
    if tool is None:
        pytest.skip("the ascendnpu-ir wheel is not installed")
    module = from_text(_module(line))
    outputs = [
        subprocess.run(
            [tool, "-", "--mlir-print-op-generic"],
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        for text in (_module(line), to_text(module), to_text(module, generic=True))
    ]
    assert [output.returncode for output in outputs] == [0, 0, 0], outputs[1].stderr
    assert outputs[0].stdout == outputs[1].stdout == outputs[2].stdout


def test_every_pipe_op_knows_pipe_core_meaning_and_cost() -> None:
    known = {}
    for line in LINES:
        for op in from_text(_module(line)).walk():
            if isinstance(op, PipeOp):
                known[op.name] = (op.pipe, op.core, op.cost.kind)
                assert "{o}" in op.meaning()
                assert op.sources()
                assert len(op.destinations()) == 1
    assert known["hivm.hir.load"] == ("PIPE_MTE2", "VECTOR", "dma")
    assert known["hivm.hir.nd2nz"] == ("PIPE_MTE2", "CUBE", "nd2nz")
    assert known["hivm.hir.mmadL1"] == ("PIPE_M", "CUBE", "mmad")
    assert known["hivm.hir.fixpipe"] == ("PIPE_FIX", "CUBE", "fixpipe")
    assert known["hivm.hir.store"] == ("PIPE_MTE3", "VECTOR", "dma")
    assert known["hivm.hir.vexp"] == ("PIPE_V", "VECTOR", "vector")


def test_older_spelling_of_fixpipe() -> None:
    line = f"hivm.hir.fixpipe {{enable_nz2nd}} ins(%l0c : {L0C}) outs(%gm : {GM})"
    assert "fixpipe {dma_mode = #hivm.dma_mode<nz2nd>} ins" in to_text(from_text(_module(line)))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("hivm.hir.pipe_barrier[<PIPE_C>]", "is one of PIPE_S"),
        (f"hivm.hir.vcast ins(%f : {UB32}) outs(%ub : {UB}) round_mode = <up>", "is one of rint"),
    ],
)
def test_unknown_words_list_the_known_ones(line: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        from_text(_module(line))


def test_older_spelling_of_unit_flags() -> None:
    line = (
        f"hivm.hir.fixpipe {{enable_nz2nd}} ins(%l0c : {L0C}) outs(%gm : {GM}) "
        "unit_flag[[#hivm.unit_flag<ENABLED_WITH_UPDATE>]]"
    )
    text = to_text(from_text(_module(line)))
    assert "unit_flag_mode([#hivm.unit_flag<ENABLED_WITH_UPDATE>])" in text


def test_unit_flags_are_flags() -> None:
    line = f"hivm.hir.fixpipe ins(%l0c : {L0C}) outs(%gm : {GM}) unit_flag_mode([1 : i32])"
    with pytest.raises(ParseError, match="array of #hivm"):
        from_text(_module(line))
