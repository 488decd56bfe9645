"""Numbers of many blocks: each lane is what the block's own number would be."""

from __future__ import annotations

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tlcourse.simulator import scalars
from tlcourse.simulator.lanes import LaneGroup, Lanes, plain, settled

BLOCKS = (3, 0, 7, 2**30, -5)
INTEGERS = st.integers(-(2**31), 2**31 - 1)


def group(blocks: tuple[int, ...] = BLOCKS) -> tuple[LaneGroup, Lanes]:
    made = LaneGroup(blocks)
    numbers = made.numbers()
    assert isinstance(numbers, Lanes)
    return made, numbers


def each(found: object) -> list[int]:
    return found.values.tolist() if isinstance(found, Lanes) else [found] * len(BLOCKS)


@pytest.mark.parametrize(
    "compute",
    [operator.add, operator.sub, operator.mul, operator.and_, operator.or_, operator.xor],
)
@given(other=INTEGERS)
def test_arithmetic(compute, other: int) -> None:
    made, numbers = group()
    assert each(compute(numbers, other)) == [compute(block, other) for block in BLOCKS]
    assert each(compute(other, numbers)) == [compute(other, block) for block in BLOCKS]
    assert each(compute(numbers, numbers)) == [compute(block, block) for block in BLOCKS]
    assert made.is_alike


@given(other=st.integers(1, 2**20))
def test_division_by_a_positive_number(other: int) -> None:
    made, numbers = group()
    assert each(numbers // other) == [block // other for block in BLOCKS]
    assert each(numbers % other) == [block % other for block in BLOCKS]
    for function in (scalars.div, scalars.rem, scalars.ceil_div):
        assert each(function(numbers, other)) == [function(block, other) for block in BLOCKS]
    assert made.is_alike


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_wrapping(bits: int) -> None:
    _, numbers = group()
    large = numbers * 12345
    for function in (scalars.wrap, scalars.unsigned):
        wanted = [function(block * 12345, bits) for block in BLOCKS]
        assert each(function(large, bits)) == wanted


def test_equal_lanes_are_a_plain_number() -> None:
    _, numbers = group((4, 5, 6, 7))
    assert type(numbers // 4) is int
    assert numbers // 4 == 1
    assert type(LaneGroup((2,)).numbers()) is int


def test_a_comparison_that_holds_for_all_is_known() -> None:
    made, numbers = group((1, 2, 3))
    assert numbers > 0
    assert not numbers >= 4
    assert numbers != 9
    assert min(8, numbers) is numbers
    assert made.is_alike


ALONE = {
    "an order that is not the same for all": lambda n: n < 2,
    "an equality": lambda n: n == 1,
    "the turns of a loop": lambda n: range(n),
    "a float": float,
    "a division by something that may be 0": lambda n: 7 // n,
    "a division by a negative number": lambda n: n // -2,
    "a shift": lambda n: n << 2,
    "a product beyond 64 bits": lambda n: n * 2**62,
    "a sum beyond 64 bits": lambda n: n + 2**62,
    "a product with a float": lambda n: n * 0.5,
}


@pytest.mark.parametrize("what", ALONE)
def test_what_each_block_must_do_alone(what: str) -> None:
    made, numbers = group((1, 2, 3))
    assert ALONE[what](numbers) == ALONE[what](1)
    assert not made.is_alike


def test_settled_and_plain() -> None:
    made, numbers = group((6, 7))
    assert plain(numbers) == 6
    assert made.is_alike
    assert settled(3) == 3
    assert settled(numbers) == 6
    assert not made.is_alike
