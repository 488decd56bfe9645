"""Blocks like one without a fault: the same numbers and findings as one by one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import tilelang.language as T
import torch

from tlcourse.device import install, wrap
from tlcourse.examples.flash_attention import flash_attention
from tlcourse.examples.softmax import softmax
from tlcourse.jit import Kernel, compile
from tlcourse.simulator import session
from tlcourse.simulator.instruction import Instruction, Site
from tlcourse.simulator.memory import in_gm
from tlcourse.simulator.numbers import Order, in_order, order_of
from tlcourse.simulator.tile import Tile


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each block behind the first of a class: whether only its numbers were computed."""
    install()
    seen: list[bool] = []
    inner = session.Session._run_numbers

    def watched(self: session.Session, block: int, order: Order | None) -> bool:
        seen.append(inner(self, block, order))
        return seen[-1]

    monkeypatch.setattr(session.Session, "_run_numbers", watched)
    monkeypatch.setattr(session.Session, "_group_of", lambda *_: None)
    return seen


def ran(kernel: Kernel, *inputs: torch.Tensor, checks: Any = "class", **given: Any) -> Any:
    """The result, the findings in words with their counts, and the cycles."""
    out = torch.zeros_like(inputs[0])
    launch = kernel.launch(
        *map(wrap, (*inputs, out)), execution="simulator", checks=checks, **given
    )
    findings = [(f.diagnostic.code, f.diagnostic.what, f.count, f.block) for f in launch.findings]
    assert launch.timeline is not None
    return out, findings, launch.timeline.cycles


def numbers(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(0))


def test_cubes_and_vectors_give_what_they_give_one_by_one(quick: list[bool]) -> None:
    kernel = compile(flash_attention(2, 128, 64, 32, 32), mode="Developer")
    inputs = [numbers(2, 128, 64).half() for _ in range(3)]
    out, findings, cycles = ran(kernel, *inputs)
    assert quick == [True] * 7
    expected, none, same_cycles = ran(kernel, *inputs, checks="all")
    assert len(quick) == 7
    assert torch.equal(out, expected)
    assert (findings, cycles) == (none, same_cycles) == ([], cycles)


def test_another_order_of_the_pipes_runs_on_the_machine(quick: list[bool]) -> None:
    kernel = compile(softmax(32, 64), mode="Developer")
    x = numbers(32, 64)
    out, findings, _ = ran(kernel, x, seed=3)
    assert not any(quick)
    assert not findings
    torch.testing.assert_close(out, torch.softmax(x, -1))


def shifted(columns: int) -> Any:
    """Block b reads row 2 b: the last blocks leave the tensor, or two write one row."""

    @T.prim_func
    def shifted(X: T.Tensor((4, 64), "float32"), Y: T.Tensor((4, 64), "float32")):
        with T.Kernel(4, is_npu=True) as (cid, _):
            x = T.alloc_ub((1, 64), "float32")
            T.copy(X[cid * columns : cid * columns + 1, :], x)
            T.copy(x, Y[cid // 2 : cid // 2 + 1, :])

    return shifted


@pytest.mark.parametrize("step", [1, 2])
def test_faults_that_only_later_blocks_have_are_found(quick: list[bool], step: int) -> None:
    kernel = compile(shifted(step), mode="Expert")
    x = numbers(4, 64)
    _, findings, _ = ran(kernel, x)
    _, expected, _ = ran(kernel, x, checks="all")
    assert findings == expected
    assert findings
    assert True in quick
    assert (False in quick) == (step == 2)


def instruction(site: int, rows: int, *, pipe: str = "V") -> Instruction:
    core = SimpleNamespace(number=0)
    memory = in_gm("X", torch.zeros(4))
    tile = Tile(memory, "float32", 0, 0, (rows,), (1,))
    made = Instruction(
        Site(index=site, op="vexp", pipe=pipe),
        cast(Any, SimpleNamespace(name=pipe, core=core)),
        (),
        writes=(tile,),
        run=lambda view: view.fill_(1),
    )
    made.order = 1
    return made


def test_scalar_work_on_tiles_has_no_order_for_others() -> None:
    assert order_of([instruction(3, 4)]) == Order(keys=((0, 1),), sites=(3,))
    assert order_of([instruction(3, 4, pipe="S")]) is None


@pytest.mark.parametrize(
    ("noted", "alike"),
    [
        ({(0, 1): instruction(3, 4)}, True),
        ({(0, 1): instruction(2, 4)}, False),
        ({(0, 2): instruction(3, 4)}, False),
        ({(0, 1): instruction(3, 5)}, False),
        ({}, False),
    ],
)
def test_what_is_not_alike_is_left_to_the_machine(noted: Any, alike: bool) -> None:
    found = in_order(noted, Order(keys=((0, 1),), sites=(3,)))
    assert (found is not None) == alike
