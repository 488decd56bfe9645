"""The function as a tree of statements: accesses of pipes to memory, loops and branches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

# Pipes whose instructions complete in the order of issue; the others need a barrier.
IN_ORDER_PIPES = frozenset({"PIPE_S", "PIPE_M", "PIPE_FIX", "PIPE_MTE1"})
ALL = "PIPE_ALL"
EVERYWHERE = (0, 2**62)

Slot = Literal["", "a", "b", "c"]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Bytes that an access touches.

    Args:
        memory: the memory, or the GM buffer; bytes of two memories never meet.
        ranges: first byte and byte after the last, one pair per copy of the buffer.
        loop: the loop whose iteration chooses the copy, where there are several.
    """

    memory: str | SSAValue
    ranges: tuple[tuple[int, int], ...]
    loop: Loop | None = None


@dataclass(eq=False, kw_only=True)
class Access:
    """One op, or the part of a matrix op that runs on one pipe.

    Args:
        op: the op.
        pipe: its pipe.
        reads: what it reads.
        writes: what it writes.
        slot: part of a matrix op: L1 to L0A (`a`), L1 to L0B (`b`), multiplication (`c`).
    """

    op: Operation
    pipe: str
    reads: tuple[Place, ...]
    writes: tuple[Place, ...]
    slot: Slot = ""


@dataclass(eq=False, kw_only=True)
class Barrier:
    """A barrier that the kernel's author wrote."""

    op: Operation
    pipe: str


@dataclass(eq=False, kw_only=True)
class Body:
    """A straight line of statements: the function, a loop's body or a branch."""

    owner: Loop | Branch | None = None
    nodes: list[Node] = field(default_factory=lambda: list[Node]())

    def is_certain(self) -> bool:
        """Whether it runs whenever the statement around it runs."""
        if isinstance(self.owner, Loop):
            return self.owner.trips is not None and self.owner.trips > 0
        return self.owner is None


@dataclass(eq=False, kw_only=True)
class Loop:
    """A loop. `trips` is how often it runs, where that is known; `copies` the largest number
    of copies of a buffer that its iteration chooses between.
    """

    op: scf.ForOp
    trips: int | None
    copies: int = 1
    body: Body = field(default_factory=Body)

    @property
    def unroll(self) -> int:
        """Iterations that show every pair of accesses that can meet."""
        wanted = self.copies + 1
        return wanted if self.trips is None else min(wanted, self.trips)


@dataclass(eq=False, kw_only=True)
class Branch:
    """An if: one body per side."""

    op: scf.IfOp
    bodies: list[Body]


Node = Access | Barrier | Loop | Branch


@dataclass(frozen=True, kw_only=True)
class Sync:
    """A chosen order: what `source` did on one pipe is done before `target` starts on another.

    Args:
        set_pipe: the pipe of the earlier access.
        wait_pipe: the pipe of the later one; the same pipe means a barrier.
        source: the statement after which the flag is set.
        target: the statement before which it is waited for.
        body: where both stand.
        distance: iterations of `body`'s loop between the two; 0 within one iteration.
    """

    set_pipe: str
    wait_pipe: str
    source: Node
    target: Node
    body: Body
    distance: int = 0

    @property
    def is_barrier(self) -> bool:
        """Whether one pipe waits for itself."""
        return self.set_pipe == self.wait_pipe

    @property
    def loop(self) -> Loop:
        """The loop that carries the order."""
        assert isinstance(self.body.owner, Loop)
        return self.body.owner


def accesses_of(node: Node) -> Iterator[Access]:
    """The accesses in a statement, in program order."""
    match node:
        case Access():
            yield node
        case Loop():
            for inner in node.body.nodes:
                yield from accesses_of(inner)
        case Branch():
            for body in node.bodies:
                for inner in body.nodes:
                    yield from accesses_of(inner)
        case Barrier():
            return
