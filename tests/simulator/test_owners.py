"""Blocks that meet in GM, outputs that keep holes, barriers over all blocks."""

from __future__ import annotations

import pytest
import torch

# Block b writes 64 floats from element 32 * b * STEP / 32 on.
STORE = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
%one = arith.constant 1.0 : f32
hivm.hir.vbrc ins(%one : f32) outs(%u : UB(64xf32))
set V MTE3 0
wait V MTE3 0
%b = hivm.hir.get_block_idx -> i64
%s = arith.muli %b, %cSTEP : i64
%o = arith.index_cast %s : i64 to index
%p = memref.subview %A1[%o] [64] [1] : GM(256xf32) to GM(64xf32, strided<[1], offset: ?>)
hivm.hir.store ins(%u : UB(64xf32)) outs(%p : GM(64xf32, strided<[1], offset: ?>))"""


@pytest.mark.parametrize("checks", ["class", "all"])
def test_blocks_that_write_their_own_part(tiny, helpers, checks: str) -> None:
    a = torch.zeros(256)
    tensors = [helpers.tensor("A", "float32", 256)]
    vector = STORE.replace("STEP", "64")
    result = tiny.run(tensors, [a], vector=vector, blocks=4, out_idx=(0,), checks=checks)
    assert result.findings == ()
    assert torch.equal(a, torch.ones(256))


@pytest.mark.parametrize("checks", ["class", "all"])
def test_blocks_that_write_the_same_elements(tiny, helpers, checks: str) -> None:
    tensors = [helpers.tensor("A", "float32", 256)]
    vector = STORE.replace("STEP", "32")
    result = tiny.run(tensors, [torch.zeros(256)], vector=vector, blocks=4, checks=checks)
    assert helpers.codes(result) == ["TL523"]
    found = result.findings[0]
    assert (found.block, found.count) == (1, 3)
    assert "block 1 writes elements of A that block 0 writes, too" in found.diagnostic.what


def test_block_that_reads_what_another_writes(tiny, helpers) -> None:
    vector = """hivm.hir.pipe_barrier[<PIPE_V>]
%x = hivm.hir.pointer_cast(%c512) : UB(64xf32)
%y = memref.subview %A1[%i192] [64] [1] : GM(256xf32) to GM(64xf32, strided<[1], offset: ?>)
hivm.hir.load ins(%y : GM(64xf32, strided<[1], offset: ?>)) outs(%x : UB(64xf32))
set MTE2 MTE3 0
wait MTE2 MTE3 0
""" + STORE.replace("STEP", "64")
    tensors = [helpers.tensor("A", "float32", 256)]
    result = tiny.run(tensors, [torch.zeros(256)], vector=vector, blocks=4)
    assert helpers.codes(result) == ["TL523"]
    assert (
        "block 3 writes elements of A that another block reads"
        in result.findings[0].diagnostic.what
    )


def test_output_with_a_hole(tiny, helpers) -> None:
    tensors = [helpers.tensor("A", "float32", 4, 64)]
    vector = STORE.replace("STEP", "64")
    a = torch.full((4, 64), torch.nan)
    result = tiny.run(tensors, [a], vector=vector, blocks=3, out_idx=(0,))
    assert helpers.codes(result) == ["TL528"]
    text = result.findings[0].diagnostic.what
    assert text == (
        "64 of 256 elements of the output A were never written, the first one is A[3, 0]"
    )
    assert tiny.run(tensors, [a], vector=vector, blocks=3).findings == (), "not an output"


def test_output_that_no_line_writes(tiny, helpers) -> None:
    tensors = [helpers.tensor("A", "float32", 8)]
    vector = "hivm.hir.pipe_barrier[<PIPE_V>]"
    result = tiny.run(tensors, [torch.zeros(8)], vector=vector, out_idx=(0,))
    assert helpers.codes(result) == ["TL528"]


# Every block writes its part, meets the others, and reads its neighbour's part.
BARRIER = (
    STORE.replace("STEP", "64").replace("%A1[", "%A1[")
    + """
