"""What a block computed, instruction by instruction, as far as like blocks compute the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tlcourse.simulator.instruction import Instruction, Operand, Run, Site
from tlcourse.simulator.lanes import Lanes
from tlcourse.simulator.tile import Tile


@dataclass(frozen=True, kw_only=True, slots=True)
class Op:
    """One instruction.

    Args:
        site: where it comes from.
        run: what one block computes.
        operands: tiles and numbers.
        writes: tiles that it writes.
        cloned: places of operands that share bytes with what is written, element by element not.
        accumulates: it reads what it writes as well.
    """

    site: Site
    run: Run
    operands: tuple[Operand, ...]
    writes: tuple[Tile, ...]
    cloned: tuple[int, ...]
    accumulates: bool

    def tiles(self) -> list[Tile]:
        """All tiles that it reads or writes."""
        return [*(o for o in self.operands if isinstance(o, Tile)), *self.writes]


def taped(order: Iterable[Instruction], functions: Mapping[str, Run]) -> list[Op] | None:
    """The instructions that compute; None where like blocks would need more than these.

    Args:
        order: the block's instructions in an order that they may be executed in.
        functions: what the sites compute, by the names of the generated code.
    """
    ops: list[Op] = []
    staged: dict[int, Tile] = {}
    for instruction in order:
        if instruction.factor is not None:
            staged[id(instruction)] = instruction.reads[0]
            continue
        if instruction.run is None:
            if instruction.reads or instruction.writes:
                return None
            continue
        op = _op(instruction, staged, functions)
        if op is None or _meets(op.writes, staged.values()):
            return None
        ops.append(op)
    return ops


def _op(
    instruction: Instruction, staged: dict[int, Tile], functions: Mapping[str, Run]
) -> Op | None:
    operands, run = instruction.operands, instruction.run
    loads = [token.setter for token in instruction.waits]
    factors = [staged.pop(id(load)) for load in loads if id(load) in staged]
    if factors:
        # The matrix op itself has only the numbers; its factors came through L0.
        operands, run = (*factors, *operands), functions[f"op{instruction.site.index}"]
    if run is None or not all(map(_is_alike, (*operands, *instruction.writes))):
        return None
    return Op(
        site=instruction.site,
        run=run,
        operands=operands,
        writes=instruction.writes,
        cloned=() if factors else _cloned(operands, instruction.writes),
        accumulates=any(tile in instruction.reads for tile in instruction.writes),
    )


def _is_alike(operand: Operand) -> bool:
    """Whether all blocks have it at one place on chip, or in GM at whole elements."""
    if not isinstance(operand, Tile):
        return not isinstance(operand, Lanes)
    shifts = operand.shifts()
    if shifts is None:
        return True
    return operand.memory.space == "gm" and not (shifts % operand.width).any()


def _cloned(operands: Sequence[Operand], writes: Sequence[Tile]) -> tuple[int, ...]:
    return tuple(
        place
        for place, operand in enumerate(operands)
        if isinstance(operand, Tile)
        and any(operand.overlaps(w) and not operand.same_place(w) for w in writes)
    )


def _meets(writes: Sequence[Tile], staged: Iterable[Tile]) -> bool:
    """Whether a write replaces what a matrix op has taken and not yet multiplied."""
    return any(write.overlaps(tile) for tile in staged for write in writes)
