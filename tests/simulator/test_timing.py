"""Cycles of tiny programs, worked by hand on a chip with round figures.

The chip: issue 10, GM latency 500, vector core 40 and cube core 80 bytes a cycle, DMA start
100, segment 6, L1 to L0A 512 and to L0B 256 bytes a cycle, product start 32, fix pipe 128
bytes a cycle, vector start 110, one cycle a repeat (4 for exp), flag 20, between cores 400,
barrier 30, launch 1000, further block 200.
"""

from __future__ import annotations

from dataclasses import replace

import torch

from tlcourse.chips import DEFAULT_CHIP, Timing

TIMING = Timing(
    launch_cycles={"vector": 1000, "cube": 1000, "mix": 1000},
    block_cycles=200,
    scalar_issue_cycles=10,
    gm_latency_cycles=500,
    aic_gm_bytes_per_cycle=80,
    aiv_gm_bytes_per_cycle=40,
    l2_read_bytes_per_cycle=100_000,
    dma_start_cycles=100,
    dma_segment_cycles=6,
    l1_to_l0a_bytes_per_cycle=512,
    l1_to_l0b_bytes_per_cycle=256,
    mmad_start_cycles=32,
    fixpipe_bytes_per_cycle=128,
    vector_start_cycles=110,
    vector_bytes_per_repeat=256,
    vector_cycles_per_repeat={
        "simple": 1,
        "cast": 1,
        "transcendental": 4,
        "reduce": 4,
        "scalar": 64,
    },
    flag_cycles=20,
    cross_core_flag_cycles=400,
    barrier_cycles=30,
)
CHIP = replace(DEFAULT_CHIP, timing=TIMING)


def _times(result) -> list[tuple[str, int, int]]:
    """Name, start and end of each instruction, counted from the end of the launch."""
    return [(i.op, i.start_cycle - 1000, i.end_cycle - 1000) for i in result.timeline.instructions]


def test_vector_add(vadd_launch, vadd_lines: str) -> None:
    """Issues at 10, 20, ... 80. A load of 256 bytes takes 100 + 7 + 6 = 113.

    load a   10 to 123, there at 623          load b   123 to 236, there at 736
    flag up at 736, V goes on at 756          vadd     756 to 756 + 110 + 1 = 867
    flag up at 867, MTE3 goes on at 887       store    887 to 1000, there at 1500
    """
    result, _, _ = vadd_launch(vadd_lines, chip=CHIP)
    assert _times(result) == [
        ("load", 10, 123),
        ("load", 123, 236),
        ("vadd", 756, 867),
        ("store", 887, 1000),
    ]
    timeline = result.timeline
    assert (timeline.launch_cycles, timeline.cycles) == (1000, 2500)
    assert [i.bytes for i in timeline.instructions] == [256, 256, 0, 256]
    assert [i.waits_on for i in timeline.instructions] == [(), (), (1,), (2,)]
    assert {lane.name: lane.busy_cycles for lane in timeline.lanes} == {
        "aiv0.MTE2": 226,
        "aiv0.V": 111,
        "aiv0.MTE3": 113,
    }
    assert [(b.lane, b.start_cycle, b.end_cycle, b.cause) for b in timeline.bubbles] == [
        ("aiv0.MTE2", 1000, 1010, "issue"),
        ("aiv0.V", 1000, 1756, "load on MTE2, line 4"),
        ("aiv0.MTE3", 1000, 1887, "vadd on V, line 7"),
    ]


def test_barrier_on_one_pipe(tiny, helpers) -> None:
    """Issues at 10, 20, 30: exp from 10 to 10 + 110 + 4 = 124, the barrier ends at 154."""
    vector = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
