"""Flags used against their nature."""

from __future__ import annotations

import torch

PING = """set MTE2 V 0
set MTE2 V 0
wait MTE2 V 0
wait MTE2 V 0"""


def test_flag_raised_while_it_is_up(tiny, helpers) -> None:
    result = tiny.run([], [], vector=PING)
    assert helpers.codes(result) == ["TL524"]
    assert helpers.lines(result.findings[0]) == [2, 1]


def test_flag_raised_and_taken_down_in_turn(tiny) -> None:
    lines = PING.splitlines()
    vector = "\n".join([lines[0], lines[2], lines[1], lines[3]])
    assert tiny.run([], [], vector=vector).findings == ()


def test_flag_that_is_never_waited_for(tiny, helpers) -> None:
    result = tiny.run([], [], vector="set MTE2 V 3")
    assert helpers.codes(result) == ["TL503"]
    found = result.findings[0].diagnostic
    assert found.severity == "warning"
    assert "flag 3 of MTE2 for V is raised once more than V waits for it" in found.what


def test_cross_core_flag_that_is_never_waited_for(tiny, helpers) -> None:
    cube = "hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 2"
    result = tiny.run([], [], cube=cube, vector="hivm.hir.pipe_barrier[<PIPE_V>]")
    assert helpers.codes(result) == ["TL503"]
    assert result.findings[0].count == 2, "the flags of both vector cores"


def test_ids_that_the_chip_does_not_have(tiny, helpers) -> None:
    def launch(number: int):
        return tiny.run([], [], vector=f"set MTE2 V %c{number}\nwait MTE2 V %c{number}")

    assert launch(7).findings == ()
    for number, severity in ((8, "warning"), (16, "error")):
        result = launch(number)
        assert set(helpers.codes(result)) == {"TL525"}
        assert result.findings[0].diagnostic.severity == severity


def test_cross_core_id_that_the_chip_does_not_have(tiny, helpers) -> None:
    cube = "hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 16"
    vector = "hivm.hir.sync_block_wait[<VECTOR>, <PIPE_S>, <PIPE_S>] flag = 16"
    result = tiny.run([], [], cube=cube, vector=vector)
    assert set(helpers.codes(result)) == {"TL525"}
    assert "0 to 15" in result.findings[0].diagnostic.what


def test_a_race_swallows_its_flag(tiny, helpers) -> None:
    vector = """%a = hivm.hir.pointer_cast(%c0) : UB(64xf32)
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%a : UB(64xf32))
set MTE2 V 0
hivm.hir.vexp ins(%a : UB(64xf32)) outs(%a : UB(64xf32))"""
    tensors = [helpers.tensor("A", "float32", 64)]
    result = tiny.run(tensors, [torch.ones(64)], vector=vector)
    assert helpers.codes(result) == ["TL521"], "one missing wait, one finding"
