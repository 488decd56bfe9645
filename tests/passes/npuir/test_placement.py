"""Placing blocks of memory."""

from __future__ import annotations

import random

import pytest

from tlcourse.passes.npuir.placement import (
    Block,
    Placement,
    alive_together,
    any_pipes,
    in_a_row,
    same_pipes,
    shared,
)


def _block(size: int, first: int, last: int, *, copies: int = 1, pipe: str = "V") -> Block:
    return Block(size_bytes=size, copies=copies, first=first, last=last, pipes=frozenset({pipe}))


def test_in_a_row_nothing_shares() -> None:
    found = in_a_row([_block(64, 0, 1), _block(32, 2, 3, copies=2), _block(32, 9, 9)])
    assert found == Placement(addresses=((0,), (64, 96), (128,)), peak_bytes=160)


def test_disjoint_lives_share() -> None:
    found = shared([_block(64, 0, 1), _block(64, 2, 3), _block(32, 1, 2)], any_pipes)
    assert found == Placement(addresses=((0,), (0,), (64,)), peak_bytes=96)


def test_other_pipes_share_only_when_they_may() -> None:
    blocks = [_block(64, 0, 1, pipe="MTE2"), _block(64, 2, 3), _block(64, 4, 5)]
    assert shared(blocks, same_pipes).peak_bytes == 128
    assert shared(blocks, any_pipes).peak_bytes == 64


def test_a_small_block_fills_a_gap() -> None:
    # 0-96 is taken by two, then the first ends: the third fits where it lay.
    blocks = [_block(64, 0, 1), _block(48, 0, 9), _block(32, 2, 3)]
    assert shared(blocks, any_pipes).addresses == ((0,), (64,), (0,))


def test_copies_of_one_block_never_share() -> None:
    found = shared([_block(64, 0, 1, copies=3)], any_pipes)
    assert sorted(found.addresses[0]) == [0, 64, 128]


def test_nothing_needs_nothing() -> None:
    assert shared([], any_pipes) == in_a_row([]) == Placement(addresses=(), peak_bytes=0)


@pytest.mark.parametrize("seed", range(50))
def test_random_blocks_never_overlap_while_alive(seed: int) -> None:
    """No two live blocks overlap; the peak lies between the largest live sum and the sum."""
    rng = random.Random(seed)
    blocks: list[Block] = []
    for _ in range(rng.randint(1, 12)):
        first = rng.randint(0, 20)
        blocks.append(
            _block(
                32 * rng.randint(1, 8),
                first,
                first + rng.randint(0, 8),
                copies=rng.randint(1, 2),
                pipe=rng.choice("VM"),
            )
        )
    for may_share in (same_pipes, any_pipes):
        found = shared(blocks, may_share)
        _check_disjoint(blocks, found)
        assert _fullest(blocks) <= found.peak_bytes <= in_a_row(blocks).peak_bytes
        assert found == shared(blocks, may_share)


def _check_disjoint(blocks: list[Block], found: Placement) -> None:
    places = [
        (block, address, address + block.size_bytes)
        for block, own in zip(blocks, found.addresses, strict=True)
        for address in own
    ]
    for i, (a, start, end) in enumerate(places):
        for b, other_start, other_end in places[:i]:
            if alive_together(a, b):
                assert end <= other_start or other_end <= start


def _fullest(blocks: list[Block]) -> int:
    return max(
        sum(b.size_bytes * b.copies for b in blocks if b.first <= position <= b.last)
        for position in range(30)
    )
