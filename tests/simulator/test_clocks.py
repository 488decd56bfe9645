"""Each rule of order, with its flag or barrier and without: races are found, and only races.

Lines of the vector add: 3 and 4 load a and b, 5 and 6 the flag behind the loads, 7 adds into
a, 8 and 9 the flag behind the sum, 10 stores.
"""

from __future__ import annotations

import pytest
import torch

TWO_STEPS = """%a = hivm.hir.pointer_cast(%c0) : UB(64xf32)
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%a : UB(64xf32))
set MTE2 V 0
wait MTE2 V 0
hivm.hir.vexp ins(%a : UB(64xf32)) outs(%a : UB(64xf32))
hivm.hir.pipe_barrier[<PIPE_V>]
hivm.hir.vabs ins(%a : UB(64xf32)) outs(%a : UB(64xf32))
set V MTE3 0
wait V MTE3 0
hivm.hir.store ins(%a : UB(64xf32)) outs(%B1 : GM(64xf32))"""

# The buffer is loaded again in every turn; the flag V -> MTE2 lets it be overwritten.
REUSE = """%a = hivm.hir.pointer_cast(%c0) : UB(64xf32)
%b = hivm.hir.pointer_cast(%c256) : UB(64xf32)
set V MTE2 0
set MTE3 V 0
scf.for %k = %w0 to %w3 step %w1 : i32 {
wait V MTE2 0
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%a : UB(64xf32))
set MTE2 V 0
wait MTE2 V 0
wait MTE3 V 0
hivm.hir.vexp ins(%a : UB(64xf32)) outs(%b : UB(64xf32))
set V MTE2 0
set V MTE3 0
wait V MTE3 0
hivm.hir.pipe_barrier[<PIPE_MTE3>]
hivm.hir.store ins(%b : UB(64xf32)) outs(%B1 : GM(64xf32))
set MTE3 V 0
}
wait V MTE2 0
wait MTE3 V 0"""

