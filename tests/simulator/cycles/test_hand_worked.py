"""Timelines of tiny programs whose starts and ends are worked out by hand.

The chip: issue 10 cycles, queues of 32, latency of GM 500 both ways, ports 80 (cube core) and 40
(vector core) bytes a cycle, DMA start 100, a segment at least 6 cycles, L1 to L0A 512 and to
L0B 256 bytes a cycle, multiplication start 32, fix pipe start 100 and 128 bytes a cycle, vector
start 110, one cycle a repeat (4 of exp), flag 20, between cores 400, barrier 30, launch 1000,
further block 200. L2, HBM and L1 carry everything unless a test says otherwise. Times count
from the end of the launch.
"""

from __future__ import annotations

from tlcourse.simulator.cycles import launch_cycles, timeline


def test_vector_add_with_flags(timed, vadd_lines: str) -> None:
    """256 bytes take 100 + ceil(256 / 40) = 107 cycles. Issued at 10, 20, ... 80.

    load A   10 to 117, there at 617
    load B   117 to 224, there at 724; the flag behind it is up then
    vadd     724 + 20 = 744 to 744 + 110 + 1 = 855; flag up at 855
    store    855 + 20 = 875 to 875 + 107 = 982
    """
    assert timed((64, 64, 64), vector=vadd_lines) == [
        ("aiv0", "load", 10, 117),
        ("aiv0", "load", 117, 224),
        ("aiv0", "vadd", 744, 855),
        ("aiv0", "store", 875, 982),
    ]


OVERLAP = """%u = hivm.hir.pointer_cast(%c0) : UB(2000xf32)
%a = memref.reinterpret_cast %A to offset: [0], sizes: [1000], strides: [1] : GM(?xf32) to \
GM(1000xf32)
%h = memref.reinterpret_cast %u to offset: [0], sizes: [1000], strides: [1] : UB(2000xf32) to \
UB(1000xf32)
%sub = hivm.hir.get_sub_block_idx -> i64
%first = arith.cmpi eq, %sub, %c0 : i64
scf.if %first {
hivm.hir.load ins(%a : GM(1000xf32)) outs(%h : UB(1000xf32))
} else {
hivm.hir.load ins(%A1 : GM(2000xf32)) outs(%u : UB(2000xf32))
}"""
IDLE = "hivm.hir.pipe_barrier[<PIPE_M>]"


def test_two_transfers_share_l2(timed, round_chip) -> None:
    """L2 gives 40 bytes a cycle, as much as one port. Both transfers move from 110 on.

    aiv0   4,000 bytes at 20: 110 to 310
    aiv1   8,000 bytes: 4,000 at 20 until 310, 4,000 at 40 until 410
    """
    chip = round_chip(l2_read_bytes_per_cycle=40)
    assert timed((2000,), vector=OVERLAP, cube=IDLE, chip=chip) == [
        ("aiv0", "load", 10, 310),
        ("aiv1", "load", 10, 410),
    ]


L1 = """%l = hivm.hir.pointer_cast(%c0) : L1(4x4x16x16xf16)
%r = hivm.hir.pointer_cast(%c8192) : L1(4x4x16x16xf16)
%c = hivm.hir.pointer_cast(%c0) : L0C(4x4x16x16xf32)
%a = memref.reinterpret_cast %A to offset: [0], sizes: [64, 64], strides: [64, 1] : GM(?xf16) to \
GM(64x64xf16)
%true = arith.constant true
hivm.hir.mmadL1 ins(%r, %r, %true, %i64, %i64, %i64 : L1(4x4x16x16xf16), L1(4x4x16x16xf16), i1, \
index, index, index) outs(%c : L0C(4x4x16x16xf32))
hivm.hir.nd2nz {dst_continuous} ins(%a : GM(64x64xf16)) outs(%l : L1(4x4x16x16xf16)) \
init_out_buffer = false"""


