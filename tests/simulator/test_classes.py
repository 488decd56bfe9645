"""Which blocks form a class, and which of them is checked."""

from __future__ import annotations

import torch

from tlcourse.simulator.classes import BlockClass, group
from tlcourse.simulator.run import run

# Block 2 is the only one that leaves out the flag behind its load.
ODD = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
%b = hivm.hir.get_block_idx -> i64
%o = arith.muli %b, %c64 : i64
%x = arith.index_cast %o : i64 to index
%p = memref.subview %A1[%x] [64] [1] : GM(256xf32) to GM(64xf32, strided<[1], offset: ?>)
hivm.hir.load ins(%p : GM(64xf32, strided<[1], offset: ?>)) outs(%u : UB(64xf32))
%is = arith.cmpi ne, %b, %c2 : i64
scf.if %is {
set MTE2 V 0
wait MTE2 V 0
}
hivm.hir.vexp ins(%u : UB(64xf32)) outs(%u : UB(64xf32))"""


def test_group_keeps_the_order_of_first_blocks() -> None:
    assert group(5, lambda block: block == 3) == (
        BlockClass(blocks=(0, 1, 2, 4)),
        BlockClass(blocks=(3,)),
    )


def test_control_flow_that_depends_on_the_block_is_told_apart(tiny, helpers) -> None:
    tensors = [helpers.tensor("A", "float32", 256)]
    program = tiny.program(tensors, vector=ODD, blocks=4)
    assert program.options["block_control"]
    result = run(program, [torch.ones(256)], symbols={})
    assert helpers.codes(result) == ["TL521"]
    assert (result.findings[0].block, result.findings[0].count) == (2, 1)
    assert result.timeline.replicated_blocks == 2


def test_a_finding_is_counted_over_its_whole_class(tiny, helpers) -> None:
    tensors = [helpers.tensor("A", "float32", 256)]
    vector = ODD.replace("arith.cmpi ne, %b, %c2", "arith.cmpi ne, %c2, %c2")
    program = tiny.program(tensors, vector=vector, blocks=4)
    assert not program.options["block_control"]
    found = {
        checks: run(program, [torch.ones(256)], symbols={}, checks=checks).findings
        for checks in ("class", "all")
    }
    assert found["class"] == found["all"]
    assert [finding.count for finding in found["class"]] == [4]


def test_control_flow_that_depends_on_data_is_never_grouped(tiny, helpers) -> None:
    vector = """%n = memref.load %N1[%i0] : GM(1xi32)
%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
scf.for %k = %w0 to %n step %w1 : i32 {
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%u : UB(64xf32))
hivm.hir.pipe_barrier[<PIPE_MTE2>]
}"""
    tensors = [helpers.tensor("N", "int32", 1), helpers.tensor("A", "float32", 64)]
    program = tiny.program(tensors, vector=vector, blocks=3)
    assert program.options["data_control"]
    buffers = [torch.tensor([2], dtype=torch.int32), torch.ones(64)]
    timeline = run(program, buffers, symbols={}).timeline
    assert timeline.replicated_blocks == 0
    assert [i.pipe for i in timeline.instructions] == ["S", "MTE2", "MTE2"]


def test_tails_form_classes_of_their_own(helpers) -> None:
    parameters = [helpers.tensor(n, "float16", "M", "N") for n in "ABC"]
    parameters += [helpers.symbol("M"), helpers.symbol("N")]
    launch = helpers.signature(parameters, "(M + 63) // 64", out_idx=(2,))
    program = helpers.program_of(helpers.real_text("vadd_tails_expert"), launch)
    a = torch.ones(200, 130).half()
    c = torch.zeros(200, 130).half()
    result = run(program, [a, a, c], symbols={"M": 200, "N": 130})
    assert result.timeline.replicated_blocks == 2, "three full blocks and one of eight rows"
    assert torch.equal(c, a + a)


def test_a_dry_run_that_fails_leaves_the_report_to_the_real_one(tiny, helpers) -> None:
    vector = """%b = hivm.hir.get_block_idx -> i64
%x = arith.divsi %c8, %b : i64
scf.for %k = %c0 to %x step %c1 : i64 {
hivm.hir.pipe_barrier[<PIPE_V>]
}"""
    program = tiny.program([], vector=vector, blocks=3)
    assert program.options["block_control"]
    assert helpers.codes(run(program, [], symbols={})) == ["TL506"]
