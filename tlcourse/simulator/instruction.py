"""What a pipe executes: an instruction reads and writes tiles, waits for flags, sets flags."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tlcourse.simulator.lanes import Lanes, plain
from tlcourse.simulator.tile import Tile

if TYPE_CHECKING:
    from tlcourse.simulator.core import Core
    from tlcourse.simulator.machine import Pipe
    from tlcourse.simulator.sync import Token

Operand = Tile | int | float | Lanes
Run = Callable[..., object]


@dataclass(frozen=True, kw_only=True)
class Site:
    """One op of the program: what all instructions made from it have in common.

    Args:
        index: place in the program's table of sites.
        op: name without the dialect, for example `nd2nz`.
        pipe: pipe that executes it, without `PIPE_`.
        kind: formula of the timing model: `vector`, `dma`, `nd2nz`, `mmad`, `fixpipe`; empty
            for flags, barriers and scalar code.
        cost_class: for `vector`, a class of `Timing.vector_cycles_per_repeat`.
        atomic: it adds to GM, in any order.
        arranges: it puts elements at other places, so extents may differ.
        span: index into `Program.spans`, or -1.
        flag: id that a set raises, -1 where it is not known before the run or not a set.
        wait_pipe: the pipe that a flag inside a core is raised for.
        between_cores: the set raises a cross-core flag.
        batch: how one statement computes many blocks: `tiles`, `matrices`, empty where it cannot.
    """

    index: int
    op: str
    pipe: str
    kind: str = ""
    cost_class: str = ""
    atomic: bool = False
    arranges: bool = False
    span: int = -1
    flag: int = -1
    wait_pipe: str = ""
    between_cores: bool = False
    batch: str = ""

    @classmethod
    def read(cls, index: int, data: Mapping[str, Any]) -> Site:
        """A row of `Program.options["sites"]`."""
        return cls(index=index, **data)


@dataclass(frozen=True, kw_only=True, slots=True)
class Factor:
    """What an operand of a matrix product is, once it lies in L0.

    Args:
        rows: rows of the stored matrix that count.
        columns: columns of it that count.
        sums_over: the dimension that the product sums over: 1 of a plain a, 0 of a plain b.
        gives_rows: its other dimension is the product's rows (a), else its columns (b).
    """

    rows: int
    columns: int
    sums_over: int
    gives_rows: bool


class Instruction:
    """One instruction in flight.

    Args:
        site: where it comes from.
        pipe: the pipe whose queue it stands in.
        turn: values of the loop variables around it.
        reads: tiles it reads.
        writes: tiles it writes.
        clobbers: scratch that it may overwrite.
        run: the statement; gets `operands`, then the destinations, as torch tensors.
        waits: tokens that must be set before it starts.
        sets: tokens that it sets when it and all before it on the pipe are complete.
        barrier: later work of the pipe starts when all earlier work is complete.
        factor: it carries this operand of a matrix product into L0.
    """

    __slots__ = (
        "after",
        "barrier",
        "clobbers",
        "done",
        "epoch",
        "factor",
        "operands",
        "order",
        "pipe",
        "reads",
        "run",
        "sets",
        "since",
        "site",
        "turn",
        "waits",
        "writes",
    )

    def __init__(
        self,
        site: Site,
        pipe: Pipe,
        turn: tuple[int, ...],
        *,
        reads: tuple[Tile, ...] = (),
        writes: tuple[Tile, ...] = (),
        clobbers: tuple[Tile, ...] = (),
        run: Run | None = None,
        operands: tuple[Operand, ...] = (),
        barrier: bool = False,
        factor: Factor | None = None,
    ) -> None:
        self.site = site
        self.pipe = pipe
        self.turn = turn
        self.reads = reads
        self.writes = writes
        self.clobbers = clobbers
        self.run = run
        self.operands = operands
        self.barrier = barrier
        self.factor = factor
        self.waits: tuple[Token, ...] = ()
        self.sets: tuple[Token, ...] = ()
        self.done = False
        self.epoch = 0
        self.after: Instruction | None = None
        self.since = 0
        self.order = 0

    @property
    def core(self) -> Core:
        """The core that issued it."""
        return self.pipe.core

    def execute(self) -> None:
        """Runs the statement on the memories as they are now."""
        if self.run is None:
            return
        values = [self._value(operand) for operand in self.operands]
        views = [tile.view() for tile in self.writes]
        self.run(*values, *views)
        for tile, view in zip(self.writes, views, strict=True):
            tile.keep(view)

    def _value(self, operand: Operand) -> Any:
        if not isinstance(operand, Tile):
            return plain(operand)
        view = operand.view()
        for target in self.writes:
            if operand.overlaps(target) and not operand.same_place(target):
                return view.clone()
        return view
