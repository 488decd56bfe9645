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
    cores: dict[int, dict[str, deque[Instruction]]] = {}
    ranked = sorted(issued, key=lambda i: (i.core.kind != "cube", i.core.number, i.order))
    for instruction in ranked:
        pipes = cores.setdefault(instruction.core.number, {})
        pipes.setdefault(instruction.pipe.name, deque()).append(instruction)
    seen: set[int] = set()
    left = len(ranked)
    while left:
        head = _first_free(cores.values(), seen, waits)
        if head is None:
            raise NoOrderError
        yield head
        while True:
            cores[head.core.number][head.pipe.name].popleft()
            seen.add(id(head))
            left -= 1
            following = _front(cores[head.core.number])
            if following is None or not _is_free(following, seen, waits):
                break
            head = following
            yield head


def _first_free(
    cores: Iterable[Mapping[str, deque[Instruction]]], seen: set[int], waits: Waits
) -> Instruction | None:
    """The first core's front, in its text, that nothing holds up; else what may overtake it."""
    fronts = [front for pipes in cores if (front := _front(pipes)) is not None]
    free = next((front for front in fronts if _is_free(front, seen, waits)), None)
    if free is not None:
        return free
    heads = [queue[0] for pipes in cores for queue in pipes.values() if queue]
    ranked = sorted(
        heads, key=lambda head: (head.core.kind != "cube", head.core.number, head.order)
    )
    return next((head for head in ranked if _is_free(head, seen, waits)), None)


def _front(pipes: Mapping[str, deque[Instruction]]) -> Instruction | None:
    """The first instruction of a core, in its text, that is left."""
    heads = [queue[0] for queue in pipes.values() if queue]
    return min(heads, key=lambda instruction: instruction.order, default=None)


def _is_free(instruction: Instruction, seen: set[int], waits: Waits) -> bool:
    before = instruction.after
    if before is not None and id(before) not in seen:
        return False
    tokens = waits.get(id(instruction), instruction.waits) if waits else instruction.waits
    return all(id(token.setter) in seen for token in tokens)