hivm.hir.vexp ins(%u : UB(64xf32)) outs(%u : UB(64xf32))
hivm.hir.pipe_barrier[<PIPE_V>]
hivm.hir.vabs ins(%u : UB(64xf32)) outs(%u : UB(64xf32))"""
    result = tiny.run([], [], vector=vector, chip=CHIP)
    assert _times(result) == [("vexp", 10, 124), ("vabs", 154, 265)]
    assert result.timeline.bubbles[-1].cause == "barrier of V"


def test_segments_and_repeats(tiny, helpers) -> None:
    """64 rows of 128 bytes: 100 + 8192 / 40 = 205 + 64 x 6 = 384, so 689; 32 repeats of exp."""
    vector = """%u = hivm.hir.pointer_cast(%c0) : UB(64x32xf32)
%a = memref.reinterpret_cast %A to offset: [0], sizes: [64, 32], strides: [64, 1] : GM(?xf32) to \
GM(64x32xf32, strided<[64, 1]>)
hivm.hir.load ins(%a : GM(64x32xf32, strided<[64, 1]>)) outs(%u : UB(64x32xf32))
set MTE2 V 0
wait MTE2 V 0
hivm.hir.vexp ins(%u : UB(64x32xf32)) outs(%u : UB(64x32xf32))"""
    tensors = [helpers.tensor("A", "float32", 64, 64)]
    result = tiny.run(tensors, [torch.ones(64, 64)], vector=vector, chip=CHIP)
    load, exp = _times(result)
    assert load == ("load", 10, 10 + 689)
    assert exp == ("vexp", 10 + 689 + 500 + 20, 1219 + 110 + 32 * 4)


CUBE = """%c = hivm.hir.pointer_cast(%c0) : L0C(1x1x16x16xf32)
%l = hivm.hir.pointer_cast(%c0) : L1(1x1x16x16xf16)
%r = hivm.hir.pointer_cast(%c512) : L1(1x1x16x16xf16)
%a = memref.reinterpret_cast %A to offset: [0], sizes: [16, 16], strides: [16, 1] : GM(?xf16) to \
GM(16x16xf16)
%d = memref.reinterpret_cast %D to offset: [0], sizes: [16, 16], strides: [16, 1] : GM(?xf32) to \
GM(16x16xf32)
%true = arith.constant true
%none = arith.constant -1 : i64
hivm.hir.nd2nz {dst_continuous} ins(%a : GM(16x16xf16)) outs(%l : L1(1x1x16x16xf16)) \
init_out_buffer = false
set MTE2 MTE1 0
hivm.hir.nd2nz {dst_continuous} ins(%a : GM(16x16xf16)) outs(%r : L1(1x1x16x16xf16)) \
init_out_buffer = false
set MTE2 MTE1 1
hivm.hir.mmadL1 ins(%l, %r, %true, %i16, %i16, %i16 : L1(1x1x16x16xf16), L1(1x1x16x16xf16), i1, \
index, index, index) outs(%c : L0C(1x1x16x16xf32)) sync_related_args(%c0, %c1, %none, %none, \
%none, %none, %none : i64, i64, i64, i64, i64, i64, i64)
set M FIX 0
wait M FIX 0
hivm.hir.fixpipe {enable_nz2nd} ins(%c : L0C(1x1x16x16xf32)) outs(%d : GM(16x16xf32))
hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 3"""

VECTOR = """%u = hivm.hir.pointer_cast(%c0) : UB(256xf32)
hivm.hir.sync_block_wait[<VECTOR>, <PIPE_S>, <PIPE_MTE2>] flag = 3
hivm.hir.load ins(%D1 : GM(256xf32)) outs(%u : UB(256xf32))
set MTE2 V 0
wait MTE2 V 0
hivm.hir.vexp ins(%u : UB(256xf32)) outs(%u : UB(256xf32))
hivm.hir.pipe_barrier[<PIPE_ALL>]
%sub = hivm.hir.get_sub_block_idx -> i64
%first = arith.cmpi eq, %sub, %c0 : i64
scf.if %first {
hivm.hir.store ins(%u : UB(256xf32)) outs(%E1 : GM(256xf32))
}"""


def test_cube_and_vector_cores(tiny, helpers) -> None:
    """512 bytes at 80 a cycle: 100 + 7 + 6 = 113.

    nd2nz    10 to 123, there at 623; 123 to 236, there at 736
    load_l0  643 to 644 (left), 756 to 758 (right)
    mmadL1   758 to 758 + 32 + 1 = 791, FIX goes on at 811
    fixpipe  811 to 811 + 100 + 8 + 6 = 925, there and the flag up at 1425
    load     1825 to 1825 + 100 + 26 + 6 = 1957, there at 2457
    vexp     2477 to 2477 + 110 + 16 = 2603, the barrier ends at 2633, one issue later
    store    2643 to 2775, there at 3275
    """
    tensors = [helpers.tensor("A", "float16", 16, 16)]
    tensors += [helpers.tensor(name, "float32", 16, 16) for name in "DE"]
    buffers = [torch.eye(16).half(), torch.zeros(16, 16), torch.zeros(16, 16)]
    result = tiny.run(tensors, buffers, cube=CUBE, vector=VECTOR, chip=CHIP)
    assert result.findings == ()
    times = {
        (i.agent, i.op, i.start_cycle - 1000, i.end_cycle - 1000)
        for i in result.timeline.instructions
    }
    assert times == {
        ("aic", "nd2nz", 10, 123),
        ("aic", "nd2nz", 123, 236),
        ("aic", "load_l0", 643, 644),
        ("aic", "load_l0", 756, 758),
        ("aic", "mmadL1", 758, 791),
        ("aic", "fixpipe", 811, 925),
        ("aiv0", "load", 1825, 1957),
        ("aiv0", "vexp", 2477, 2603),
        ("aiv0", "store", 2643, 2775),
        ("aiv1", "load", 1825, 1957),
        ("aiv1", "vexp", 2477, 2603),
    }
    assert result.timeline.cycles == 1000 + 3275
    assert "fixpipe on FIX of the cube core, line 15" in {
        bubble.cause for bubble in result.timeline.bubbles
    }


def test_loads_that_share_l2(tiny, helpers) -> None:
    """With 24 blocks at a time and 240 bytes a cycle of L2, a core gets 10: 100 + 26 + 6."""
    chip = replace(CHIP, timing=replace(TIMING, l2_read_bytes_per_cycle=240))
    vector = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%u : UB(64xf32))"""
    tensors = [helpers.tensor("A", "float32", 64)]
    one = tiny.run(tensors, [torch.ones(64)], vector=vector, chip=chip)
    many = tiny.run(tensors, [torch.ones(64)], vector=vector, chip=chip, blocks=24)
    assert [_times(run)[0][2] - 10 for run in (one, many)] == [113, 132]


