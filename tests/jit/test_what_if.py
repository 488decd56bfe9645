"""A kernel with a change, launched: the fault that the change makes is found."""

from __future__ import annotations

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.examples.minicv import minicv_expert
from tlcourse.jit import Kernel, compile
from tlcourse.jit.effect import effect
from tlcourse.widgets.show import show_deadlock


@pytest.fixture
def kernel() -> Kernel:
    func = minicv_expert(64, 128, 128, block_M=64, block_N=128, block_K=64)
    return compile(func, mode="Expert")


def number(kernel: Kernel, text: str) -> int:
    return next(line.number for line in kernel.instructions() if line.text == text)


def codes(kernel: Kernel, changed: Kernel) -> list[str]:
    return [finding.diagnostic.code for finding in effect(kernel, changed).findings]


def test_a_wait_less_is_a_race(kernel: Kernel) -> None:
    changed = kernel.what_if(remove=number(kernel, "wait_flag M to FIX, flag 0"))
    found = effect(kernel, changed)
    assert [finding.diagnostic.code for finding in found.findings] == ["TL521"]
    assert found.findings[0].pipe == "FIX"
    assert found.differing > 0
    assert found.elements == 2 * 64 * 128


def test_a_set_less_is_a_deadlock(kernel: Kernel) -> None:
    changed = kernel.what_if(remove=number(kernel, "set_flag M to FIX, flag 0"))
    assert codes(kernel, changed) == ["TL502"]


def test_a_smaller_buffer_is_written_while_it_is_read(kernel: Kernel) -> None:
    """The second copy of A then lies in the first one, which the product still reads."""
    changed = kernel.what_if(shrink={"A_l1[0]": 4096})
    orders = [effect(kernel, changed, seed=seed) for seed in range(6)]
    found = [[finding.diagnostic.code for finding in one.findings] for one in orders]
    assert found == [["TL521"]] * 6
    # Loads are as late as their flags allow in order 0, which hides this fault; not in all.
    assert orders[0].differing == 0
    assert any(one.differing for one in orders)


def test_no_change_no_difference(kernel: Kernel) -> None:
    found = effect(kernel, kernel.what_if())
    assert (found.findings, found.differing) == ((), 0)
    assert found.cycles == found.changed_cycles


def test_the_kernel_itself_stays_as_it_is(kernel: Kernel) -> None:
    text = kernel.get_kernel_source()
    kernel.what_if(remove=number(kernel, "wait_flag M to FIX, flag 0"))
    assert kernel.get_kernel_source() == text


def test_changes_are_for_the_simulator(kernel: Kernel) -> None:
    changed = kernel.what_if(remove=number(kernel, "wait_flag M to FIX, flag 0"))
    with pytest.raises(TLError, match="simulator only") as caught:
        changed.program("functional")
    assert caught.value.code == "TL340"
    with pytest.raises(TLError, match="no instruction 99"):
        kernel.what_if(remove=99)


def test_a_deadlock_has_its_graph(kernel: Kernel) -> None:
    """M never raises for FIX, and the vector cores wait for the cube core."""
    changed = kernel.what_if(remove=number(kernel, "set_flag M to FIX, flag 0"))
    (finding,) = effect(kernel, changed).findings
    roots = [wait for wait in finding.waits if wait.is_root]
    assert [(wait.waiter, wait.setter) for wait in roots] == [("aic FIX", "aic program")]
    edges = {wait.waiter: wait.setter for wait in finding.waits}
    assert edges["aiv0 MTE2"] == edges["aiv1 MTE2"] == "aic FIX"
    assert edges["aiv0 V"] == "aiv0 MTE2"
    assert repr(show_deadlock(changed)).startswith("DeadlockView(")
    effect(kernel, kernel)
    with pytest.raises(TLError, match="no deadlock to show") as caught:
        show_deadlock(kernel)
    assert caught.value.code == "TL734"
