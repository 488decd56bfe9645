"""Blocks in flight: cores that issue, pipes that execute when somebody needs them.

There is no clock. A core runs its generated code and puts instructions into the queues of
its pipes. A pipe executes its queue only as far as somebody needs it: a wait for one of its
flags, a barrier, the end of the block. So a transfer lands as late as its flags allow, and a
forgotten wait shows as a wrong number. A seed other than 0 draws other legal orders.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from tlcourse.printing import Prints
from tlcourse.simulator.instruction import Instruction, Site
from tlcourse.simulator.sync import Flags, Mode, Token

if TYPE_CHECKING:
    from tlcourse.simulator.core import Core

# Consumers before producers: what is needed is fetched through flags, and nothing else is.
PIPES = ("S", "MTE3", "FIX", "V", "M", "MTE1", "MTE2")
# On the others two instructions in a row may overlap until a barrier or a flag parts them.
_IN_ORDER = ("S", "M", "FIX", "MTE1")

Wait = Instruction | None
Code = Generator[Wait, None, None]


class Observer:
    """Sees the instructions of a machine; checks and traces are observers."""

    def issued(self, instruction: Instruction) -> None:
        """An instruction was put into its queue."""

    def starting(self, instruction: Instruction) -> None:
        """An instruction is about to be executed."""

    def executed(self, instruction: Instruction) -> None:
        """An instruction was executed."""

    def finished(self, machine: Machine) -> None:
        """All cores of the machine came to their end."""


class Executed(Observer):
    """Keeps the instructions of a block in the order of their execution."""

    def __init__(self) -> None:
        self.order: list[Instruction] = []

    def executed(self, instruction: Instruction) -> None:
        self.order.append(instruction)


class Pipe:
    """An in-order queue of a core. `thread` numbers the pipes of a machine."""

    __slots__ = ("busy", "core", "in_order", "name", "queue", "thread")

    def __init__(self, name: str, core: Core, thread: int) -> None:
        self.name = name
        self.core = core
        self.thread = thread
        self.in_order = name in _IN_ORDER
        self.queue: deque[Instruction] = deque()
        self.busy = False


class Machine:
    """The cores of one block, or of all blocks where they wait for each other.

    Args:
        sites: the program's table of sites.
        observers: told of every instruction, in this order.
        seed: 0, or another order.
    """

    def __init__(self, *, sites: Sequence[Site], observers: Sequence[Observer], seed: int) -> None:
        self.sites = sites
        self._observers = observers
        # Most observers watch one of the two; each call that does nothing costs as much as one.
        self._at_issue = [o.issued for o in observers if type(o).issued is not Observer.issued]
        self._at_start = [
            o.starting for o in observers if type(o).starting is not Observer.starting
        ]
        self._at_end = [o.executed for o in observers if type(o).executed is not Observer.executed]
        self.flags = Flags()
        self.cores: list[Core] = []
        self.current: Instruction | None = None
        self.prints = Prints()
        self._random = random.Random(seed) if seed else None

    def run(self) -> bool:
        """Runs all cores to their end; False where nobody can go on."""
        while not all(core.is_finished for core in self.cores):
            if not any([self._run_core(core) for core in self._order_of(self.cores)]):
                return False
        if not self._drain():
            return False
        for observer in self._observers:
            observer.finished(self)
        return True

    def blocked(self) -> list[Instruction]:
        """The instructions at which scalar units and pipes stand still."""
        pipes = [pipe for core in self.cores for pipe in core.pipes.values() if pipe.queue]
        return [pipe.queue[0] for pipe in pipes]

    def push(self, instruction: Instruction) -> None:
        """Puts an instruction into its queue; the scalar unit executes what need not wait."""
        for watch in self._at_issue:
            watch(instruction)
        pipe = instruction.pipe
        pipe.queue.append(instruction)
        if pipe.name == "S" and not instruction.waits:
            self.advance(pipe, instruction)
        if self._random is not None:
            self._run_ahead(self._random)

    def advance(self, pipe: Pipe, until: Instruction) -> bool:
        """Executes a queue up to and including an instruction; False where it is held up."""
        if until.done:
            return True
        if pipe.busy:
            return False
        pipe.busy = True
        try:
            while not until.done:
                head = pipe.queue[0]
                if not all([self._produce(token) for token in head.waits]):
                    return False
                pipe.queue.popleft()
                self._execute(head)
        finally:
            pipe.busy = False
        return True

    def drain_order(self, core: Core) -> list[Pipe]:
        """The pipes of a core, the scalar unit left out, in the order of draining."""
        pipes = [core.pipes[name] for name in PIPES[1:]]
        if self._random is not None:
            self._random.shuffle(pipes)
        return pipes

    def partners(self, core: Core, mode: Mode) -> list[Core]:
        """The cores that a cross-core flag joins a core with."""
        if mode == "BLOCK":
            return [other for other in self.cores if other.kind == core.kind]
        group = [other for other in self.cores if other.block == core.block]
        if mode == "SUBBLOCK":
            return [other for other in group if other.kind == "vector"]
        return [other for other in group if other.kind != core.kind]

    def _order_of(self, cores: list[Core]) -> list[Core]:
        order = sorted(cores, key=lambda core: core.kind == "cube")
        if self._random is not None:
            self._random.shuffle(order)
        return order

    def _run_core(self, core: Core) -> bool:
        """Lets a core issue until it stands at a wait; False where it could not move."""
        moved = False
        while not core.is_finished:
            wait = core.standing
            if wait is not None and not self.advance(wait.pipe, wait):
                break
            core.resume()
            moved = True
        return moved

    def _drain(self) -> bool:
        pending = [
            pipe
            for core in self._order_of(self.cores)
            for pipe in self.drain_order(core)
            if pipe.queue
        ]
        while pending:
            left = [p for p in pending if p.queue and not self.advance(p, p.queue[-1])]
            if len(left) == len(pending):
                return False
            pending = left
        return True

    def _produce(self, token: Token) -> bool:
        setter = token.setter
        return setter is not None and (setter.done or self.advance(setter.pipe, setter))

    def _execute(self, instruction: Instruction) -> None:
        self.current = instruction
        for watch in self._at_start:
            watch(instruction)
        instruction.execute()
        instruction.done = True
        for watch in self._at_end:
            watch(instruction)

    def _run_ahead(self, draw: random.Random) -> None:
        """Executes a few heads of queues that are free to run: one of the legal orders."""
        for _ in range(draw.randrange(3)):
            core = draw.choice(self.cores)
            pipe = core.pipes[draw.choice(PIPES[1:])]
            if pipe.queue and not pipe.busy and all(t.is_set for t in pipe.queue[0].waits):
                self.advance(pipe, pipe.queue[0])