def test_mte1_and_mte2_share_the_port_of_l1(timed, round_chip) -> None:
    """The port carries 64 bytes a cycle. A tile has 8,192 bytes.

    load_l0 A   10 to 10 + 8,192 / 64 = 138
    load_l0 B   138, alone until the nd2nz (issued at 40) moves from 140 on: 128 bytes are
                in, 8,064 are left and get 32 a cycle: 252 cycles, until 392
    mmadL1      392 to 392 + 32 + 4 x 4 x 4 = 488
    nd2nz       8,064 bytes at 32 until 392, the last 128 at 64: 394
    """
    chip = round_chip(l1_port_bytes_per_cycle=64, nd2nz_segment_cycles=0)
    assert timed((4096,), dtype="float16", cube=L1, chip=chip) == [
        ("aic", "load_l0", 10, 138),
        ("aic", "nd2nz", 40, 394),
        ("aic", "load_l0", 138, 392),
        ("aic", "mmadL1", 392, 488),
    ]


DOUBLE = """%x = hivm.hir.pointer_cast(%c0) : UB(1024xf32)
%y = hivm.hir.pointer_cast(%c4096) : UB(1024xf32)
hivm.hir.load ins(%A1 : GM(1024xf32)) outs(%x : UB(1024xf32))
set MTE2 V 0
hivm.hir.load ins(%A1 : GM(1024xf32)) outs(%y : UB(1024xf32))
set MTE2 V 1
wait MTE2 V 0
hivm.hir.vexp ins(%x : UB(1024xf32)) outs(%x : UB(1024xf32))
set V MTE2 0
wait MTE2 V 1
hivm.hir.vexp ins(%y : UB(1024xf32)) outs(%y : UB(1024xf32))
wait V MTE2 0
hivm.hir.load ins(%A1 : GM(1024xf32)) outs(%x : UB(1024xf32))"""


def test_double_buffering(timed) -> None:
    """4,096 bytes take 100 + 103 = 203 cycles; exp on them 110 + 16 x 4 = 174.

    load x   10 to 213, there at 713            load y   213 to 416, there at 916
    vexp x   733 to 907; flag up at 907         vexp y   936 to 1110
    load x   927 to 1130: while exp works on y
    """
    assert timed((1024,), vector=DOUBLE) == [
        ("aiv0", "load", 10, 213),
        ("aiv0", "load", 213, 416),
        ("aiv0", "vexp", 733, 907),
        ("aiv0", "load", 927, 1130),
        ("aiv0", "vexp", 936, 1110),
    ]


HAND_OVER = """%c = hivm.hir.pointer_cast(%c0) : L0C(1x1x16x16xf32)
%d = memref.reinterpret_cast %A to offset: [0], sizes: [16, 16], strides: [16, 1] : GM(?xf32) to \
GM(16x16xf32)
hivm.hir.fixpipe {enable_nz2nd} ins(%c : L0C(1x1x16x16xf32)) outs(%d : GM(16x16xf32))
hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 3"""
TAKE_OVER = """%u = hivm.hir.pointer_cast(%c0) : UB(256xf32)
hivm.hir.sync_block_wait[<VECTOR>, <PIPE_S>, <PIPE_MTE2>] flag = 3
hivm.hir.load ins(%A1 : GM(256xf32)) outs(%u : UB(256xf32))"""


def test_hand_shake_between_cores(timed) -> None:
    """fixpipe: 100 + 1,024 / 128 = 108 cycles; the 256 numbers lie behind each other.

    fixpipe   10 to 118, there at 618, the flag up then
    load      618 + 400 = 1018 to 1018 + 100 + 26 = 1144, on both vector cores
    """
    assert timed((256,), cube=HAND_OVER, vector=TAKE_OVER) == [
        ("aic", "fixpipe", 10, 118),
        ("aiv0", "load", 1018, 1144),
        ("aiv1", "load", 1018, 1144),
    ]


