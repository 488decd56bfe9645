"""The statements as they run, loops unrolled a few times: every access with its time.

Nested loops multiply their iterations, so deep nests are not unrolled in full. Two accesses
that meet lie in the first iteration of the loops around both; from there on the earlier one is
in the last iterations, the later one in the first ones. A run is kept where its iterations,
from outside in, change twice at most between first, last and one in the middle: that is every
run that can be one of two, and up to three nested loops every run there is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from tlcourse.passes.npuir.sync.model import Access, Barrier, Body, Branch, Loop, Node

Iterations = tuple[int, ...]  # of the loops around, outermost first
BodyRun = tuple[Body, Iterations]
_CHANGES = 2
_TICKS = 4  # between two accesses there is room for a set and, after it, a wait


@dataclass(frozen=True, kw_only=True, eq=False)
class Instance:
    """One run of an access.

    Args:
        access: what runs.
        time: when, in program order.
        path: the bodies around it from outside in, each with the iterations of its loops.
        statements: the statement of each of these bodies that it belongs to.
        iterations: iteration of each loop around it.
    """

    access: Access
    time: int
    path: tuple[BodyRun, ...]
    statements: tuple[Node, ...]
    iterations: dict[Loop, int]


@dataclass(eq=False)
class Trace:
    """All runs in program order.

    Args:
        instances: the runs.
        spans: first and last time of each statement in each run of its body.
        runs: the runs of each body.
        barriers: time, pipe and body of the barriers that the author wrote.
    """

    instances: list[Instance] = field(default_factory=lambda: list[Instance]())
    spans: dict[tuple[Node, Iterations], tuple[int, int]] = field(
        default_factory=lambda: dict[tuple[Node, Iterations], tuple[int, int]]()
    )
    runs: dict[Body, list[tuple[BodyRun, ...]]] = field(
        default_factory=lambda: dict[Body, list[tuple[BodyRun, ...]]]()
    )
    barriers: list[tuple[int, str, tuple[BodyRun, ...]]] = field(
        default_factory=lambda: list[tuple[int, str, tuple[BodyRun, ...]]]()
    )


def unrolled(body: Body) -> Trace:
    """Runs the statements of a function."""
    runner = _Runner()
    runner.run(body, (), (), (), {})
    return runner.trace


@dataclass
class _Runner:
    trace: Trace = field(default_factory=Trace)
    clock: int = 0

    def run(
        self,
        body: Body,
        path: tuple[BodyRun, ...],
        statements: tuple[Node, ...],
        iterations: Iterations,
        of_loops: dict[Loop, int],
    ) -> None:
        path = (*path, (body, iterations))
        self.trace.runs.setdefault(body, []).append(path)
        for node in body.nodes:
            start = self.clock + _TICKS
            self._step(node, path, (*statements, node), iterations, of_loops)
            self.trace.spans[node, iterations] = (start, max(start, self.clock))

    def _step(
        self,
        node: Node,
        path: tuple[BodyRun, ...],
        statements: tuple[Node, ...],
        iterations: Iterations,
        of_loops: dict[Loop, int],
    ) -> None:
        match node:
            case Access():
                self.clock += _TICKS
                self.trace.instances.append(
                    Instance(
                        access=node,
                        time=self.clock,
                        path=path,
                        statements=statements,
                        iterations=of_loops,
                    )
                )
            case Barrier():
                self.clock += _TICKS
                self.trace.barriers.append((self.clock, node.pipe, path))
            case Branch():
                for side in node.bodies:
                    self.run(side, path, statements, iterations, of_loops)
            case Loop():
                for number in range(node.unroll):
                    inside = {**of_loops, node: number}
                    if _changes(inside) <= _CHANGES:
                        self.run(node.body, path, statements, (*iterations, number), inside)


def _changes(iterations: dict[Loop, int]) -> int:
    """How often the iterations change between first, last and one in the middle."""
    places = [_place(loop, number) for loop, number in iterations.items() if loop.unroll > 1]
    return sum(a != b for a, b in pairwise(places))


def _place(loop: Loop, number: int) -> int:
    return -1 if number == loop.unroll - 1 else number
