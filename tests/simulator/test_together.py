"""Blocks that run together: the numbers and findings of blocks that run one by one, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
import tilelang.language as T
import torch
from hypothesis import HealthCheck, event, given, note, reject, settings

from tests.functional import random_kernels as kernels
from tests.functional import random_mixed as mixed
from tests.functional import random_products as products
from tests.functional.test_differential import read
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.diagnostics import TLError
from tlcourse.dialects.signature import signature
from tlcourse.examples.course import COURSE
from tlcourse.examples.flash_attention import flash_attention
from tlcourse.pipeline import compile_module
from tlcourse.records import Mode, Program
from tlcourse.simulator import session
from tlcourse.simulator.generate import generate
from tlcourse.simulator.params import Checks
from tlcourse.simulator.run import run

FEW = [HealthCheck.filter_too_much, HealthCheck.too_slow]
Found = tuple[list[torch.Tensor], list[tuple[str, str, int, int]], int]


def compiled(func: T.PrimFunc, mode: Mode) -> Program:
    try:
        done = compile_module(func.module, func.sources, mode=mode)
        launch = signature(done.tile, func.sources)
        return generate(done.executable, launch, func.sources, DEFAULT_CHIP)
    except TLError:
        reject()  # not every form of a random statement has a way through the compiler


def ran(program: Program, tensors: Sequence[torch.Tensor], checks: Checks = "class") -> Found:
    """Tensors behind a launch on copies, its findings in words, its cycles."""
    copies = [tensor.clone() for tensor in tensors]
    found = run(program, copies, symbols={}, checks=checks)
    words = [(f.diagnostic.code, f.diagnostic.what, f.count, f.block) for f in found.findings]
    return copies, words, found.timeline.cycles


@pytest.fixture(scope="module")
def counted() -> Callable[..., int]:
    """Compares three ways to run a program; gives back how many launches ran together."""

    def compare(program: Program, *tensors: torch.Tensor) -> int:
        together: list[bool] = []
        group = session.Session._run_group

        def watched(self: session.Session, *arguments: object) -> bool:
            together.append(group(self, *arguments))
            return together[-1]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(session.Session, "_run_group", watched)
            found = [ran(program, tensors, checks) for checks in ("class", "all", "off")]
            patch.setattr(session.Session, "_group_of", lambda *_: None)
            alone = [ran(program, tensors, checks) for checks in ("class", "all", "off")]
        for mine, wanted in zip(found, alone, strict=True):
            assert mine[1:] == wanted[1:]
            for one, other in zip(mine[0], wanted[0], strict=True):
                torch.testing.assert_close(one, other, rtol=0, atol=0, equal_nan=True)
        return sum(together)

    return compare


@pytest.mark.parametrize("kernel", COURSE, ids=lambda kernel: kernel.name)
def test_course_kernels(kernel, counted) -> None:
    counted(compiled(kernel.func, kernel.mode), *kernel.arguments()[0])


def test_attention_runs_together(counted) -> None:
    inputs = [torch.randn(2, 128, 64).half() for _ in range(3)]
    program = compiled(flash_attention(2, 128, 64, 32, 32), "Developer")
    assert counted(program, *inputs, torch.zeros_like(inputs[0])) == 3


@pytest.mark.parametrize("mode", ["Expert", "Developer"])
@settings(deadline=None, max_examples=8, suppress_health_check=FEW)
@given(case=kernels.cases())
def test_random_kernels(mode: Mode, case: kernels.Case, counted) -> None:
    whole = replace(case, rows=3 * case.tile[0])
    text = kernels.source(whole, mode)
    note(text)
    a, b = kernels.inputs(whole)
    outputs = [torch.zeros_like(tensor) for tensor in kernels.expected(whole, a, b)]
    event(f"{counted(compiled(read(text), mode), a, b, *outputs)} launches together")


@pytest.mark.parametrize("mode", ["Expert", "Developer"])
@settings(deadline=None, max_examples=5, suppress_health_check=FEW)
@given(case=products.products())
def test_random_products(mode: Mode, case: products.Product, counted) -> None:
    whole = replace(case, rows=3 * case.M)
    text = products.source(whole, mode)
    note(text)
    a, b = products.inputs(whole)
    outputs = [torch.zeros_like(tensor) for tensor in products.expected(whole, a, b)]
    event(f"{counted(compiled(read(text), mode), a, b, *outputs)} launches together")


@pytest.mark.parametrize("mode", ["Expert", "Developer"])
@settings(deadline=None, max_examples=5, suppress_health_check=FEW)
@given(case=mixed.mixed())
def test_random_kernels_of_both_kinds_of_core(mode: Mode, case: mixed.Mixed, counted) -> None:
    whole = replace(case, rows=3 * case.M)
    text = mixed.source(whole, mode)
    note(text)
    inputs = mixed.inputs(whole)
    found = torch.zeros_like(mixed.expected(whole, *inputs))
    tensors = (*inputs, found, *mixed.workspaces(whole, mode))
    event(f"{counted(compiled(read(text), mode), *tensors)} launches together")


@T.prim_func
def raised(X: T.Tensor((6, 64), "float32")):
    """Each block updates a row in place."""
    with T.Kernel(6, is_npu=True) as (cid, _):
        x = T.alloc_ub((1, 64), "float32")
        T.copy(X[cid : cid + 1, :], x)
        T.vadd(x, 1.0, x)
        T.copy(x, X[cid : cid + 1, :])


@T.prim_func
def summed(X: T.Tensor((6, 64), "float32"), Y: T.Tensor((1, 64), "float32")):
    """All blocks add to one row."""
    with T.Kernel(6, is_npu=True) as (cid, _):
        x = T.alloc_ub((1, 64), "float32")
        T.copy(X[cid : cid + 1, :], x)
        T.atomic_add(Y, x)


@T.prim_func
def woven(X: T.Tensor((6, 64), "float32"), Y: T.Tensor((6, 64), "float32")):
    """Rows in an order that no two loops over the blocks give."""
    with T.Kernel(6, is_npu=True) as (cid, _):
        x = T.alloc_ub((1, 64), "float32")
        row = cid * cid % 7 - cid * cid // 7 % 2
        T.copy(X[row : row + 1, :], x)
        T.vadd(x, 1.0, x)
        T.copy(x, Y[cid : cid + 1, :])


def rows() -> torch.Tensor:
    return torch.randn(6, 64, generator=torch.Generator().manual_seed(0))


def test_an_update_in_place_is_made_once(counted) -> None:
    program = compiled(raised, "Expert")
    assert counted(program, rows()) == 3
    assert torch.equal(ran(program, [rows()])[0][0], rows() + 1)


def test_blocks_that_add_to_one_place_go_alone(counted) -> None:
    program = compiled(summed, "Expert")
    assert counted(program, rows(), torch.zeros(1, 64)) == 0


def test_places_without_a_pattern(counted) -> None:
    program = compiled(woven, "Expert")
    assert counted(program, rows(), torch.zeros(6, 64)) == 3


def test_a_block_that_is_shown_runs_on_the_machine() -> None:
    program = compiled(raised, "Expert")
    found = [run(program, [rows()], symbols={}, replay=block).replay for block in (0, 4)]
    assert [len(one.steps) if one else 0 for one in found] == [found[0] and len(found[0].steps)] * 2


def test_too_many_steps_are_told_as_one_by_one(monkeypatch) -> None:
    program = compiled(flash_attention(2, 128, 64, 32, 32), "Developer")
    tensors = [torch.randn(2, 128, 64).half() for _ in range(4)]
    monkeypatch.setenv("TLCOURSE_STEP_LIMIT", "60000")
    _, words, _ = ran(program, tensors)
    monkeypatch.setattr(session.Session, "_group_of", lambda *_: None)
    assert words == ran(program, tensors)[1]
    assert [word[0] for word in words] == ["TL504"]


@T.prim_func
def first_rows_alike(X: T.Tensor((6, 64), "float32"), Y: T.Tensor((6, 64), "float32")):
    """The larger of two numbers is not the same one in all blocks."""
    with T.Kernel(6, is_npu=True) as (cid, _):
        x = T.alloc_ub((1, 64), "float32")
        row = T.max(cid, 3)
        T.copy(X[row : row + 1, :], x)
        T.copy(x, Y[cid : cid + 1, :])


def test_blocks_that_choose_each_for_itself_go_alone(counted) -> None:
    program = compiled(first_rows_alike, "Expert")
    assert counted(program, rows(), torch.zeros(6, 64)) == 0
    found = ran(program, [rows(), torch.zeros(6, 64)])[0][1]
    assert torch.equal(found, rows()[torch.tensor([3, 3, 3, 3, 4, 5])])
