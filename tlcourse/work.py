"""How much work one launch may be: what counts as a step, the limit, and the largest grid.

Both executors count the same way, so that a kernel that one of them gives up does not run for
hours on the other. The prices follow the time that Python takes: a limit of 10 ** 8 is reached
after a minute or two on the simulator, and sooner on the functional executor.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from tlcourse.config import Config, read_config
from tlcourse.diagnostics import Label, SourceMap, TLError, error
from tlcourse.records import Signature

ELEMENT_STEPS = 20
"""Steps of one element that scalar code loads or stores, of a flag or a barrier."""
INSTRUCTION_STEPS = 100
"""Least steps of an instruction on tiles, and of a block."""
ELEMENTS_PER_STEP = 1000
"""Elements of a tile that add one more step to an instruction."""
BLOCK_LIMIT = 65535
"""Most logical blocks of a launch. Source: TileLang-Ascend's programming guide."""

RAISE_LIMIT = "for a kernel that is meant to work so long, set TLCOURSE_STEP_LIMIT to a higher one"

_own_limit = ContextVar[int | None]("_own_limit", default=None)


def instruction_steps(elements: int) -> int:
    """Steps of an instruction on a tile of so many elements."""
    return INSTRUCTION_STEPS + elements // ELEMENTS_PER_STEP


def step_limit(config: Config | None = None) -> int:
    """The steps that a launch may take, from TLCOURSE_STEP_LIMIT or `limited_to`.

    Args:
        config: the settings, where they are read already.

    Raises:
        TLError: TL424 it is no whole number above 0.
    """
    own = _own_limit.get()
    if own is not None:
        return own
    text = (config or read_config()).step_limit.strip().replace("_", "")
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise error(
        "TL424",
        f'TLCOURSE_STEP_LIMIT = "{text}" is not known',
        why="it is the number of steps after which a launch is given up, a whole number above 0",
        fix="set it to a number such as 1000000000, or unset it for 100000000",
    )


@contextmanager
def limited_to(steps: int) -> Generator[None]:
    """Inside, a launch may take so many steps, whatever the environment says: grades need that."""
    before = _own_limit.set(steps)
    try:
        yield
    finally:
        _own_limit.reset(before)


def too_many_steps(kernel: str, limit: int, what: str) -> tuple[str, str, str]:
    """What happened, why and how to fix it, for TL504.

    Args:
        kernel: name of the kernel.
        limit: the limit that was reached.
        what: the loop or grid that reaches it, in words.
    """
    return (
        f"{kernel} takes more than {limit:,} steps: {what}",
        "a turn of a loop is one step, an element that scalar code loads or stores, a flag or a "
        f"barrier {ELEMENT_STEPS}, an instruction on tiles or a block {INSTRUCTION_STEPS} and one "
        f"more for each {ELEMENTS_PER_STEP:,} elements; so many are most likely a wrong bound",
        f"correct the bounds, or do more of the work in each instruction; {RAISE_LIMIT}",
    )


def check_blocks(blocks: int, signature: Signature, sources: SourceMap) -> None:
    """Refuses a grid that the chip cannot be given.

    Raises:
        TLError: TL414 there are more than `BLOCK_LIMIT` blocks.
    """
    if blocks > BLOCK_LIMIT:
        raise _too_many_blocks(blocks, signature, sources)


def _too_many_blocks(blocks: int, signature: Signature, sources: SourceMap) -> TLError:
    span = signature.grid_span
    return error(
        "TL414",
        f"{signature.kernel} has too many blocks: T.Kernel({', '.join(signature.grid)}, ..) asks "
        f"for {blocks:,}",
        why=f"a launch takes at most {BLOCK_LIMIT:,} logical blocks",
        fix="give each block a larger tile, or launch fewer blocks and let each of them loop "
        "over several tiles",
        labels=(Label(span=span, text=f"{blocks:,} blocks for this call"),) if span else (),
        sources=sources,
    )
