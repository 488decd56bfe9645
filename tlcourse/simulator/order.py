"""The instructions of a block as the program text has them, as far as its flags allow."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.sync import Token

Waits = Mapping[int, tuple[Token, ...]]
"""By the id of an instruction: what it waits for, where that is not what it says itself."""


class NoOrderError(Exception):
    """Nothing is left that could go on."""


def program_order(issued: Sequence[Instruction], waits: Waits) -> Iterator[Instruction]:
    """All instructions of a finished block, each after those that it waits for.

    Cube cores go first and as far as they can, then vector cores, each in the order of its
    own text; an instruction overtakes one that is held up only where no core can go on
    otherwise. Where nothing orders two cores, the producer is so the earlier one, mostly.

    Args:
        issued: the instructions.
        waits: other waits than the instructions' own.

    Raises:
        NoOrderError: with other waits there need not be an order.
    """
    ranked = sorted(issued, key=_rank)
    cores: dict[int, _Text] = {}
    for instruction in ranked:
        cores.setdefault(instruction.core.number, _Text()).add(instruction)
    seen: set[int] = set()
    while len(seen) < len(ranked):
        text = _first_free(cores.values(), seen, waits)
        head = text.front(seen) if text is not None else _overtaking(cores.values(), seen, waits)
        if head is None:
            raise NoOrderError
        text = cores[head.core.number]
        while head is not None:
            yield head
            seen.add(id(head))
            head = text.front(seen)
            if head is not None and not _is_free(head, seen, waits):
                break


def _rank(instruction: Instruction) -> tuple[bool, int, int]:
    core = instruction.pipe.core
    return core.kind != "cube", core.number, instruction.order


class _Text:
    """The instructions of one core, as they stand in its text and in its queues."""

    def __init__(self) -> None:
        self._all: list[Instruction] = []
        self._next = 0
        self._queues: dict[str, deque[Instruction]] = {}

    def add(self, instruction: Instruction) -> None:
        """Takes the next instruction of the text."""
        self._all.append(instruction)
        self._queues.setdefault(instruction.pipe.name, deque()).append(instruction)

    def front(self, seen: set[int]) -> Instruction | None:
        """The first instruction of the text that is left."""
        while self._next < len(self._all):
            found = self._all[self._next]
            if id(found) not in seen:
                return found
            self._next += 1
        return None

    def heads(self, seen: set[int]) -> Iterator[Instruction]:
        """The first instruction of each queue that is left."""
        for queue in self._queues.values():
            while queue and id(queue[0]) in seen:
                queue.popleft()
            if queue:
                yield queue[0]


def _first_free(texts: Iterable[_Text], seen: set[int], waits: Waits) -> _Text | None:
    """The first core whose front nothing holds up."""
    for text in texts:
        front = text.front(seen)
        if front is not None and _is_free(front, seen, waits):
            return text
    return None


def _overtaking(texts: Iterable[_Text], seen: set[int], waits: Waits) -> Instruction | None:
    """What may overtake a front that is held up."""
    ranked = sorted((head for text in texts for head in text.heads(seen)), key=_rank)
    return next((head for head in ranked if _is_free(head, seen, waits)), None)


def _is_free(instruction: Instruction, seen: set[int], waits: Waits) -> bool:
    before = instruction.after
    if before is not None and id(before) not in seen:
        return False
    tokens = waits.get(id(instruction), instruction.waits) if waits else instruction.waits
    for token in tokens:
        if id(token.setter) not in seen:
            return False
    return True
