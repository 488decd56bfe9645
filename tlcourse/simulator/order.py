"""The instructions of a block as the program text has them, as far as its flags allow."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from tlcourse.simulator.instruction import Instruction


def program_order(issued: Sequence[Instruction]) -> Iterator[Instruction]:
    """All instructions of a finished block, each after those that it waits for.

    Cube cores go first and as far as they can, then vector cores, each in the order of its
    own text. Where nothing orders two cores, the producer is so the earlier one, mostly.
    """
    cores: dict[int, dict[str, deque[Instruction]]] = {}
    ranked = sorted(issued, key=lambda i: (i.core.kind != "cube", i.core.number, i.order))
    for instruction in ranked:
        pipes = cores.setdefault(instruction.core.number, {})
        pipes.setdefault(instruction.pipe.name, deque()).append(instruction)
    seen: set[int] = set()
    left = len(ranked)
    while left:
        before = left
        for pipes in cores.values():
            while (head := _next(pipes, seen)) is not None:
                pipes[head.pipe.name].popleft()
                seen.add(id(head))
                left -= 1
                yield head
        assert left < before, "a finished block has an order"


def _next(pipes: dict[str, deque[Instruction]], seen: set[int]) -> Instruction | None:
    """The first instruction of a core, in its text, that nothing holds up."""
    heads = [queue[0] for queue in pipes.values() if queue and _is_free(queue[0], seen)]
    return min(heads, key=lambda instruction: instruction.order, default=None)


def _is_free(instruction: Instruction, seen: set[int]) -> bool:
    before = instruction.after
    if before is not None and id(before) not in seen:
        return False
    return all(id(token.setter) in seen for token in instruction.waits)
