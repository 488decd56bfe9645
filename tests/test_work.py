"""The limits of a launch: steps and blocks."""

from __future__ import annotations

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.records import Signature
from tlcourse.work import BLOCK_LIMIT, check_blocks, instruction_steps, limited_to, step_limit


def test_an_instruction_costs_its_start_and_its_elements() -> None:
    assert [instruction_steps(n) for n in (1, 999, 1000, 128 * 256)] == [100, 100, 101, 132]


@pytest.mark.parametrize(("text", "limit"), [("100", 100), (" 1_000_000 ", 10**6)])
def test_the_environment_sets_the_limit(
    text: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TLCOURSE_STEP_LIMIT", text)
    assert step_limit() == limit


def test_the_limit_is_a_hundred_million(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TLCOURSE_STEP_LIMIT", raising=False)
    assert step_limit() == 10**8


def test_a_limit_of_ones_own_holds_whatever_the_environment_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TLCOURSE_STEP_LIMIT", "many")
    with limited_to(7):
        assert step_limit() == 7
    with pytest.raises(TLError):
        step_limit()


@pytest.mark.parametrize("text", ["", "0", "-5", "1e9", "many"])
def test_no_number_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TLCOURSE_STEP_LIMIT", text)
    with pytest.raises(TLError) as caught:
        step_limit()
    assert caught.value.diagnostic.code == "TL424"


def test_a_grid_may_have_so_many_blocks_and_no_more() -> None:
    signature = Signature(kernel="k", mode="Expert", target="npuir", parameters=(), grid=("n", "2"))
    assert BLOCK_LIMIT == 65535
    check_blocks(65535, signature, {})
    with pytest.raises(TLError, match="asks for 65,536") as caught:
        check_blocks(65536, signature, {})
    diagnostic = caught.value.diagnostic
    assert diagnostic.code == "TL414"
    assert "at most 65,535" in diagnostic.why
    assert "larger tile" in diagnostic.fix
