"""One launch: its blocks in order, which of them is checked, and what that gave."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

from tlcourse.chips import Chip
from tlcourse.printing import Prints
from tlcourse.records import Finding, Timeline
from tlcourse.replay import Replay
from tlcourse.simulator.agreement import Agreement
from tlcourse.simulator.arguments import Launch
from tlcourse.simulator.bounds import Bounds
from tlcourse.simulator.classes import BlockClass, DryCore, group
from tlcourse.simulator.clocks import Races
from tlcourse.simulator.core import Core, Kind, StepLimitError, Steps
from tlcourse.simulator.cycles.stream import Recording, Total
from tlcourse.simulator.cycles.timing import totals
from tlcourse.simulator.cycles.waves import slots_of
from tlcourse.simulator.deadlock import deadlock
from tlcourse.simulator.findings import FindingLog
from tlcourse.simulator.flagcheck import FlagCheck
from tlcourse.simulator.initialised import Initialised
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.issued import Issued
from tlcourse.simulator.lanes import LaneGroup
from tlcourse.simulator.loading import Loaded
from tlcourse.simulator.machine import Executed, Machine, Observer
from tlcourse.simulator.memory import Memory, on_chip
from tlcourse.simulator.numbers import Key, NumbersCore, Order, in_order, order_of
from tlcourse.simulator.outputs import unwritten_outputs
from tlcourse.simulator.owners import Owners
from tlcourse.simulator.params import Params
from tlcourse.simulator.recorder import Recorder
from tlcourse.simulator.reports import Reports
from tlcourse.simulator.stops import division_by_zero, not_resident, refused, too_many_steps
from tlcourse.simulator.together import group_of, together
from tlcourse.simulator.wording import MEMORY_NAMES

C = TypeVar("C", bound=Core)
# What torch and generated code raise when tiles do not fit each other.
_REFUSALS = (RuntimeError, ValueError, TypeError, IndexError, KeyError, MemoryError)


class Session:
    """Runs the blocks of one launch.

    Args:
        loaded: the program.
        launch: its arguments.
        params: checks, seed, trace.
        chip: sizes and constants.
        machine: makes what runs the blocks.
    """

    def __init__(
        self,
        loaded: Loaded,
        launch: Launch,
        params: Params,
        chip: Chip,
        machine: Callable[..., Machine] = Machine,
    ) -> None:
        self._loaded = loaded
        self._launch = launch
        self._params = params
        self._chip = chip
        self._machine = machine
        self._log = FindingLog(loaded.program.spans)
        self._issued = Issued(loaded, launch, chip, self._subs())
        self._memories: dict[tuple[int, str], Memory] = {}
        self._steps = Steps(params.step_limit)
        self._dry_steps = Steps(params.step_limit)
        self._prints = Prints()
        self._ordered = bool(loaded.program.options["block_barrier"])
        report = Reports(self._log, loaded.sites, chip, loaded.program.signature.mode)
        self._shapes = [Bounds(report), Agreement(report)]
        self._flags = FlagCheck(report, chip=chip)
        self._initialised = Initialised(report)
        self._races = Races(
            report,
            shared=frozenset(id(memory) for memory in launch.written),
            flag_limit=chip.cross_core_flag_limit,
        )
        self._owners = Owners(
            report,
            written=launch.written,
            read=launch.read,
            fresh=launch.fresh,
            inputs=_inputs(loaded.program.signature.out_idx, launch),
            ordered=self._ordered,
        )
        self._classes: tuple[BlockClass, ...] = ()
        # By the first block of a class.
        self._orders: dict[int, Order] = {}
        # What the last first block of a class did.
        self._executed: Sequence[Instruction] = ()
        self._recorder = Recorder(loaded.program.spans)

    def replay(self) -> Replay:
        """What the block that `Params.replay` names did, instruction by instruction."""
        return Replay(
            kernel=self._loaded.program.signature.kernel,
            block=self._params.replay,
            seed=self._params.seed,
            steps=tuple(self._recorder.steps),
            left_out=self._recorder.left_out,
        )

    def run(self) -> tuple[Finding, ...]:
        """Runs all blocks; stops at the first block that cannot come to its end."""
        if not self._charge_blocks():
            return self._log.findings()
        self._classes = self._issued.classes = self._class_blocks()
        is_over = self._run_blocks()
        self._prints.finish()
        if is_over and self._params.checks != "off":
            found = unwritten_outputs(self._loaded.program, self._launch, self._owners)
            for finding in found:
                self._log.add_finding(finding)
        return self._log.findings()

    def timeline(self) -> Timeline:
        """The timeline of the blocks that were run."""
        return self._issued.timeline(all_blocks=self._params.trace)

    def totals(self) -> dict[tuple[str, str], Total]:
        """What the blocks did, all together."""
        return totals(self.recording())

    def recording(self) -> Recording:
        """What the blocks that were run issued, without times."""
        return self._issued.recording()

    def _charge_blocks(self) -> bool:
        """Takes the steps of all blocks but those of their loops: too many end at once."""
        costs: Mapping[str, int] = self._loaded.program.options["block_steps"]
        subs = self._subs()
        cost = sum(steps * (subs if kind == "vector" else 1) for kind, steps in costs.items())
        try:
            self._steps.take_blocks(self._launch.blocks, cost)
        except StepLimitError as problem:
            program = self._loaded.program
            self._log.add_finding(too_many_steps(program, problem, self._params.step_limit))
            return False
        return True

    def _subs(self) -> int:
        """Vector cores of a block."""
        return self._chip.vector_cores_per_group if self._loaded.kind == "mix" else 1

    def _run_blocks(self) -> bool:
        if self._ordered:
            return self._run_together()
        firsts = {found.representative: found for found in self._classes}
        suspect: set[int] = set()
        done: set[int] = set()
        first_of: dict[int, int] = {}
        for found in self._classes:
            first_of |= dict.fromkeys(found.blocks, found.representative)
        for block in range(self._launch.blocks):
            if block in done:
                continue
            before = len(self._log)
            full = self._params.checks == "all" or block in firsts or block in suspect
            if not full and self._run_numbers(block, self._orders.get(first_of[block])):
                continue
            group = self._group_of(block)
            steps_left = self._steps.left
            if not self._run_machine([block], full=full, timed=block in firsts, group=group):
                return False
            is_suspect = len(self._log) > before or self._initialised.hangs_on_masks
            if block in firsts and is_suspect:
                suspect.update(firsts[block].blocks)
            elif group is not None and self._run_group(group, steps_left - self._steps.left):
                done.update(firsts[block].blocks)
        return True

    def _run_together(self) -> bool:
        """Blocks that meet at a barrier run side by side, if the chip holds them all."""
        slots = slots_of(self._chip, self._loaded.kind)
        blocks = range(self._launch.blocks)
        if len(blocks) > slots:
            self._log.add_finding(
                not_resident(self._loaded.program, len(blocks), slots, self._chip)
            )
            return False
        return self._run_machine(list(blocks), full=True, timed=True)

    def _group_of(self, block: int) -> LaneGroup | None:
        """The blocks of the class that a block stands for, if they may run together."""
        if len(self._classes) != 1 or block or self._machine is not Machine:
            return None
        return group_of(self._classes[0].blocks, self._params, self._loaded.program)

    def _run_group(self, group: LaneGroup, steps: int) -> bool:
        """Runs the other blocks of a group; False where they must go one by one."""
        checked = self._params.checks != "off"
        order = self._races.order if checked else self._executed
        poison = self._initialised.saw_poison if checked else True
        ready = together(order, group, self._launch, self._loaded, poison=poison)
        if ready is None or not self._steps.take_others(len(group.blocks) - 1, steps):
            return False
        ready.run()
        for footprint in ready.footprints if checked else ():
            self._owners.take(footprint)
        return True

    def _run_machine(
        self, blocks: list[int], *, full: bool, timed: bool, group: LaneGroup | None = None
    ) -> bool:
        executed = Executed()
        machine = self._machine(
            sites=self._loaded.sites,
            observers=[
                *self._observers(full=full, executed=executed if timed else None),
                *([self._recorder] if self._params.replay in blocks else []),
            ],
            seed=self._params.seed and self._params.seed * 65537 + blocks[0],
        )
        machine.prints = self._prints
        for block in blocks:
            for core in self._cores(machine, block, Core, self._steps):
                self._poison(core)
                if group is not None:
                    core.stand_for(group)
                core.start(self._loaded.code(core, self._launch.arguments))
        if full and self._params.checks != "off":
            self._initialised.begin(machine)
        if not self._guarded(machine):
            return False
        if timed:
            self._issued.keep(machine, blocks, executed.order)
            self._keep_order(blocks[0], executed.order)
            self._executed = executed.order
        return True

    def _keep_order(self, block: int, executed: Sequence[Instruction]) -> None:
        """Keeps what a block did for the others of its class, which run as it did."""
        if self._params.seed or self._params.checks == "all" or self._machine is not Machine:
            return
        order = order_of(executed)
        if order is not None and not len(self._log):
            self._orders[block] = order

    def _run_numbers(self, block: int, order: Order | None) -> bool:
        """Computes a block that is like one without a fault; False where it is not."""
        if order is None or block == self._params.replay:
            return False
        machine = Machine(sites=self._loaded.sites, observers=(), seed=0)
        steps_left = self._steps.left
        found = in_order(self._noted(machine, block), order)
        if found is None:
            self._steps.left = steps_left
            return False
        # Sizes and dtypes are those of the block that went well, so nothing is refused here.
        for instruction in found:
            instruction.execute()
            if self._params.checks != "off":
                self._owners.executed(instruction)
        if self._params.checks != "off":
            self._owners.finished(machine)
        return True

    def _noted(self, machine: Machine, block: int) -> dict[Key, Instruction]:
        """What a block computes, not yet executed; nothing where its code cannot go on."""
        noted: dict[Key, Instruction] = {}
        try:
            for core in self._cores(machine, block, NumbersCore, self._steps):
                self._poison(core)
                for _ in self._loaded.code(core, self._launch.arguments):
                    pass
                noted |= core.noted
        except (StepLimitError, ZeroDivisionError, *_REFUSALS):
            return {}
        return noted

    def _poison(self, core: Core) -> None:
        """Fills what a core finds fresh: its memories, and its block's share of the workspace."""
        for memory in core.memories.values():
            memory.poison()
        workspace = self._launch.workspace
        workspace.poison(core.block * workspace.share_bytes, workspace.share_bytes)

    def _observers(self, *, full: bool, executed: Observer | None) -> list[Observer]:
        last = [executed] if executed is not None else []
        if self._params.checks == "off":
            return [*self._shapes, *last]
        checks = [self._flags, self._initialised, self._races] if full else []
        return [*self._shapes, *checks, self._owners, *last]

    def _guarded(self, machine: Machine) -> bool:
        """Runs a machine; whatever stops it becomes a finding."""
        program = self._loaded.program
        try:
            if machine.run():
                return True
            self._log.add(deadlock(machine, program.signature.kernel))
        except StepLimitError as problem:
            self._log.add_finding(too_many_steps(program, problem, self._params.step_limit))
        except ZeroDivisionError as problem:
            self._log.add_finding(division_by_zero(program, machine, problem))
        except _REFUSALS as problem:
            self._log.add_finding(refused(program, machine, str(problem)))
        return False

    def _class_blocks(self) -> tuple[BlockClass, ...]:
        options = self._loaded.program.options
        if self._ordered:
            return group(self._launch.blocks, lambda block: 0)
        if options["data_control"]:
            return group(self._launch.blocks, lambda block: block)
        if not options["block_control"]:
            return group(self._launch.blocks, lambda block: 0)
        return group(self._launch.blocks, self._notes_of)

    def _notes_of(self, block: int) -> Hashable:
        """What a block would issue, by a dry run; a block that cannot go on is a class alone."""
        machine = Machine(sites=self._loaded.sites, observers=(), seed=0)
        cores = self._cores(machine, block, DryCore, self._dry_steps)
        try:
            for core in cores:
                for _ in self._loaded.code(core, self._launch.arguments):
                    pass
        except (StepLimitError, ZeroDivisionError, *_REFUSALS):
            return block
        return tuple(tuple(core.notes) for core in cores)

    def _cores(self, machine: Machine, block: int, kind: type[C], steps: Steps) -> list[C]:
        """The cores of a block: its cube core and its vector cores, as the kernel needs them."""
        functions = self._loaded.functions
        subs = self._subs()
        members: list[tuple[Kind, int]] = []
        if "cube" in functions:
            members.append(("cube", 0))
        if "vector" in functions:
            members.extend(("vector", sub) for sub in range(subs))
        return [
            kind(
                machine,
                kind=core_kind,
                block=block,
                sub=sub,
                blocks=self._launch.blocks,
                subs=subs,
                memories=self._memories_of(len(machine.cores)),
                steps=steps,
            )
            for core_kind, sub in members
        ]

    def _memories_of(self, core: int) -> dict[str, Memory]:
        """The memories of a core; blocks that run one after another use the same bytes."""
        found: dict[str, Memory] = {}
        for space in sorted({entry.space for entry in self._loaded.program.memory}):
            memory = self._memories.get((core, space))
            if memory is None:
                size = self._chip.sizes_bytes[space]
                memory = on_chip(MEMORY_NAMES[space], space, size)
                self._memories[core, space] = memory
            found[space] = memory
        return found


def _inputs(out_idx: Sequence[int], launch: Launch) -> frozenset[int]:
    """Tensors that are no outputs, where the launch says which are."""
    others = (memory for place, memory in launch.tensors.items() if place not in out_idx)
    return frozenset(id(memory) for memory in others) if out_idx else frozenset()
