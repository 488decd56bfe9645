"""Cores, pipes, tiles and flags in words."""

from __future__ import annotations

from tlcourse.simulator.core import Core
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.sync import FlagKey
from tlcourse.simulator.tile import Tile

MEMORY_NAMES = {"ub": "UB", "cbuf": "L1", "ca": "L0A", "cb": "L0B", "cc": "L0C", "gm": "GM"}


def core(found: Core) -> str:
    """`the cube core`, `vector core 1`."""
    return "the cube core" if found.kind == "cube" else f"vector core {found.sub}"


def core_number(number: int, cores: list[Core]) -> str:
    """A core by its number in the machine; -1 is a core that the kernel does not have."""
    return core(cores[number]) if number >= 0 else "a core of the other kind"


def tile(found: Tile) -> str:
    """`A_ub in UB` or `UB bytes 4096 to 8191`, with the memory where the name does not tell it."""
    if found.memory.space == "gm":
        return found.name
    memory = MEMORY_NAMES[found.memory.space]
    start, stop = found.span_bytes()
    if found.name:
        return f"{short(found)} in {memory}" if found.name != found.memory.name else memory
    return f"{memory} bytes {start} to {stop - 1}"


def short(found: Tile) -> str:
    """`A_ub`; `copy 1 of A_ub` where the compiler made several to take turns."""
    name, _, number = found.name.removesuffix("]").partition("[")
    return f"copy {number} of {name}" if number else name


def operation(instruction: Instruction) -> str:
    """`vexp`, `scalar load`."""
    scalar = instruction.pipe.name == "S" and instruction.site.op in ("load", "store")
    return f"scalar {instruction.site.op}" if scalar else instruction.site.op


def part(elements: int, found: Tile) -> str:
    """`24 of 64 elements of a in UB`, `an element of s in UB`."""
    whole = tile(found)
    if elements == 1:
        return f"an element of {whole}"
    of = "" if found.memory.space == "gm" else f" of {found.elements:,}"
    return f"{elements:,}{of} elements of {whole}"


def where(instruction: Instruction) -> str:
    """`in block 3, loop turn 1, 4`."""
    turns = ", ".join(map(str, instruction.turn))
    text = f"in block {instruction.core.block}"
    return f"{text}, loop turn {turns}" if turns else text


def flag(key: FlagKey, cores: list[Core]) -> str:
    """`flag 0 of MTE2 for V`, `cross-core flag 2 of the cube core`."""
    if key.is_between_cores:
        return f"cross-core flag {key.flag} of {core_number(key.sender, cores)}"
    return f"flag {key.flag} of {key.set_pipe} for {key.wait_pipe}"


def set_call(key: FlagKey) -> str:
    """The statement that raises a flag."""
    if key.is_between_cores:
        return f"T.sync_block_set({key.flag})"
    return f'T.set_flag("PIPE_{key.wait_pipe}", {key.flag}) in T.rs("PIPE_{key.set_pipe}")'


def wait_call(key: FlagKey) -> str:
    """The statement that waits for a flag."""
    if key.is_between_cores:
        return f"T.sync_block_wait({key.flag})"
    return f'T.wait_flag("PIPE_{key.set_pipe}", {key.flag}) in T.rs("PIPE_{key.wait_pipe}")'


def scope(found: Core) -> str:
    """The T.Scope of a core."""
    return f'T.Scope("{found.kind.title()}")'


def times(count: int) -> str:
    """`once`, `3 times`."""
    return "once" if count == 1 else f"{count} times"
