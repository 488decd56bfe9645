"""hivm-graph-sync-solver: where flags and barriers stand, one small function per rule."""

from __future__ import annotations

import re

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tlcourse.dialects.text import from_text, to_text
from tlcourse.passes.npuir.functions import device_functions
from tlcourse.passes.npuir.hivm_graph_sync_solver import HivmGraphSyncSolverPass
from tlcourse.passes.npuir.sync.build import build
from tlcourse.passes.npuir.sync.events import event_ids
from tlcourse.passes.npuir.sync.model import Access, Body, Loop, Sync
from tlcourse.passes.npuir.sync.trace import Trace, unrolled

GM = "memref<64xf32, #hivm.address_space<gm>>"
UB = "memref<64xf32, #hivm.address_space<ub>>"
L1 = "memref<1x1x16x16xf16, #hivm.address_space<cbuf>>"
CC = "memref<1x1x16x16xf32, #hivm.address_space<cc>>"

LOAD_A = f"hivm.hir.load ins(%g : {GM}) outs(%a : {UB})"
LOAD_B = f"hivm.hir.load ins(%g : {GM}) outs(%b : {UB})"
EXP = f"hivm.hir.vexp ins(%a : {UB}) outs(%b : {UB})"
ADD = f"hivm.hir.vadd ins(%a, %b : {UB}, {UB}) outs(%c : {UB})"
STORE_B = f"hivm.hir.store ins(%b : {UB}) outs(%h : {GM})"
STORE_C = f"hivm.hir.store ins(%c : {UB}) outs(%h : {GM})"
ND2NZ_A = f"hivm.hir.nd2nz {{dst_continuous}} ins(%g : {GM}) outs(%p : {L1})"
ND2NZ_B = f"hivm.hir.nd2nz {{dst_continuous}} ins(%h : {GM}) outs(%q : {L1})"
MMAD = (
    f"hivm.hir.mmadL1 ins(%p, %q, %cond, %x, %x, %x : {L1}, {L1}, i1, index, index, index) "
    f"outs(%r : {CC})"
)
FIX = f"hivm.hir.fixpipe ins(%r : {CC}) outs(%o : {GM})"


def _module(body: str, core: str = "AIV") -> str:
    return f"""module {{
  func.func @k(%g: {GM}, %h: {GM}, %o: {GM}, %n: i32, %cond: i1, %x: index)
      attributes {{hacc.function_kind = #hacc.function_kind<DEVICE>, hacc.entry,
      hivm.func_core_type = #hivm.func_core_type<{core}>}} {{
    %a0 = arith.constant 0 : i64
    %a1 = arith.constant 512 : i64
    %a2 = arith.constant 1024 : i64
    %z = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %four = arith.constant 4 : i32
    {_buffers(core)}
    {body}
    return
  }}
}}"""


def _buffers(core: str) -> str:
    if core == "AIV":
        names = (("a", "a0", UB), ("b", "a1", UB), ("c", "a2", UB))
    else:
        names = (("p", "a0", L1), ("q", "a1", L1), ("r", "a0", CC))
    return "\n    ".join(
        f"%{name} = hivm.hir.pointer_cast(%{address}) : {kind}" for name, address, kind in names
    )


def _loop(*lines: str, bound: str = "four") -> str:
    body = "\n      ".join(lines)
    return f"scf.for %i = %z to %{bound} step %one : i32 {{\n      {body}\n    }}"


def _events(text: str) -> list[str]:
    """The interesting lines, short: `load`, `set MTE2 V 0`, `loop {`, `}`."""
    found: list[str] = []
    for line in text.splitlines():
        line = line.strip()
        if match := re.match(
            r"hivm\.hir\.(set|wait)_flag\[<PIPE_(\w+)>, <PIPE_(\w+)>, (.*)\]", line
        ):
            found.append(" ".join((*match.groups()[:3], match[4].removeprefix("<EVENT_ID")[:1])))
        elif match := re.match(r"hivm\.hir\.pipe_barrier\[<PIPE_(\w+)>\]", line):
            found.append(f"barrier {match[1]}")
        elif match := re.match(r"hivm\.hir\.(load|store|vexp|vadd|nd2nz|mmadL1|fixpipe)", line):
            found.append(match[1])
        elif line.startswith("scf."):
            found.append("loop {" if "for" in line else "if {")
        elif line.startswith("}") and found and "{" in "".join(found):
            found.append("}")
    return found[: found.index("barrier ALL") + 1] if "barrier ALL" in found else found