LOAD = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%u : UB(64xf32))"""


def test_waves_of_blocks(tiny, helpers, recorded, round_chip) -> None:
    """48 vector cores. A block: load 10 to 117, there at 617.

    50 blocks: core 0 runs blocks 0 and 48. Block 48 starts at 617 + 200 = 817 and is through at
    817 + 617 = 1434; with the launch 2434. 48 blocks take 1617.
    """
    chip = round_chip()
    found = {
        blocks: recorded(
            tiny.program([helpers.tensor("A", "float32", 64)], vector=LOAD, blocks=blocks), (64,)
        )
        for blocks in (48, 50)
    }
    assert [launch_cycles(recording, chip) for recording in found.values()] == [1617, 2434]
    shown = timeline(found[50], chip, all_blocks=True)
    assert [(i.block, i.start_cycle, i.end_cycle) for i in shown.instructions] == [
        (0, 1010, 1117),
        (48, 1827, 1934),
    ]
    assert shown.lanes[0].busy_cycles == 2 * 107


BARRIERS = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
hivm.hir.vexp ins(%u : UB(64xf32)) outs(%u : UB(64xf32))
hivm.hir.pipe_barrier[<PIPE_V>]
hivm.hir.vabs ins(%u : UB(64xf32)) outs(%u : UB(64xf32))
hivm.hir.pipe_barrier[<PIPE_ALL>]
hivm.hir.store ins(%u : UB(64xf32)) outs(%A1 : GM(64xf32))"""


def test_barriers(timed, round_chip) -> None:
    """A vector op's result is there 40 cycles after its end.

    vexp      10 to 10 + 110 + 4 = 124, there at 164
    barrier   on V: 164 + 30 = 194
    vabs      194 to 194 + 110 + 1 = 305, there at 345
    barrier   on all pipes: 345 + 30 = 375, where the scalar unit goes on
    store     375 + 10 = 385 to 385 + 107 = 492
    """
    chip = round_chip(vector_latency_cycles=40)
    assert timed((64,), vector=BARRIERS, chip=chip) == [
        ("aiv0", "vexp", 10, 124),
        ("aiv0", "vabs", 194, 305),
        ("aiv0", "store", 385, 492),
    ]


def test_full_queue_holds_up_the_scalar_unit(timed, round_chip) -> None:
    """A queue holds 2. exp on 256 bytes takes 114 cycles; a store is issued behind four.

    exp 1   issued 10, runs 10 to 124: out of the queue at 10
    exp 2   issued 20, waits             exp 3   issued 30, waits: the queue is full
    exp 2   124 to 238: room at 124      exp 4   issued 134
    store   issued 144, runs 144 to 251
    exp 3   238 to 352                   exp 4   352 to 466
    """
    exp = "hivm.hir.vexp ins(%u : UB(64xf32)) outs(%u : UB(64xf32))"
    store = "hivm.hir.store ins(%u : UB(64xf32)) outs(%A1 : GM(64xf32))"
    lines = "\n".join(["%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)", *[exp] * 4, store])
    assert timed((64,), vector=lines, chip=round_chip(queue_instructions=2)) == [
        ("aiv0", "vexp", 10, 124),
        ("aiv0", "vexp", 124, 238),
        ("aiv0", "store", 144, 251),
        ("aiv0", "vexp", 238, 352),
        ("aiv0", "vexp", 352, 466),
    ]


FIXPIPE = """%c = hivm.hir.pointer_cast(%c0) : L0C(2x2x16x16xf32)
%d = memref.reinterpret_cast %A to offset: [0], sizes: [32, 32], strides: [64, 1] : GM(?xf16) to \
GM(32x32xf16, strided<[64, 1]>)
hivm.hir.fixpipe {enable_nz2nd, pre_quant = #hivm.fixpipe_pre_quant_mode<F322F16>} \
ins(%c : L0C(2x2x16x16xf32)) outs(%d : GM(32x32xf16, strided<[64, 1]>))
hivm.hir.fixpipe {enable_nz2nd} ins(%c : L0C(2x2x16x16xf32)) outs(%d : \
GM(32x32xf16, strided<[64, 1]>))"""


def test_fix_pipe(timed) -> None:
    """32 x 32 results: 4,096 bytes of L0C, 2,048 of GM in 32 rows of 64 bytes.

    At 128 bytes of L0C a cycle it would take 32 cycles; 32 segments of 6 cycles take 192.

    first    10 to 10 + 100 + 192 = 302          second   302 to 594
    """
    assert timed((2048,), dtype="float16", cube=FIXPIPE) == [
        ("aic", "fixpipe", 10, 302),
        ("aic", "fixpipe", 302, 594),
    ]


