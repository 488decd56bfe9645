"""hivm-inject-sync: pairs over the linear list, hoisting, pruning, and barriers in place of ids."""

from __future__ import annotations

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tests.passes.npuir.test_hivm_graph_sync_solver import (
    ADD,
    EXP,
    LOAD_A,
    LOAD_B,
    MMAD,
    ND2NZ_A,
    STORE_C,
    UB,
    _events,
    _loop,
    _module,
)
from tests.pipeline.minicv import MODES, Kernel, check_numbers, count
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.hivm.sync import PipeBarrierOp, SetFlagOp, WaitFlagOp
from tlcourse.dialects.text import from_text, to_text
from tlcourse.passes.npuir.functions import device_functions
from tlcourse.passes.npuir.hivm_inject_sync import HivmInjectSyncPass
from tlcourse.passes.npuir.sync.build import build
from tlcourse.passes.npuir.sync.pairs import pairs
from tlcourse.passes.npuir.sync.redundant import needed
from tlcourse.pipeline import PassOptions


@pytest.fixture(params=MODES)
def kernel(request: pytest.FixtureRequest) -> Kernel:
    return Kernel(request.param)


def _parsed(*lines: str, core: str = "AIV") -> ModuleOp:
    return from_text(_module("\n    ".join(lines), core))


def _after(*lines: str, core: str = "AIV", **options) -> list[str]:
    module = _parsed(*lines, core=core)
    HivmInjectSyncPass(**options).apply(Context(), module)
    module.verify()
    return _events(to_text(module))


def _pipes(module: ModuleOp, *, pruned: bool) -> list[str]:
    found = pairs(build(next(iter(device_functions(module)))))
    chosen = needed(found) if pruned else found
    return [
        f"{sync.set_pipe[5:]} {sync.wait_pipe[5:]} {sync.distance}".removesuffix(" 0")
        for sync in chosen
    ]


def test_a_hazard_between_two_pipes_is_a_flag() -> None:
    events = _after(LOAD_A, EXP)
    assert events[:4] == ["load", "set MTE2 V 0", "wait MTE2 V 0", "vexp"]


def test_independent_ops_get_nothing() -> None:
    assert _pipes(_parsed(LOAD_A, LOAD_B), pruned=False) == []


def test_a_pair_that_two_others_imply_is_dropped() -> None:
    """load a -> exp, exp -> add, load a -> add: the third follows from the first two."""
    module = _parsed(LOAD_A, EXP, ADD)
    assert _pipes(module, pruned=False) == ["MTE2 V", "V V", "MTE2 V"]
    assert _pipes(module, pruned=True) == ["MTE2 V", "V V"]


def test_a_loop_carries_pairs_over_the_end_of_an_iteration() -> None:
    module = _parsed(_loop(LOAD_A, EXP))
    assert _pipes(module, pruned=True) == ["V MTE2 1", "MTE2 V"]
    events = _after(_loop(LOAD_A, EXP))
    assert events == [
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


def test_a_loop_of_one_iteration_carries_nothing() -> None:
    module = _parsed(_loop(LOAD_A, EXP, bound="one"))
    assert _pipes(module, pruned=True) == ["MTE2 V"]


def test_both_ends_are_hoisted_out_of_a_loop_that_holds_one() -> None:
    events = _after(LOAD_A, _loop(EXP))
    assert events[:4] == ["load", "set MTE2 V 0", "wait MTE2 V 0", "loop {"]


def test_a_double_buffer_is_met_again_after_two_iterations() -> None:
    both = f"%d = hivm.hir.pointer_cast(%a0, %a1) : {UB}"
    load, use = (line.replace("%a", "%d") for line in (LOAD_A, EXP))
    module = _parsed(_loop(both, load, use.replace("outs(%b", "outs(%c")))
    assert "V MTE2 2" in _pipes(module, pruned=True)


def test_two_sides_of_an_if_never_meet() -> None:
    branch = f"scf.if %cond {{\n{LOAD_A}\n}} else {{\n{EXP}\n}}"
    assert _pipes(_parsed(branch), pruned=False) == []


def test_nine_flags_at_once_leave_one_to_a_barrier() -> None:
    names = [f"%e{number}" for number in range(9)]
    buffers = [
        f"%k{n} = arith.constant {4096 + 512 * n} : i64\n"
        f"{name} = hivm.hir.pointer_cast(%k{n}) : {UB}"
        for n, name in enumerate(names)
    ]
    loads = [LOAD_A.replace("%a", name) for name in names]
    uses = [EXP.replace("%a", name) for name in reversed(names)]
    module = _parsed(*buffers, *loads, *uses)
    HivmInjectSyncPass().apply(Context(), module)
    events = [event for event in _events(to_text(module)) if event.startswith("set MTE2 V")]
    assert len(events) == len(set(events)) <= 8


def test_matrix_ops_hand_over_l0_by_two_flags() -> None:
    module = _parsed(ND2NZ_A, MMAD, core="AIC")
    HivmInjectSyncPass().apply(Context(), module)
    events = _events(to_text(module))
    assert [event for event in events if "M MTE1" in event] == [
        "set M MTE1 0",
        "set M MTE1 1",
        "wait M MTE1 0",
        "wait M MTE1 1",
    ]
    product = next(op for op in module.walk() if isinstance(op, MmadL1Op))
    assert len(product.sync_related_args) == 7


def test_barrier_all_stands_before_each_op() -> None:
    module = _parsed(LOAD_A, EXP, ADD, STORE_C)
    HivmInjectSyncPass(sync_mode="barrier-all").apply(Context(), module)
    assert count(module, PipeBarrierOp) == 5  # one more at the end of the kernel
    assert count(module, SetFlagOp, WaitFlagOp) == 0


def test_minicv_computes_the_same(kernel: Kernel) -> None:
    """As many flags as upstream's older pass: 24 in Developer mode, 22 in Expert mode."""
    done = kernel.compile(options=PassOptions(graph_sync_solver=False))
    check_numbers(kernel, done)
    newer = kernel.compile()
    flags = count(done.executable, SetFlagOp, WaitFlagOp)
    assert flags == {"Developer": 24, "Expert": 22}[kernel.mode]
    assert flags > count(newer.executable, SetFlagOp, WaitFlagOp)


@pytest.mark.usefixtures("bishengir_opt")
def test_as_many_flags_as_the_real_pass(kernel: Kernel) -> None:
    options = PassOptions(graph_sync_solver=False)
    ours = kernel.compile(options=options).executable
    real = kernel.compile(options=options, backend="bishengir").executable
    for kind in (SetFlagOp, WaitFlagOp, PipeBarrierOp):
        assert count(ours, kind) == count(real, kind)