def _solve(run_passes, *lines: str, core: str = "AIV") -> list[str]:
    body = "\n    ".join(lines)
    return _events(run_passes(_module(body, core), HivmGraphSyncSolverPass()))


def test_a_flag_between_pipes_that_share_bytes(run_passes) -> None:
    assert _solve(run_passes, LOAD_A, EXP, STORE_B) == [
        "load",
        "set MTE2 V 0",
        "wait MTE2 V 0",
        "vexp",
        "set V MTE3 0",
        "wait V MTE3 0",
        "store",
        "barrier ALL",
    ]


def test_no_flag_where_no_bytes_are_shared(run_passes) -> None:
    assert _solve(run_passes, LOAD_A, STORE_B) == ["load", "store", "barrier ALL"]


def test_reading_together_needs_no_order(run_passes) -> None:
    other = f"hivm.hir.vexp ins(%a : {UB}) outs(%c : {UB})"
    found = _solve(run_passes, EXP, other)
    assert found == ["vexp", "vexp", "barrier ALL"]


def test_one_flag_serves_two_loads(run_passes) -> None:
    """The flag after the second load says that the first is done too."""
    found = _solve(run_passes, LOAD_A, LOAD_B, ADD)
    assert found == ["load", "load", "set MTE2 V 0", "wait MTE2 V 0", "vadd", "barrier ALL"]


def test_a_pipe_that_overlaps_its_own_work_gets_a_barrier(run_passes) -> None:
    back = f"hivm.hir.vexp ins(%b : {UB}) outs(%c : {UB})"
    assert _solve(run_passes, EXP, back) == ["vexp", "barrier V", "vexp", "barrier ALL"]


def test_a_loop_gives_the_buffer_back(run_passes) -> None:
    assert _solve(run_passes, _loop(LOAD_A, EXP)) == [
        "set V MTE2 0",
        "loop {",
        "wait V MTE2 0",
        "load",
        "set MTE2 V 0",
        "wait MTE2 V 0",
        "vexp",
        "set V MTE2 0",
        "}",
        "wait V MTE2 0",
        "barrier ALL",
    ]


def test_flags_that_stand_in_an_if_are_lifted_out_of_it(run_passes) -> None:
    body = f"scf.if %cond {{\n      {EXP}\n    }}"
    assert _solve(run_passes, LOAD_A, body, STORE_B) == [
        "load",
        "set MTE2 V 0",
        "wait MTE2 V 0",
        "if {",
        "vexp",
        "}",
        "set V MTE3 0",
        "wait V MTE3 0",
        "store",
        "barrier ALL",
    ]


def test_what_an_if_may_skip_orders_nothing_outside(run_passes) -> None:
    """The load before must be done before the store after, also when the if is not taken."""
    read = f"hivm.hir.vexp ins(%a : {UB}) outs(%c : {UB})"
    store = f"hivm.hir.store ins(%a : {UB}) outs(%h : {GM})"
    inner = f"scf.if %cond {{\n      {read}\n      {STORE_C}\n    }}"
    assert "set MTE2 MTE3 0" in _solve(run_passes, LOAD_A, inner, store)


def test_a_loop_that_may_not_run_orders_nothing_outside(run_passes) -> None:
    inside = _loop(f"hivm.hir.vexp ins(%a : {UB}) outs(%b : {UB})", STORE_B, bound="n")
    store = f"hivm.hir.store ins(%a : {UB}) outs(%h : {GM})"
    assert "set MTE2 MTE3 0" in _solve(run_passes, LOAD_A, inside, store)
    certain = inside.replace("%n ", "%four ")
    assert "set MTE2 MTE3 0" not in _solve(run_passes, LOAD_A, certain, store)


def test_two_sides_of_an_if_exclude_each_other(run_passes) -> None:
    body = f"scf.if %cond {{\n{LOAD_A}\n}} else {{\n{EXP}\n}}"
    assert "set MTE2 V 0" not in _solve(run_passes, body)


