"""Placing blocks of memory: which addresses, when some may share and some may not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Block:
    """What is to be placed.

    Args:
        size_bytes: bytes of one copy, a multiple of the memory's granule.
        copies: copies that are alive together, each with an address of its own.
        first: position of the first use.
        last: position of the last use.
        pipes: pipes that touch it.
    """

    size_bytes: int
    copies: int
    first: int
    last: int
    pipes: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Addresses, one tuple per block with one address per copy, and the bytes used."""

    addresses: tuple[tuple[int, ...], ...]
    peak_bytes: int


def in_a_row(blocks: Sequence[Block]) -> Placement:
    """One after the other in program order: nothing shares, so nothing waits."""
    top = 0
    addresses: list[tuple[int, ...]] = []
    for block in blocks:
        addresses.append(tuple(top + copy * block.size_bytes for copy in range(block.copies)))
        top += block.copies * block.size_bytes
    return Placement(addresses=tuple(addresses), peak_bytes=top)


def shared(blocks: Sequence[Block], may_share: Callable[[Block, Block], bool]) -> Placement:
    """Large blocks first, each at the lowest address that no conflicting block covers.

    Args:
        blocks: what to place.
        may_share: whether two blocks that are never alive together may overlap.
    """
    order = sorted(range(len(blocks)), key=lambda i: (-blocks[i].size_bytes, blocks[i].first, i))
    placed: list[tuple[Block, int]] = []
    addresses: dict[int, tuple[int, ...]] = {}
    for index in order:
        block = blocks[index]
        own: list[int] = []
        for _ in range(block.copies):
            address = _lowest(block, placed, may_share)
            placed.append((block, address))
            own.append(address)
        addresses[index] = tuple(own)
    peak = max((address + block.size_bytes for block, address in placed), default=0)
    return Placement(
        addresses=tuple(addresses[index] for index in range(len(blocks))), peak_bytes=peak
    )


def alive_together(a: Block, b: Block) -> bool:
    """Whether two blocks are alive at some position both."""
    return a.first <= b.last and b.first <= a.last


def same_pipes(a: Block, b: Block) -> bool:
    """Sharing between blocks of the same pipes makes no pipe wait for another."""
    return a.pipes == b.pipes


def any_pipes(a: Block, b: Block) -> bool:
    """Sharing between any two blocks."""
    return True


def _lowest(
    block: Block,
    placed: Sequence[tuple[Block, int]],
    may_share: Callable[[Block, Block], bool],
) -> int:
    taken = sorted(
        (address, address + other.size_bytes)
        for other, address in placed
        if other is block or alive_together(block, other) or not may_share(block, other)
    )
    address = 0
    for start, end in taken:
        if address + block.size_bytes <= start:
            break
        address = max(address, end)
    return address
