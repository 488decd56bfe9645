"""Recordings: plain data, the same with and without numbers, one stream a class."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
import torch

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.diagnostics import TLError
from tlcourse.records import from_json, to_json
from tlcourse.simulator.cycles import Recording, launch_cycles, timeline
from tlcourse.simulator.recorded import record_launch
from tlcourse.simulator.run import run


@pytest.fixture
def tails(helpers):
    """A vector add with a tail in its last block, for M rows."""
    parameters = [helpers.tensor(n, "float16", "M", "N") for n in "ABC"]
    parameters += [helpers.symbol("M"), helpers.symbol("N")]
    launch = helpers.signature(parameters, "(M + 63) // 64")
    return helpers.program_of(helpers.real_text("vadd_tails_expert"), launch)


def _shapes(rows: int) -> list[torch.Tensor]:
    return [torch.empty(rows, 128, dtype=torch.float16, device="meta")] * 3


def test_it_is_plain_data(tails) -> None:
    found = record_launch(tails, _shapes(65), {"M": 65, "N": 128}, DEFAULT_CHIP)
    for copy in (from_json(Recording, to_json(found)), pickle.loads(pickle.dumps(found))):
        assert copy == found
        assert launch_cycles(copy, DEFAULT_CHIP) == launch_cycles(found, DEFAULT_CHIP)


def test_blocks_that_are_alike_are_one_stream(tails) -> None:
    found = record_launch(tails, _shapes(200), {"M": 200, "N": 128}, DEFAULT_CHIP)
    assert found.class_of == (0, 0, 0, 1)
    assert len(found.streams) == 2


def test_a_run_with_numbers_takes_the_same_time(tails) -> None:
    symbols = {"M": 200, "N": 128}
    a = torch.ones(200, 128).half()
    launched = run(tails, [a, a, torch.empty_like(a)], symbols=symbols).timeline
    found = record_launch(tails, _shapes(200), symbols, DEFAULT_CHIP)
    assert timeline(found, DEFAULT_CHIP) == launched


def test_bytes_of_each_tensor(tails) -> None:
    found = record_launch(tails, _shapes(200), {"M": 200, "N": 128}, DEFAULT_CHIP)
    moved = [(use.name, use.read_bytes, use.written_bytes) for use in found.tensors]
    size = 200 * 128 * 2
    assert moved == [
        ("A", size, 0),
        ("B", size, 0),
        ("C", 0, size),
        ("the workspace", 0, 0),
    ]


def test_tensors_beyond_l2_are_walked(tails) -> None:
    """Three tensors of 1 MiB against 1.5 MiB of L2: a stream, so that all of it is cold."""
    chip = replace(DEFAULT_CHIP, l2_bytes=3 * 2**19)
    found = record_launch(tails, _shapes(4096), {"M": 4096, "N": 128}, chip)
    assert [use.missing_cold for use in found.tensors[:2]] == [2**20, 2**20]
    assert 0.7 * 2**20 < found.tensors[0].missing_warm < 2**20


def test_numbers_that_decide(tiny, helpers) -> None:
    vector = """%n = memref.load %N1[%i0] : GM(1xi32)
%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
scf.for %k = %w0 to %n step %w1 : i32 {
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%u : UB(64xf32))
hivm.hir.pipe_barrier[<PIPE_MTE2>]
}"""
    names = [helpers.tensor("N", "int32", 1), helpers.tensor("A", "float32", 64)]
    program = tiny.program(names, vector=vector)
    with pytest.raises(TLError) as caught:
        record_launch(
            program, [torch.empty(1, device="meta").int(), torch.ones(64)], {}, DEFAULT_CHIP
        )
    assert caught.value.code == "TL470"
    counts = [
        len(
            record_launch(program, [torch.tensor([n]).int(), torch.ones(64)], {}, DEFAULT_CHIP)
            .streams[0]
            .cores[0]
            .works
        )
        for n in (1, 4)
    ]
    assert counts == [3, 9]


def test_a_division_by_a_number_that_is_loaded(tiny, helpers) -> None:
    vector = """%n = memref.load %N1[%i0] : GM(1xi32)
%q = arith.divsi %w8, %n : i32
%p = arith.index_cast %q : i32 to index
%x = memref.load %N1[%p] : GM(1xi32)"""
    program = tiny.program([helpers.tensor("N", "int32", 1)], vector=vector)
    with pytest.raises(TLError) as caught:
        record_launch(program, [torch.empty(1, device="meta").int()], {}, DEFAULT_CHIP)
    assert caught.value.code == "TL470"


def test_buffers_that_do_not_fit_are_told(tiny) -> None:
    vector = """%u = hivm.hir.pointer_cast(%c196608) : UB(64xf32)
hivm.hir.vexp ins(%u : UB(64xf32)) outs(%u : UB(64xf32))"""
    with pytest.raises(TLError) as caught:
        record_launch(tiny.program([], vector=vector), [], {}, DEFAULT_CHIP)
    assert caught.value.code == "TL527"


def test_too_many_steps_are_told(tiny, monkeypatch) -> None:
    monkeypatch.setenv("TLCOURSE_STEP_LIMIT", "1000")
    vector = "scf.for %k = %w0 to %w4000 step %w1 : i32 {\nhivm.hir.pipe_barrier[<PIPE_V>]\n}"
    with pytest.raises(TLError) as caught:
        record_launch(tiny.program([], vector=vector), [], {}, DEFAULT_CHIP)
    assert caught.value.code == "TL504"