hivm.hir.pipe_barrier[<PIPE_ALL>]
hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = 5 sync_instr_mode = \
<INTER_BLOCK_SYNCHRONIZATION>
hivm.hir.sync_block_wait[<VECTOR>, <PIPE_S>, <PIPE_MTE2>] flag = 5
%n = arith.constant 4 : i64
%n1 = arith.addi %b, %c1 : i64
%n2 = arith.remsi %n1, %n : i64
%n3 = arith.muli %n2, %c64 : i64
%q = arith.index_cast %n3 : i64 to index
%r = memref.subview %A1[%q] [64] [1] : GM(256xf32) to GM(64xf32, strided<[1], offset: ?>)
hivm.hir.load ins(%r : GM(64xf32, strided<[1], offset: ?>)) outs(%u : UB(64xf32))"""
)


def test_blocks_that_meet_at_a_barrier(tiny, helpers) -> None:
    tensors = [helpers.tensor("A", "float32", 256)]
    a = torch.zeros(256)
    assert tiny.run(tensors, [a], vector=BARRIER, blocks=4).findings == ()
    assert torch.equal(a, torch.ones(256))
    lines = BARRIER.splitlines()
    lines[12] = ""
    result = tiny.run(tensors, [a], vector="\n".join(lines), blocks=4)
    assert helpers.codes(result) == ["TL522"]


def test_barrier_with_blocks_that_never_start(tiny, helpers) -> None:
    tensors = [helpers.tensor("A", "float32", 64 * 49)]
    vector = BARRIER.replace("256xf32", f"{64 * 49}xf32")
    result = tiny.run(tensors, [torch.zeros(64 * 49)], vector=vector, blocks=49)
    assert helpers.codes(result) == ["TL529"]
    assert "runs 48 at a time" in result.findings[0].diagnostic.what


def test_two_vector_cores_that_meet(tiny, helpers) -> None:
    vector = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
%one = arith.constant 1.0 : f32
hivm.hir.vbrc ins(%one : f32) outs(%u : UB(64xf32))
%b = hivm.hir.get_sub_block_idx -> i64
%s = arith.muli %b, %c64 : i64
%o = arith.index_cast %s : i64 to index
%p = memref.subview %A1[%o] [64] [1] : GM(128xf32) to GM(64xf32, strided<[1], offset: ?>)
hivm.hir.pipe_barrier[<PIPE_ALL>]
hivm.hir.store ins(%u : UB(64xf32)) outs(%p : GM(64xf32, strided<[1], offset: ?>))
hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = 1 sync_instr_mode = \
<INTER_SUBBLOCK_SYNCHRONIZATION>
hivm.hir.sync_block_wait[<VECTOR>, <PIPE_S>, <PIPE_S>] flag = 1
%v = hivm.hir.pointer_cast(%c512) : UB(128xf32)
hivm.hir.load ins(%A1 : GM(128xf32)) outs(%v : UB(128xf32))"""
    tensors = [helpers.tensor("A", "float32", 128)]
    cube = "hivm.hir.pipe_barrier[<PIPE_M>]"
    result = tiny.run(tensors, [torch.zeros(128)], vector=vector, cube=cube)
    assert result.findings == ()
    lines = vector.splitlines()
    lines[9] = lines[10] = ""
    result = tiny.run(tensors, [torch.zeros(128)], vector="\n".join(lines), cube=cube)
    assert helpers.codes(result) == ["TL521", "TL522"], "its own store, and the other core's"


