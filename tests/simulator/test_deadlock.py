"""Kernels that stand still: the report names the root of the waits and both lines."""

from __future__ import annotations

import torch


def _without(text: str, *numbers: int) -> str:
    kept = ["" if number in numbers else line for number, line in enumerate(text.splitlines(), 1)]
    return "\n".join(kept)


def test_wait_for_a_flag_that_nobody_raises(vadd_launch, vadd_lines: str, helpers) -> None:
    result, _, _ = vadd_launch(_without(vadd_lines, 5))
    assert helpers.codes(result) == ["TL502"]
    found = result.findings[0]
    assert helpers.lines(found) == [6]
    assert found.diagnostic.what == (
        "tiny stands still in block 0: V of vector core 0 waits for flag 0 of MTE2 for V, "
        "which stays down"
    )
    assert "vector core 0 never raised it" in found.diagnostic.why
    assert found.diagnostic.why.endswith("; 1 more wait follows from this")
    assert [wait.flag for wait in found.waits if not wait.is_root] == ["flag 0 of V for MTE3"]
    assert 'T.set_flag("PIPE_V", 0) in T.rs("PIPE_MTE2")' in found.diagnostic.fix


def test_flag_that_is_not_raised_in_front_of_the_loop(tiny, helpers) -> None:
    vector = """%a = hivm.hir.pointer_cast(%c0) : UB(64xf32)
scf.for %k = %w0 to %w3 step %w1 : i32 {
wait V MTE2 0
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%a : UB(64xf32))
set MTE2 V 0
wait MTE2 V 0
hivm.hir.vexp ins(%a : UB(64xf32)) outs(%a : UB(64xf32))
set V MTE2 0
}"""
    tensors = [helpers.tensor("A", "float32", 64)]
    result = tiny.run(tensors, [torch.ones(64)], vector=vector)
    assert helpers.codes(result) == ["TL502"]
    found = result.findings[0]
    assert helpers.lines(found) == [3, 8]
    assert found.iteration == (0,)
    assert "raise stands behind this wait" in found.diagnostic.why
    assert "once in front of the loop" in found.diagnostic.fix


CUBE = "hivm.hir.sync_block_wait[<CUBE>, <PIPE_S>, <PIPE_S>] flag = {0}\n"
CUBE += "hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = {1}"
VECTOR = "hivm.hir.sync_block_wait[<VECTOR>, <PIPE_S>, <PIPE_S>] flag = {1}\n"
VECTOR += "hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = {0}"


def test_cores_that_wait_for_each_other(tiny, helpers) -> None:
    result = tiny.run([], [], cube=CUBE.format(4, 5), vector=VECTOR.format(4, 5))
    assert helpers.codes(result) == ["TL502"]
    why = result.findings[0].diagnostic.why
    assert "S of the cube core waits for cross-core flag 4 of vector core 0" in why
    assert "S of vector core 0 waits for cross-core flag 5 of the cube core" in why
    assert "stands at a wait of its own; 1 more wait follows from this" in why


def test_core_that_came_to_its_end_too_early(tiny, helpers) -> None:
    vector = VECTOR.format(4, 5) + "\n" + VECTOR.format(4, 5).splitlines()[0]
    cube = "\n".join(reversed(CUBE.format(4, 5).splitlines()))
    result = tiny.run([], [], cube=cube, vector=vector)
    assert helpers.codes(result) == ["TL502"]
    found = result.findings[0]
    assert "raised it once and has come to its end" in found.diagnostic.why
    assert helpers.lines(found)[0] == 3


def test_kernel_without_the_other_kind_of_core(tiny, helpers) -> None:
    result = tiny.run([], [], vector=VECTOR.format(4, 5))
    assert helpers.codes(result) == ["TL502"]
    assert "no core that could raise it" in result.findings[0].diagnostic.why
