"""The chain of passes with a fault: where its numbers go wrong, and what the text shows there."""

from __future__ import annotations

import pytest

from tlcourse.examples.broken_chain import NAMES, error_after, guilty, spoilt, text_after


@pytest.mark.parametrize("count", range(len(NAMES) + 1))
def test_numbers_are_wrong_from_the_guilty_pass_on(count: int) -> None:
    assert (error_after(count) > 0) == (count >= 4)


def test_guilty_pass_and_spoilt_op() -> None:
    assert (guilty(), spoilt()) == ("OrderOperands", "tl.vsub")


def test_the_last_pass_and_the_first_one_to_touch_the_op_are_decoys() -> None:
    texts = [text_after(count) for count in range(len(NAMES) + 1)]
    changed = [name for n, name in enumerate(NAMES, 1) if texts[n] != texts[n - 1]]
    assert len(changed) == 5
    assert changed[-1] == "RemoveNoOp"
    assert [name for n, name in enumerate(NAMES) if "tl.vsub" not in texts[n]][-1] == NAMES[1]


def test_three_ops_are_turned() -> None:
    before, after = (text_after(count).splitlines() for count in (3, 4))
    turned = [one.split()[0] for one, other in zip(before, after, strict=True) if one != other]
    assert turned == ["tl.vsub", "tl.vmax", "tl.vadd"]
