"""Flags inside a core: no race is left in a random program, and no flag is there for nothing.

The judge is the simulator: it runs the program in several legal orders and finds every two
instructions that touch the same bytes and could swap.
"""

from __future__ import annotations

import pytest
import torch
from hypothesis import Phase, assume, given, note, settings
from hypothesis import strategies as st
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tests.passes.npuir.random_programs import (
    Buffer,
    Loop,
    Program,
    Work,
    launched,
    ordered,
    programs,
    text_of,
)
from tlcourse.dialects.hivm.sync import PipeBarrierOp, SetFlagOp, WaitFlagOp
from tlcourse.passes.npuir.functions import DevicePass
from tlcourse.passes.npuir.hivm_graph_sync_solver import HivmGraphSyncSolverPass
from tlcourse.passes.npuir.hivm_inject_sync import HivmInjectSyncPass

SOLVERS = (HivmGraphSyncSolverPass, HivmInjectSyncPass)
RACE = "TL521"
# Each example runs a simulator: shrinking a failing one would take minutes.
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate)


def codes(program: Program, module: ModuleOp, seed: int = 0) -> list[str]:
    """The codes of what the simulator finds."""
    return [one.diagnostic.code for one in launched(program, module, seed)[0].findings]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("cube", [False, True], ids=["vector", "cube"])
@settings(deadline=None, max_examples=8, phases=_PHASES)
@given(data=st.data())
def test_no_race_is_left(solver: type[DevicePass], cube: bool, data: st.DataObject) -> None:
    program = data.draw(programs(cube=cube))
    note(text_of(program))
    module = ordered(program, solver())
    slow = launched(program, ordered(program, HivmInjectSyncPass(sync_mode="barrier-all")))
    assert slow[0].findings == ()
    found, tensors = launched(program, module, data.draw(st.integers(0, 3)))
    assert found.findings == ()
    assert all(map(torch.equal, tensors, slow[1]))


def test_a_barrier_that_another_pair_relies_on_stays() -> None:
    """The first `abs` of a turn is ordered behind that of the turn before by one barrier only."""
    body = (
        Work(kind="abs", picks=(2, 2, 0)),
        Work(kind="fill", picks=(0, 0, 0)),
        Work(kind="abs", picks=(3, 1, 0)),
    )
    inner = Buffer(space="UB", slots=(2,))
    loop = Loop(trips=5, buffers=(inner,), body=body)
    outer = tuple(Buffer(space="UB", slots=(slot,)) for slot in (1, 2, 0))
    program = Program(cube=False, buffers=outer, body=(loop,))
    assert codes(program, ordered(program, HivmInjectSyncPass())) == []


@pytest.mark.parametrize("cube", [False, True], ids=["vector", "cube"])
@settings(deadline=None, max_examples=12, phases=_PHASES)
@given(data=st.data())
def test_without_any_one_flag_of_a_straight_program_there_is_a_race(
    cube: bool, data: st.DataObject
) -> None:
    program = data.draw(programs(cube=cube, straight=True))
    module = ordered(program, HivmGraphSyncSolverPass())
    units = _units(module)
    assume(units)
    dropped = data.draw(st.integers(0, len(units) - 1))
    for op in units[dropped]:
        op.detach()
    note(str(module))
    found = codes(program, module)
    # The other half of a flag may be an argument of a matrix op, which stays: a deadlock then,
    # or a flag that nobody waits for.
    assert RACE in found if len(units[dropped]) > 1 or not cube else found


@pytest.mark.parametrize("cube", [False, True], ids=["vector", "cube"])
def test_without_all_flags_there_are_races(cube: bool) -> None:
    found: list[bool] = []

    @settings(deadline=None, max_examples=12, derandomize=True, phases=[Phase.generate])
    @given(program=programs(cube=cube))
    def look(program: Program) -> None:
        found.append(RACE in codes(program, ordered(program)))

    look()
    assert sum(found) >= len(found) / 2


def _units(module: ModuleOp) -> list[list[Operation]]:
    """Each barrier, and each raised flag with the wait for it."""
    units: list[list[Operation]] = []
    up: dict[tuple[str, str, object], list[Operation]] = {}
    for op in module.walk():
        if isinstance(op, PipeBarrierOp):
            units.append([op])
        if isinstance(op, SetFlagOp):
            unit: list[Operation] = [op]
            up[op.set_pipe.data, op.wait_pipe.data, op.event] = unit
            units.append(unit)
        if isinstance(op, WaitFlagOp):
            unit = up.pop((op.set_pipe.data, op.wait_pipe.data, op.event), [])
            units += [] if unit else [[op]]
            unit.append(op)
    # The barrier before the end lets the kernel drain; nothing follows that could race.
    return [unit for unit in units if not isinstance(unit[0].next_op, func.ReturnOp)]