@pytest.mark.parametrize("checks", ["class", "all"])
def test_output_that_is_only_read(tiny, helpers, checks: str) -> None:
    vector = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%u : UB(64xf32))"""
    tensors = [helpers.tensor("A", "float32", 64)]
    result = tiny.run(tensors, [torch.zeros(64)], vector=vector, out_idx=(0,), checks=checks)
    assert helpers.codes(result) == ["TL520", "TL528"]
    assert tiny.run(tensors, [torch.zeros(64)], vector=vector, checks=checks).findings == ()


# Loads 64 floats of A, doubles them, stores them into A.
CHANGE = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%u : UB(64xf32))
set MTE2 V 0
wait MTE2 V 0
hivm.hir.vadd ins(%u, %u : UB(64xf32), UB(64xf32)) outs(%u : UB(64xf32))
set V MTE3 0
wait V MTE3 0
hivm.hir.store ins(%u : UB(64xf32)) outs(%A1 : GM(64xf32))
hivm.hir.store ins(%u : UB(64xf32)) outs(%B1 : GM(64xf32))"""


@pytest.mark.parametrize(
    ("out_idx", "codes"),
    [
        pytest.param((1,), ["TL532"], id="an input"),
        pytest.param((), [], id="no outputs are named"),
    ],
)
def test_tensor_that_is_read_and_changed(tiny, helpers, out_idx, codes) -> None:
    tensors = [helpers.tensor(name, "float32", 64) for name in "AB"]
    a = torch.ones(64)
    result = tiny.run(tensors, [a, torch.zeros(64)], vector=CHANGE, out_idx=out_idx)
    assert helpers.codes(result) == codes
    assert torch.equal(a, torch.full((64,), 2.0))
    assert [helpers.lines(found) for found in result.findings] == [[8]] * len(codes)


def test_tensor_that_is_written_before_it_is_read_is_no_input(tiny, helpers) -> None:
    vector = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
%one = arith.constant 1.0 : f32
hivm.hir.vbrc ins(%one : f32) outs(%u : UB(64xf32))
set V MTE3 0
wait V MTE3 0
hivm.hir.store ins(%u : UB(64xf32)) outs(%A1 : GM(64xf32))
set MTE3 MTE2 0
wait MTE3 MTE2 0
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%u : UB(64xf32))
set MTE2 MTE3 0
wait MTE2 MTE3 0
hivm.hir.store ins(%u : UB(64xf32)) outs(%A1 : GM(64xf32))
hivm.hir.store ins(%u : UB(64xf32)) outs(%B1 : GM(64xf32))"""
    tensors = [helpers.tensor(name, "float32", 64) for name in "AB"]
    result = tiny.run(tensors, [torch.ones(64), torch.zeros(64)], vector=vector, out_idx=(1,))
    # Both stores of A lie on one pipe, with a load between them that waits for the first.
    assert helpers.codes(result) == []


@pytest.mark.parametrize(("behind", "codes"), [(False, []), (True, ["TL520"])])
def test_output_that_the_same_core_writes_behind_its_read(
    tiny, helpers, behind: bool, codes: list[str]
) -> None:
    """A read behind the write is right; in front of it, it hands out what nobody wrote."""
    write = """%one = arith.constant 1.0 : f32
hivm.hir.vbrc ins(%one : f32) outs(%v : UB(64xf32))
set V MTE3 0
wait V MTE3 0
hivm.hir.store ins(%v : UB(64xf32)) outs(%A1 : GM(64xf32))
set MTE3 MTE2 0
wait MTE3 MTE2 0"""
    read = """hivm.hir.load ins(%A1 : GM(64xf32)) outs(%u : UB(64xf32))
set MTE2 MTE3 1
wait MTE2 MTE3 1
hivm.hir.store ins(%u : UB(64xf32)) outs(%B1 : GM(64xf32))"""
    parts = [read, write] if behind else [write, read]
    head = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
%v = hivm.hir.pointer_cast(%c256) : UB(64xf32)"""
    tensors = [helpers.tensor(name, "float32", 64) for name in "AB"]
    buffers = [torch.full((64,), torch.nan), torch.full((64,), torch.nan)]
    result = tiny.run(tensors, buffers, vector="\n".join([head, *parts]), out_idx=(0, 1))
    assert helpers.codes(result) == codes