def test_double_buffers_wait_for_the_iteration_before_the_last(run_passes) -> None:
    body = _loop(
        f"%d = hivm.hir.pointer_cast(%a0, %a1) : {UB}",
        f"hivm.hir.load ins(%g : {GM}) outs(%d : {UB})",
        f"hivm.hir.vexp ins(%d : {UB}) outs(%c : {UB})",
    )
    found = _solve(run_passes, body)
    assert found[:5] == ["set V MTE2 0", "set V MTE2 1", "loop {", "wait V MTE2 %", "load"]
    assert found[-4:] == ["}", "wait V MTE2 0", "wait V MTE2 1", "barrier ALL"]


def test_scalar_code_waits_and_holds_back_everything(run_passes) -> None:
    scalar = f"%s = memref.load %a[%x] : {UB}"
    found = _solve(run_passes, LOAD_A, scalar, EXP)
    assert found == ["load", "set MTE2 S 0", "wait MTE2 S 0", "vexp", "barrier ALL"]


def test_two_moves_to_one_gm_buffer_stay_in_order(run_passes) -> None:
    assert _solve(run_passes, STORE_B, STORE_C) == [
        "store",
        "barrier MTE3",
        "store",
        "barrier ALL",
    ]


def test_two_gm_arguments_are_two_buffers(run_passes) -> None:
    other = STORE_C.replace("%h", "%o")
    assert _solve(run_passes, STORE_B, other) == ["store", "store", "barrier ALL"]


def test_a_written_barrier_counts(run_passes) -> None:
    barrier = "hivm.hir.pipe_barrier[<PIPE_V>]"
    back = f"hivm.hir.vexp ins(%b : {UB}) outs(%c : {UB})"
    assert _solve(run_passes, EXP, barrier, back) == ["vexp", "barrier V", "vexp", "barrier ALL"]


def test_ids_of_written_flags_are_left_to_them(run_passes) -> None:
    own = "hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]"
    found = _solve(run_passes, LOAD_A, own, own.replace("set_", "wait_"), EXP)
    assert found.count("set MTE2 V 1") == 1
    assert found.count("set MTE2 V 0") == 1


def _matrix(run_passes, *lines: str) -> tuple[list[str], list[str]]:
    text = run_passes(_module("\n    ".join(lines), "AIC"), HivmGraphSyncSolverPass())
    arguments = re.search(r"sync_related_args\(([^:]*) :", text)
    assert arguments is not None
    known = dict(re.findall(r"(%\w+) = arith.constant (-?\d+) : i64", text))
    return _events(text), [known.get(a, a) for a in arguments[1].split(", ")]


def test_matrix_op_waits_for_its_tiles_by_argument(run_passes) -> None:
    found, arguments = _matrix(run_passes, ND2NZ_A, ND2NZ_B, MMAD, FIX)
    assert found == [
        "nd2nz",
        "set MTE2 MTE1 0",
        "nd2nz",
        "set MTE2 MTE1 1",
        "mmadL1",
        "set M FIX 0",
        "wait M FIX 0",
        "fixpipe",
        "barrier ALL",
    ]
    assert arguments == ["0", "1", "-1", "-1", "-1", "-1", "-1"]


def test_matrix_op_in_a_loop_gives_its_tiles_back_by_argument(run_passes) -> None:
    found, arguments = _matrix(run_passes, _loop(ND2NZ_A, ND2NZ_B, MMAD), FIX)
    assert arguments[:4] == ["0", "1", "0", "1"]
    assert arguments[4].startswith("%")
    assert found[:3] == ["set MTE1 MTE2 0", "set MTE1 MTE2 1", "loop {"]
    assert "set MTE1 MTE2 0" not in found[3:]
    assert found.count("wait MTE1 MTE2 0") == 2


def test_a_tile_loaded_before_the_loop_is_waited_for_once(run_passes) -> None:
    found, arguments = _matrix(run_passes, ND2NZ_A, _loop(ND2NZ_B, MMAD))
    assert arguments[0] == "-1"
    before = found[: found.index("loop {")]
    assert "set MTE2 MTE1 0" in before
    assert "wait MTE2 MTE1 0" in before


