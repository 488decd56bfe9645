"""The state of a core and of its pipes while a stream is timed."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from tlcourse.simulator.cycles.stream import Work


class PipeState:
    """A pipe: its queue, when it is free, and what it stood for.

    `queue` holds place, arrival and number of its last instruction for each entry; `free` is
    when it can start its next work, `drained` when all its results are there; `worked` is the
    place of the last work that was no flag.
    """

    __slots__ = (
        "_begun",
        "_depth",
        "_pushed",
        "behind",
        "blocks",
        "busy",
        "cause",
        "core",
        "drained",
        "free",
        "moving",
        "place",
        "queue",
        "worked",
    )

    def __init__(self, core: int, depth: int, start: int) -> None:
        self.core = core
        self.queue: deque[tuple[int, int, int]] = deque()
        self.free = start
        self.drained = start
        self.busy = 0
        self.worked = -1
        self.place = -1
        self.cause = ""
        self.behind = -1
        self.blocks = False
        self.moving = False
        self._depth = depth
        self._pushed = 0
        # Number of the last instruction, and start, of the entries that have begun.
        self._begun: deque[tuple[int, int]] = deque()

    def room(self, instructions: int) -> int | None:
        """When the queue has room for more; None where that is not known yet."""
        last_gone = self._pushed + min(instructions, self._depth) - self._depth
        if last_gone <= 0 or instructions == 0:
            return 0
        while self._begun and self._begun[0][0] < last_gone:
            self._begun.popleft()
        return self._begun[0][1] if self._begun else None

    def push(self, place: int, arrival: int, instructions: int) -> None:
        """Puts a work at the end of the queue."""
        self._pushed += min(instructions, self._depth)
        self.queue.append((place, arrival, self._pushed))

    def blame(self, start: int, cause: str, behind: int) -> None:
        """Moves the start of the next work and notes what did so."""
        if start > self.free:
            self.free, self.cause, self.behind = start, cause, behind

    def begin(self, place: int, number: int) -> None:
        """The work at the head leaves the queue."""
        self.place = place
        self._begun.append((number, self.free))

    def end_work(self, end: int, there: int) -> None:
        """The pipe is free again; the result is there a little later."""
        self.busy += end - self.free
        self.free = end
        self.drained = max(self.drained, there)


class CoreState:
    """A core: how far its scalar unit has come, and its pipes.

    `stands` is the pipe of a work that the scalar unit waits for.
    """

    __slots__ = ("_depth", "_start", "end", "next", "pipes", "place", "stands", "time", "works")

    def __init__(self, place: int, works: Sequence[Work], depth: int, start: int) -> None:
        self.place = place
        self.works = works
        self.next = 0
        self.time = start
        self.end = start
        self.stands: PipeState | None = None
        self.pipes: dict[str, PipeState] = {}
        self._depth = depth
        self._start = start

    @property
    def is_done(self) -> bool:
        """Whether it has issued everything and all of that has ended."""
        pipes = self.pipes.values()
        return self.next == len(self.works) and not any(p.queue or p.moving for p in pipes)

    def pipe(self, name: str) -> PipeState:
        """A pipe, made when it is first used."""
        found = self.pipes.get(name)
        if found is None:
            found = self.pipes[name] = PipeState(self.place, self._depth, self._start)
        return found
