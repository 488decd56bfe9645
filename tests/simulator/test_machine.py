"""Flags, queues and the order in which pipes run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tlcourse.simulator.core import Core, StepLimitError, Steps
from tlcourse.simulator.instruction import Instruction, Site
from tlcourse.simulator.machine import Code, Machine, Observer, Wait
from tlcourse.simulator.order import program_order

SITES = [
    Site(index=0, op="load", pipe="MTE2"),
    Site(index=1, op="add", pipe="V"),
    Site(index=2, op="set", pipe="MTE2"),
    Site(index=3, op="wait", pipe="V"),
    Site(index=4, op="stop", pipe="S"),
]


class Log(Observer):
    """Keeps what was executed."""

    def __init__(self) -> None:
        self.seen: list[Instruction] = []

    def executed(self, instruction: Instruction) -> None:
        self.seen.append(instruction)

    def names(self) -> list[str]:
        """The names of all work."""
        return [i.site.op for i in self.seen if i.site.index < 2]


def _machine(code: Callable[[Core], Code], seed: int = 0) -> tuple[Machine, Log]:
    log = Log()
    machine = Machine(sites=SITES, observers=[log], seed=seed)
    core = Core(
        machine,
        kind="vector",
        block=0,
        sub=0,
        blocks=1,
        subs=1,
        memories={},
        steps=Steps(100),
    )
    core.start(code(core))
    return machine, log


def _nothing() -> None:
    return None


def _free(core: Core) -> Code:
    core.issue(0, _nothing, (), ())
    core.issue(1, _nothing, (), ())
    yield None


def _flagged(core: Core) -> Code:
    core.issue(0, _nothing, (), ())
    core.set_flag(2, "V", 0)
    core.wait_flag(3, "MTE2", 0)
    core.issue(1, _nothing, (), ())
    yield None


def test_a_transfer_lands_as_late_as_it_may() -> None:
    machine, log = _machine(_free)
    assert machine.run()
    assert log.names() == ["add", "load"]


def test_a_flag_brings_it_forward() -> None:
    machine, log = _machine(_flagged)
    assert machine.run()
    assert log.names() == ["load", "add"]


def test_seeds_draw_both_orders_and_never_break_a_flag() -> None:
    orders: set[tuple[str, ...]] = set()
    for seed in range(1, 30):
        machine, log = _machine(_free, seed)
        assert machine.run()
        orders.add(tuple(log.names()))
        machine, log = _machine(_flagged, seed)
        assert machine.run()
        assert log.names() == ["load", "add"]
    assert orders == {("add", "load"), ("load", "add")}


def test_wait_in_front_of_its_set_is_legal_on_another_pipe() -> None:
    def code(core: Core) -> Code:
        core.wait_flag(3, "MTE2", 0)
        core.issue(1, _nothing, (), ())
        core.issue(0, _nothing, (), ())
        core.set_flag(2, "V", 0)
        yield None

    machine, log = _machine(code)
    assert machine.run()
    assert log.names() == ["load", "add"]


def test_barrier_all_drains_the_core() -> None:
    log_inside: list[str] = []

    def code(core: Core) -> Code:
        core.issue(0, lambda: log_inside.append("load"), (), ())
        wait: Wait = core.barrier_all(4)
        yield wait
        log_inside.append("behind")

    machine, _ = _machine(code)
    assert machine.run()
    assert log_inside == ["load", "behind"]


def test_blocked_machine_says_where() -> None:
    def code(core: Core) -> Code:
        core.wait_flag(3, "MTE2", 0)
        core.issue(1, _nothing, (), ())
        yield None

    machine, _ = _machine(code)
    assert not machine.run()
    assert [instruction.site.op for instruction in machine.blocked()] == ["wait"]


def test_steps_are_counted() -> None:
    steps = Steps(50)
    steps.take(3, 10, 0)
    steps.take(0, 10, 0)
    with pytest.raises(StepLimitError, match="turns 3 times, 10 steps each"):
        steps.take(3, 10, 7)


def test_program_order_follows_the_text_as_far_as_flags_allow() -> None:
    machine, log = _machine(_free)
    machine.run()
    assert [i.site.op for i in log.seen] == ["add", "load"]
    assert [i.site.op for i in program_order(log.seen, {})] == ["load", "add"]