def test_sizes_of_a_product(helpers, tiny) -> None:
    """17 x 33 x 5 elements are 2 x 1 fractals of results and 3 steps of k: 6 cycles."""
    cube = """%c = hivm.hir.pointer_cast(%c0) : L0C(1x2x16x16xf32)
%l = hivm.hir.pointer_cast(%c0) : L1(3x2x16x16xf16)
%r = hivm.hir.pointer_cast(%c4096) : L1(1x3x16x16xf16)
%true = arith.constant true
hivm.hir.mmadL1 ins(%l, %r, %true, %i17, %i33, %i5 : L1(3x2x16x16xf16), L1(1x3x16x16xf16), i1, \
index, index, index) outs(%c : L0C(1x2x16x16xf32))"""
    result = tiny.run([], [], cube=cube, chip=CHIP, checks="off")
    assert _times(result) == [
        ("load_l0", 10, 10 + 6),
        ("load_l0", 20, 20 + 6),
        ("mmadL1", 30, 30 + 32 + 6),
    ]


def test_seeds_do_not_change_cycles(vadd_launch, vadd_lines: str) -> None:
    first = vadd_launch(vadd_lines)[0].timeline.cycles
    assert {vadd_launch(vadd_lines, seed=seed)[0].timeline.cycles for seed in (1, 2, 3)} == {first}