STRIPS = """%u = hivm.hir.pointer_cast(%c0) : UB(40x200xf32)
%h = memref.subview %u[0, 0] [40, 150] [1, 1] : UB(40x200xf32) to \
UB(40x150xf32, strided<[200, 1]>)
hivm.hir.vexp ins(%u : UB(40x200xf32)) outs(%u : UB(40x200xf32))
hivm.hir.vexp ins(%h : UB(40x150xf32, strided<[200, 1]>)) outs(%h : \
UB(40x150xf32, strided<[200, 1]>))
hivm.hir.vabs ins(%u : UB(40x200xf32)) outs(%u : UB(40x200xf32))"""


def test_strips_of_rows(timed, round_chip) -> None:
    """Rows of 600 bytes with gaps need 3 strips of 256 bytes; each instruction costs 5 more.

    vexp, whole   32,000 bytes: 125 repeats, one instruction: 110 + 5 + 500 = 615, 10 to 625
    vexp, part    3 strips x 40 rows = 120 repeats, three instructions: 110 + 15 + 480 = 605,
                  625 to 1230: fewer bytes, nearly the same time
    vabs, whole   110 + 5 + 125 = 240, 1230 to 1470
    """
    chip = round_chip(vector_instruction_cycles=5)
    assert timed(vector=STRIPS, chip=chip) == [
        ("aiv0", "vexp", 10, 625),
        ("aiv0", "vexp", 625, 1230),
        ("aiv0", "vabs", 1230, 1470),
    ]


PARTS = """%l = hivm.hir.pointer_cast(%c0) : L1(16x8x16x16xf16)
%r = hivm.hir.pointer_cast(%c65536) : L1(8x16x16x16xf16)
%c = hivm.hir.pointer_cast(%c0) : L0C(8x8x16x16xf32)
%true = arith.constant true
hivm.hir.mmadL1 ins(%l, %r, %true, %i128, %i256, %i128 : L1(16x8x16x16xf16), \
L1(8x16x16x16xf16), i1, index, index, index) outs(%c : L0C(8x8x16x16xf32))"""


def test_a_large_product_goes_through_l0_in_parts(timed) -> None:
    """128 x 128 results, k = 256: A and B have 65,536 bytes, twice what half of L0 holds.

    A 1   32,768 bytes at 512: 10 to 74       B 1   32,768 at 256: 74 to 202
    A 2   202 to 266                          B 2   266 to 394
    Multiplications of 8 x 8 x 8 = 512 cycles: 202 to 202 + 32 + 512 = 746, then 746 to 1290;
    the loads of the second part are hidden behind the first one.
    """
    assert timed(cube=PARTS) == [
        ("aic", "load_l0", 10, 74),
        ("aic", "load_l0", 74, 202),
        ("aic", "mmadL1", 202, 746),
        ("aic", "load_l0", 202, 266),
        ("aic", "load_l0", 266, 394),
        ("aic", "mmadL1", 746, 1290),
    ]


def test_what_l2_lacks_comes_from_hbm(timed, round_chip) -> None:
    """Cold, all of the 256 bytes come from HBM, which gives 8 a cycle: 100 + 32 cycles."""
    chip = round_chip(hbm_read_bytes_per_cycle=8)
    assert timed((64,), vector=LOAD, chip=chip, cold=True) == [("aiv0", "load", 10, 142)]
    assert timed((64,), vector=LOAD, chip=chip) == [("aiv0", "load", 10, 117)]


def test_segments_limit_a_transfer(timed) -> None:
    """64 rows of 128 bytes: 8,192 / 40 = 205 cycles, but 64 segments of 6 cycles take 384."""
    lines = """%u = hivm.hir.pointer_cast(%c0) : UB(64x32xf32)
%a = memref.reinterpret_cast %A to offset: [0], sizes: [64, 32], strides: [64, 1] : GM(?xf32) to \
GM(64x32xf32, strided<[64, 1]>)
hivm.hir.load ins(%a : GM(64x32xf32, strided<[64, 1]>)) outs(%u : UB(64x32xf32))"""
    assert timed((4096,), vector=lines) == [("aiv0", "load", 10, 10 + 100 + 384)]