CUBE = """%c = hivm.hir.pointer_cast(%c0) : L0C(1x1x16x16xf32)
%l = hivm.hir.pointer_cast(%c0) : L1(1x1x16x16xf16)
%r = hivm.hir.pointer_cast(%c512) : L1(1x1x16x16xf16)
%a = memref.reinterpret_cast %A to offset: [0], sizes: [16, 16], strides: [16, 1] : GM(?xf16) to \
GM(16x16xf16)
%d = memref.reinterpret_cast %D to offset: [0], sizes: [16, 16], strides: [16, 1] : GM(?xf32) to \
GM(16x16xf32)
%true = arith.constant true
hivm.hir.nd2nz {dst_continuous} ins(%a : GM(16x16xf16)) outs(%l : L1(1x1x16x16xf16)) \
init_out_buffer = false
set MTE2 MTE1 0
hivm.hir.nd2nz {dst_continuous} ins(%a : GM(16x16xf16)) outs(%r : L1(1x1x16x16xf16)) \
init_out_buffer = false
set MTE2 MTE1 1
%none = arith.constant -1 : i64
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


def _without(text: str, *numbers: int) -> str:
    """The text with some lines blank, so that the numbers of the others stay."""
    kept = ["" if number in numbers else line for number, line in enumerate(text.splitlines(), 1)]
    return "\n".join(kept)


def _pair(tiny, helpers, vector: str, **options: object):
    a, b = torch.ones(64), torch.full((64,), torch.nan)
    tensors = [helpers.tensor(name, "float32", 64) for name in "AB"]
    return tiny.run(tensors, [a, b], vector=vector, **options), b


def _mix(tiny, helpers, *, cube: str = CUBE, vector: str = VECTOR, **options: object):
    a = torch.eye(16).half()
    d, e = torch.full((16, 16), torch.nan), torch.full((16, 16), torch.nan)
    tensors = [helpers.tensor("A", "float16", 16, 16)]
    tensors += [helpers.tensor(name, "float32", 16, 16) for name in "DE"]
    return tiny.run(tensors, [a, d, e], cube=cube, vector=vector, **options), d, e


def test_vector_add_has_no_race(vadd_launch, vadd_lines: str) -> None:
    result, c, total = vadd_launch(vadd_lines)
    assert result.findings == ()
    assert torch.equal(c, total)


def test_missing_flag_behind_a_load(vadd_launch, vadd_lines: str, helpers) -> None:
    result, c, _ = vadd_launch(_without(vadd_lines, 5, 6))
    assert helpers.codes(result) == ["TL521"]
    finding = result.findings[0]
    assert helpers.lines(finding) == [7, 4]
    assert (finding.agent, finding.pipe, finding.count) == ("aiv0", "V", 1)
    assert "vadd reads" in finding.diagnostic.what
    assert 'T.set_flag("PIPE_V", id) in T.rs("PIPE_MTE2")' in finding.diagnostic.fix
    assert torch.isnan(c).all(), "the loads land too late, so the result is poison"


def test_missing_wait_alone_is_the_same_single_finding(
    vadd_launch, vadd_lines: str, helpers
) -> None:
    result, _, _ = vadd_launch(_without(vadd_lines, 6))
    assert helpers.codes(result) == ["TL521"]


def test_missing_flag_in_front_of_a_store(vadd_launch, vadd_lines: str, helpers) -> None:
    result, _, _ = vadd_launch(_without(vadd_lines, 8, 9))
    assert helpers.codes(result) == ["TL521"]
    assert helpers.lines(result.findings[0]) == [10, 7]


def test_two_vector_ops_need_a_barrier(tiny, helpers) -> None:
    result, b = _pair(tiny, helpers, TWO_STEPS)
    assert result.findings == ()
    torch.testing.assert_close(b, torch.ones(64).exp())
    result, b = _pair(tiny, helpers, _without(TWO_STEPS, 6))
    assert helpers.codes(result) == ["TL521"]
    assert helpers.lines(result.findings[0]) == [7, 5]
    assert 'T.pipe_barrier("PIPE_V")' in result.findings[0].diagnostic.fix
    torch.testing.assert_close(b, torch.ones(64).exp())


@pytest.mark.parametrize(
    ("removed", "later", "earlier"),
    [
        pytest.param((3, 6, 12, 19), 7, 11, id="V frees what MTE2 loads"),
        pytest.param((4, 10, 17, 20), 11, 16, id="MTE3 frees what V writes"),
    ],
)
def test_flags_around_a_loop(
    tiny, helpers, removed: tuple[int, ...], later: int, earlier: int
) -> None:
    result, _ = _pair(tiny, helpers, REUSE)
    assert result.findings == ()
    result, _ = _pair(tiny, helpers, _without(REUSE, *removed))
    assert helpers.codes(result) == ["TL521"]
    found = result.findings[0]
    assert (helpers.lines(found), found.count) == ([later, earlier], 2)
    assert found.iteration == (1,)


def test_barrier_that_flags_already_imply_may_go(tiny, helpers) -> None:
    assert _pair(tiny, helpers, _without(REUSE, 15))[0].findings == ()


def test_two_stores_to_one_place_need_a_barrier(vadd_launch, vadd_lines: str, helpers) -> None:
    store = vadd_lines.splitlines()[-1]
    barrier = "hivm.hir.pipe_barrier[<PIPE_MTE3>]"
    assert vadd_launch("\n".join([vadd_lines, barrier, store]))[0].findings == ()
    result, _, _ = vadd_launch("\n".join([vadd_lines, "", store]))
    assert helpers.codes(result) == ["TL521"]
    assert helpers.lines(result.findings[0]) == [12, 10]
    assert "both write C" in result.findings[0].diagnostic.what


def test_cube_and_vector_cores_have_no_race(tiny, helpers) -> None:
    result, d, e = _mix(tiny, helpers)
    assert result.findings == ()
    assert torch.equal(d, torch.eye(16))
    torch.testing.assert_close(e, torch.eye(16).exp())


@pytest.mark.parametrize(
    ("flag", "other"),
    [pytest.param(8, 7, id="left operand"), pytest.param(10, 9, id="right operand")],
)
def test_product_waits_for_its_operands(tiny, helpers, flag: int, other: int) -> None:
    event = {8: "%c0, %c1", 10: "%c0, %c1"}[flag]
    left = {8: "%none, %c1", 10: "%c0, %none"}[flag]
    cube = _without(CUBE, flag).replace(f"sync_related_args({event}", f"sync_related_args({left}")
    result, _, _ = _mix(tiny, helpers, cube=cube)
    assert helpers.codes(result) == ["TL521"]
    assert result.findings[0].pipe == "MTE1"
    assert other in [label.span.line for label in result.findings[0].diagnostic.labels]


def test_drain_of_l0c_waits_for_the_product(tiny, helpers) -> None:
    result, _, _ = _mix(tiny, helpers, cube=_without(CUBE, 13, 14))
    assert helpers.codes(result) == ["TL521"]
    assert (result.findings[0].agent, result.findings[0].pipe) == ("aic", "FIX")


def test_missing_wait_between_cores(tiny, helpers) -> None:
    result, _, e = _mix(tiny, helpers, vector=_without(VECTOR, 2))
    assert helpers.codes(result) == ["TL522"]
    found = result.findings[0]
    assert (found.agent, found.count) == ("aiv0", 2), "both vector cores, one fault"
    assert "load of vector core 0 reads D while fixpipe of the cube core" in found.diagnostic.what
    assert found.diagnostic.fix.startswith(
        'write T.sync_block_wait(3) in T.rs("PIPE_MTE2") in front of line 3 in T.Scope("Vector")'
    )
    assert torch.isnan(e).all()


def test_cube_waits_for_both_vector_cores(tiny, helpers) -> None:
    cube = """%l = hivm.hir.pointer_cast(%c0) : L1(1x1x16x16xf32)
