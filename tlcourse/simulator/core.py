"""A core as generated code sees it: buffers, loops, instructions, flags, barriers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

import torch

from tlcourse.simulator.instruction import Factor, Instruction, Operand, Run
from tlcourse.simulator.lanes import LaneGroup, Lanes, settled
from tlcourse.simulator.machine import PIPES, Code, Machine, Pipe, Wait
from tlcourse.simulator.memory import Memory
from tlcourse.simulator.parts import cell, factors, fill, fractals, hold, is_in_memory
from tlcourse.simulator.sync import FlagKey, Mode, Token
from tlcourse.simulator.tile import Tile

Kind = Literal["cube", "vector"]


class StepLimitError(Exception):
    """A launch takes too many steps; `span` is the loop that goes over the limit, -1 the grid."""

    def __init__(self, span: int, what: str) -> None:
        super().__init__(what)
        self.span = span
        self.what = what


class Steps:
    """Counts the steps of a launch, see `tlcourse.work`."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.left = limit

    def take(self, turns: int, cost: int, span: int) -> None:
        """Counts the turns of a loop before it starts."""
        self.left -= turns * cost
        if self.left < 0:
            raise StepLimitError(span, f"this loop turns {turns:,} times, {cost:,} steps each")

    def take_others(self, blocks: int, cost: int) -> bool:
        """Counts what other blocks do as one did; False where that is too many."""
        if self.left < blocks * cost:
            return False
        self.left -= blocks * cost
        return True

    def take_blocks(self, blocks: int, cost: int) -> None:
        """Counts what all blocks do outside loops."""
        self.left -= blocks * cost
        if self.left < 0:
            raise StepLimitError(-1, f"the grid has {blocks:,} blocks of {cost:,} steps or more")