def test_more_flags_than_ids_become_barriers() -> None:
    """Nine flags that are up together between two pipes: the ninth is a barrier of all pipes."""
    sources = [_access("PIPE_V") for _ in range(9)]
    targets = [_access("PIPE_MTE3") for _ in range(9)]
    body = Body(nodes=[*sources, *targets])
    syncs = [
        Sync(set_pipe="PIPE_V", wait_pipe="PIPE_MTE3", source=s, target=t, body=body)
        for s, t in zip(sources, targets, strict=True)
    ]
    ids = event_ids(body, syncs, 8, {})
    assert sorted(i for i in ids.values() if i is not None) == list(range(8))
    assert list(ids.values()).count(None) == 1


def test_flags_one_after_the_other_share_an_id() -> None:
    nodes = [_access("PIPE_V"), _access("PIPE_MTE3"), _access("PIPE_V"), _access("PIPE_MTE3")]
    body = Body(nodes=list(nodes))
    syncs = [
        Sync(set_pipe="PIPE_V", wait_pipe="PIPE_MTE3", source=a, target=b, body=body)
        for a, b in ((nodes[0], nodes[1]), (nodes[2], nodes[3]))
    ]
    assert list(event_ids(body, syncs, 8, {}).values()) == [0, 0]


def _access(pipe: str) -> Access:
    return Access(op=ModuleOp([]), pipe=pipe, reads=(), writes=())


def test_the_unrolling_shows_every_pair_that_can_meet() -> None:
    assert Loop(op=None, trips=None).unroll == 2  # type: ignore[arg-type]
    assert Loop(op=None, trips=None, copies=2).unroll == 3  # type: ignore[arg-type]
    assert Loop(op=None, trips=1, copies=2).unroll == 1  # type: ignore[arg-type]


def _nest(depth: int) -> str:
    text = "\n".join([LOAD_A, LOAD_B, ADD, STORE_C])
    for number in range(depth):
        text = _loop(text).replace("%i =", f"%i{number} =")
    return _module(text)


def _traced(depth: int) -> Trace:
    module = from_text(_nest(depth))
    (function,) = device_functions(module)
    return unrolled(build(function))


def test_deep_nests_are_not_unrolled_in_full() -> None:
    """Four accesses: all their runs up to three loops, then as the cube of the depth at most."""
    runs = [len(_traced(depth).instances) // 4 for depth in (1, 2, 3, 4, 20)]
    assert runs == [2, 4, 8, 14, 382]


def test_a_deep_nest_gets_the_flags_of_a_shallow_one(run_passes) -> None:
    deep, shallow = (_events(run_passes(_nest(n), HivmGraphSyncSolverPass())) for n in (14, 3))
    flags = [[event for event in events if " " in event.strip("{ ")] for events in (deep, shallow)]
    # Each loop around it raises every flag once before and lowers it once after.
    assert set(flags[0]) >= set(flags[1])
    assert (
        deep[deep.index("load") - 2 : deep.index("store") + 2]
        == (shallow[shallow.index("load") - 2 : shallow.index("store") + 2])
    )


REAL = {
    "load, compute, store": ("AIV", (LOAD_A, EXP, STORE_B)),
    "two loads": ("AIV", (LOAD_A, LOAD_B, ADD, STORE_C)),
    "loop": ("AIV", (_loop(LOAD_A, LOAD_B, ADD, STORE_C),)),
    "branch in a loop": (
        "AIV",
        (_loop(LOAD_A, f"scf.if %cond {{\n{EXP}\n}}", STORE_B),),
    ),
    "matrix": ("AIC", (ND2NZ_A, ND2NZ_B, MMAD, FIX)),
    "matrix loop": ("AIC", (_loop(ND2NZ_A, ND2NZ_B, MMAD), FIX)),
}


@pytest.mark.bishengir
@pytest.mark.parametrize("case", REAL)
def test_the_real_pass_needs_as_many(run_passes, real_passes, case: str) -> None:
    core, lines = REAL[case]
    text = _module("\n    ".join(lines), core)
    ours = run_passes(text, HivmGraphSyncSolverPass())
    real = real_passes(text, "func.func(hivm-graph-sync-solver)")
    for word in ("set_flag", "wait_flag", "pipe_barrier"):
        assert ours.count(word) == real.count(word), word


def test_the_same_text_every_time() -> None:
    texts: set[str] = set()
    for _ in range(5):
        module = from_text(_module(_loop(LOAD_A, LOAD_B, ADD, STORE_C)))
        HivmGraphSyncSolverPass().apply(Context(), module)
        texts.add(to_text(module))
    assert len(texts) == 1