%a = memref.reinterpret_cast %A to offset: [0], sizes: [16, 16], strides: [16, 1] : GM(?xf32) to \
GM(16x16xf32)
hivm.hir.sync_block_wait[<CUBE>, <PIPE_S>, <PIPE_MTE2>] flag = 1
hivm.hir.nd2nz {dst_continuous} ins(%a : GM(16x16xf32)) outs(%l : L1(1x1x16x16xf32)) \
init_out_buffer = false"""
    vector = """%u = hivm.hir.pointer_cast(%c0) : UB(128xf32)
%one = arith.constant 1.0 : f32
hivm.hir.vbrc ins(%one : f32) outs(%u : UB(128xf32))
set V MTE3 0
wait V MTE3 0
%s = hivm.hir.get_sub_block_idx -> i64
%o = arith.muli %s, %c128 : i64
%x = arith.index_cast %o : i64 to index
%h = memref.subview %A1[%x] [128] [1] : GM(256xf32) to GM(128xf32, strided<[1], offset: ?>)
hivm.hir.store ins(%u : UB(128xf32)) outs(%h : GM(128xf32, strided<[1], offset: ?>))
hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = 1"""
    a = torch.zeros(16, 16)
    tensors = [helpers.tensor("A", "float32", 16, 16)]
    result = tiny.run(tensors, [a], cube=cube, vector=vector)
    assert result.findings == ()
    assert torch.equal(a, torch.ones(16, 16))
    result = tiny.run(tensors, [a], cube=_without(cube, 3), vector=_without(vector, 11))
    assert helpers.codes(result) == ["TL522"]


def test_scalar_wait_orders_everything_behind_it(tiny, helpers) -> None:
    vector = VECTOR.replace("<PIPE_S>, <PIPE_MTE2>] flag = 3", "<PIPE_FIX>, <PIPE_S>] flag = 3")
    result, _, e = _mix(tiny, helpers, vector=vector)
    assert result.findings == ()
    torch.testing.assert_close(e, torch.eye(16).exp())


def test_counter_holds_fifteen_raises(tiny, helpers) -> None:
    def launch(raises: int):
        cube = (
            CUBE
            + f"""
scf.for %k = %w1 to %w{raises} step %w1 : i32 {{
hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 3
}}"""
        )
        vector = (
            VECTOR
            + f"""
scf.for %k = %w1 to %w{raises} step %w1 : i32 {{
hivm.hir.sync_block_wait[<VECTOR>, <PIPE_S>, <PIPE_MTE2>] flag = 3
}}"""
        )
        return _mix(tiny, helpers, cube=cube, vector=vector)[0]

    assert launch(15).findings == ()
    result = launch(16)
    assert helpers.codes(result) == ["TL526"]
    assert "16 times" in result.findings[0].diagnostic.what
    assert "holds 15" in result.findings[0].diagnostic.why


def test_atomic_adds_of_two_cores_do_not_race(tiny, helpers) -> None:
    vector = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
%one = arith.constant 1.0 : f32
hivm.hir.vbrc ins(%one : f32) outs(%u : UB(64xf32))
set V MTE3 0
wait V MTE3 0
hivm.hir.store ins(%u : UB(64xf32)) outs(%A1 : GM(64xf32)) atomic = <add>"""
    cube = "hivm.hir.pipe_barrier[<PIPE_ALL>]"
    a = torch.zeros(64)
    tensors = [helpers.tensor("A", "float32", 64)]
    result = tiny.run(tensors, [a], cube=cube, vector=vector, blocks=3)
    assert result.findings == ()
    assert torch.equal(a, torch.full((64,), 6.0))
    plain = vector.replace(" atomic = <add>", "")
    result = tiny.run(tensors, [a], cube=cube, vector=plain)
    assert helpers.codes(result) == ["TL522"]