class Core:
    """One core of a block.

    Args:
        machine: where its instructions run.
        kind: cube or vector.
        block: logical block.
        sub: which vector core of the group, 0 on a cube core.
        blocks: number of logical blocks.
        subs: number of vector cores in the group.
        memories: its on-chip memories by address space.
        steps: counter of steps.
    """

    def __init__(
        self,
        machine: Machine,
        *,
        kind: Kind,
        block: int,
        sub: int,
        blocks: int,
        subs: int,
        memories: Mapping[str, Memory],
        steps: Steps,
    ) -> None:
        self.machine = machine
        self.kind: Kind = kind
        self.block = block
        # As the generated code sees it: the numbers of all blocks that run together.
        self.block_id: int | Lanes = block
        self.group: LaneGroup | None = None
        self.sub = sub
        self.blocks = blocks
        self.subs = subs
        self.memories = memories
        self.number = len(machine.cores)
        self.name = "aic" if kind == "cube" else f"aiv{sub}"
        first = self.number * len(PIPES)
        self.pipes = {name: Pipe(name, self, first + i) for i, name in enumerate(PIPES)}
        self.scalar = self.pipes["S"]
        self.turn: tuple[int, ...] = ()
        self.is_finished = False
        self.standing: Instruction | None = None
        self.last_scalar: Instruction | None = None
        self.since = 0
        self._issued = 0
        self._steps = steps
        self._code: Code | None = None
        machine.cores.append(self)

    def stand_for(self, group: LaneGroup) -> None:
        """Runs the first block of a group, and knows what follows for the others."""
        self.group, self.block_id = group, group.numbers()

    def start(self, code: Code) -> None:
        """Gives the core its program."""
        self._code = code

    def resume(self) -> None:
        """Runs the program to its next wait or to its end."""
        assert self._code is not None
        if self.standing is not None:
            self.last_scalar, self.since = self.standing, 0
        try:
            self.standing = next(self._code)
        except StopIteration:
            self.standing = None
            self.is_finished = True

    def buffer(
        self,
        name: str,
        space: str,
        address: int,
        dtype: str,
        sizes: tuple[int, ...],
        strides: tuple[int, ...],
    ) -> Tile:
        """A planned buffer at a byte address of an on-chip memory."""
        tiles = self.memories[space].buffers
        key = (name, address, dtype, sizes, strides)
        tile = tiles.get(key)
        if tile is None:
            address = settled(address)
            sizes, strides = tuple(map(settled, sizes)), tuple(map(settled, strides))
            tile = tiles[key] = Tile(self.memories[space], dtype, address, 0, sizes, strides, name)
        return tile

    def loop(self, lower: int, upper: int, step: int, span: int, cost: int) -> range:
        """The turns of a loop; `cost` is what one turn takes of the step limit."""
        turns = range(lower, upper, step)
        self._steps.take(len(turns), cost, span)
        return turns

    def issue(
        self,
        site: int,
        run: Run,
        operands: tuple[Operand, ...],
        writes: tuple[Tile, ...],
        clobbers: tuple[Tile, ...] = (),
        accumulates: bool = False,
    ) -> None:
        """Puts an instruction into the queue of its pipe."""
        row = self.machine.sites[site]
        reads = tuple(operand for operand in operands if isinstance(operand, Tile))
        self._push(
            Instruction(
                row,
                self.pipes[row.pipe],
                self.turn,
                reads=(*reads, *writes) if accumulates else reads,
                writes=writes,
                clobbers=clobbers,
                run=run,
                operands=operands,
            )
        )

    def matmul(
        self,
        stage: int,
        site: int,
        run: Run,
        operands: tuple[Tile, Tile, int, int, int, int],
        c: Tile,
        events: Sequence[int] = (),
        transposed: tuple[bool, bool] = (False, False),
    ) -> None:
        """mmadL1: MTE1 carries a and b into hidden L0A and L0B, M multiplies.

        `events` are the ids of: a ready, b ready (waited for by MTE1), a free, b free (set by
        MTE1 for MTE2); -1 or absent where there is no flag. The L0 buffers and the flags that
        the hardware keeps for them belong to the instruction, so nobody can get them wrong.
        """
        a, b = operands[:2]
        init, m, k, n = map(settled, operands[2:])
        both = factors(m, k, n, transposed)
        held: list[torch.Tensor] = []
        flags = (*events, -1, -1, -1, -1)
        loads = [
            self._load_l0(stage, tile, factor, held, ready=flags[i], free=flags[i + 2])
            for i, (tile, factor) in enumerate(zip((a, b), both, strict=True))
        ]
        target = fractals(c, m, n)
        multiply = self._new(
            site,
            reads=() if init else (target,),
            writes=(target,),
            operands=(init, m, k, n),
            run=lambda *values: run(*held, *values),
        )
        multiply.waits = tuple(load.sets[0] for load in loads)
        for load in loads:
            load.sets[0].waiter = multiply
            self._push(load)
        self._push(multiply)

    def set_flag(self, site: int, wait_pipe: str, event: int) -> None:
        """Raises a flag for another pipe of this core."""
        instruction = self._new(site)
        instruction.sets = (self._set(instruction, instruction.pipe.name, wait_pipe, event),)
        self._push(instruction)

    def wait_flag(self, site: int, set_pipe: str, event: int) -> Wait:
        """Lets the pipe of the site stand until another pipe of this core raises a flag."""
        instruction = self._new(site)
        instruction.waits = (self._wait(instruction, set_pipe, instruction.pipe.name, event),)
        self._push(instruction)
        return instruction

    def raise_flag(self, site: int, flag: int, mode: Mode) -> None:
        """Raises a cross-core flag for the partners once the pipe has drained."""
        instruction = self._new(site)
        flags, flag = self.machine.flags, settled(flag)
        instruction.sets = tuple(
            flags.get(FlagKey(sender=self.number, receiver=core.number, flag=flag)).next_set(
                instruction
            )
            for core in self.machine.partners(self, mode)
        )
        self._push(instruction)

    def await_flag(self, site: int, flag: int, mode: Mode) -> Wait:
        """Lets the pipe of the site stand until every partner has raised a flag."""
        instruction = self._new(site)
        senders = [core.number for core in self.machine.partners(self, mode)] or [-1]
        flags, flag = self.machine.flags, settled(flag)
        instruction.waits = tuple(
            flags.get(FlagKey(sender=sender, receiver=self.number, flag=flag)).next_wait(
                instruction
            )
            for sender in senders
        )
        self._push(instruction)
        return instruction

    def barrier(self, site: int) -> None:
        """Lets later work of a pipe wait for its earlier work."""
        self._push(self._new(site, barrier=True))

    def barrier_all(self, site: int) -> Wait:
        """Lets the scalar unit, and so everything after, wait until the core has drained."""
        tokens: list[Token] = []
        row = self.machine.sites[site]
        for pipe in self.machine.drain_order(self):
            token = Token(None, 0)
            drained = Instruction(row, pipe, self.turn)
            drained.sets = (token,)
            token.setter = drained
            tokens.append(token)
            self._push(drained, issues=False)
        last = self._new(site)
        last.waits = tuple(tokens)
        for token in tokens:
            token.waiter = last
        self._push(last)
        return last

    def load(self, site: int, tile: Tile, indices: tuple[int, ...]) -> int | float:
        """Reads one element on the scalar unit."""
        self._goes_alone()
        element = cell(tile, indices)
        found: list[int | float] = [0]

        def read(view: torch.Tensor) -> None:
            found[0] = view.item()

        self._push(self._new(site, reads=(element,), operands=(element,), run=read))
        return found[0]

    def store(self, site: int, value: float, tile: Tile, indices: tuple[int, ...]) -> None:
        """Writes one element on the scalar unit."""
        self._goes_alone()
        element = cell(tile, indices)
        self._push(self._new(site, writes=(element,), operands=(value,), run=fill))

    def show(self, site: int, prefix: str, value: Operand, hexadecimal: bool = False) -> None:
        """Prints a scalar or a tile, as it is when the scalar unit comes by."""
        self._goes_alone()
        core = "cube core" if self.kind == "cube" else f"vector core {self.sub}"
        show = partial(self.machine.prints.show, prefix, block=self.block, core=core)
        reads = (value,) if isinstance(value, Tile) else ()

        def write(found: torch.Tensor | int | float) -> None:
            show(found, hexadecimal=hexadecimal)

        self._push(self._new(site, reads=reads, operands=(value,), run=write))

    def _goes_alone(self) -> None:
        """What the scalar unit reads or shows is each block's own."""
        if self.group is not None:
            self.group.is_alike = False

    def _new(
        self,
        site: int,
        *,
        reads: tuple[Tile, ...] = (),
        writes: tuple[Tile, ...] = (),
        operands: tuple[Operand, ...] = (),
        run: Run | None = None,
        barrier: bool = False,
    ) -> Instruction:
        row = self.machine.sites[site]
        return Instruction(
            row,
            self.pipes[row.pipe],
            self.turn,
            reads=reads,
            writes=writes,
            operands=operands,
            run=run,
            barrier=barrier,
        )

    def _load_l0(
        self,
        stage: int,
        whole: Tile,
        factor: Factor,
        held: list[torch.Tensor],
        *,
        ready: int,
        free: int,
    ) -> Instruction:
        """One operand of a matrix product on its way to L0, with its flags."""
        tile = fractals(whole, factor.rows, factor.columns)
        load = self._new(stage, reads=(tile,), operands=(tile,), run=hold(held))
        load.factor = factor
        if ready >= 0:
            load.waits = (self._wait(load, "MTE2", "MTE1", ready),)
        link = Token(None, 0 if factor.gives_rows else 1)
        link.setter = load
        load.sets = (link,) if free < 0 else (link, self._set(load, "MTE1", "MTE2", free))
        return load

    def _set(self, instruction: Instruction, pipe: str, wait_pipe: str, event: int) -> Token:
        return self.machine.flags.get(self._key(pipe, wait_pipe, event)).next_set(instruction)

    def _wait(self, instruction: Instruction, set_pipe: str, pipe: str, event: int) -> Token:
        return self.machine.flags.get(self._key(set_pipe, pipe, event)).next_wait(instruction)

    def _key(self, set_pipe: str, wait_pipe: str, event: int) -> FlagKey:
        return FlagKey(
            sender=self.number,
            receiver=self.number,
            flag=settled(event),
            set_pipe=set_pipe,
            wait_pipe=wait_pipe,
        )

    def _push(self, instruction: Instruction, *, issues: bool = True) -> None:
        self.since += issues
        self._issued += 1
        instruction.order = self._issued
        instruction.after, instruction.since = self.last_scalar, self.since
        if instruction.run is not None and not is_in_memory(instruction):
            instruction.run = None
        self.machine.push(instruction)
        if instruction.done and instruction.pipe is self.scalar:
            self.last_scalar, self.since = instruction, 0
