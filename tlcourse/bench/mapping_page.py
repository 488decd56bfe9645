"""Writes the tables of docs/widgets.md that say how many ops come from a line of the learner.

python -m tlcourse.bench.mapping_page [FILE]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tlcourse.bench.passes_page import filled, table
from tlcourse.examples.course import COURSE, CourseKernel
from tlcourse.jit import compile as compile_kernel
from tlcourse.records import Backend, PassTrace
from tlcourse.widgets.mapping import Mapped, mapped

PAGE = Path("docs/widgets.md")
LEAST = 95
_HEAD = ("kernel", "stages", "ops", "own line, least", "after", "with neighbours, least", "after")
_PARTS: dict[Backend, str] = {"embedded": "mapping, embedded", "bishengir": "mapping, real"}


def trace_of(kernel: CourseKernel, backend: Backend) -> PassTrace:
    """The passes of a kernel of the course through one back half."""
    return compile_kernel(kernel.func, mode=kernel.mode).trace(backend)


def row(name: str, stages: Sequence[Mapped]) -> tuple[str, ...]:
    """A kernel: its stages, the ops of the shortest and longest, and the least shares mapped."""
    counts = [one.ops for one in stages]
    own = min(stages, key=lambda one: one.own / one.ops)
    near = min(stages, key=lambda one: one.near / one.ops)
    cells = (_percent(own.own, own), _percent(near.near, near))
    ops = f"{min(counts)} to {max(counts)}"
    return (f"`{name}`", str(len(stages)), ops, *cells[0], *cells[1])


def lines(backend: Backend) -> list[str]:
    """The table of one back half."""
    kernels = ((one.name, mapped(trace_of(one, backend))) for one in COURSE)
    return table(_HEAD, [row(name, stages) for name, stages in kernels])


def _percent(count: int, stage: Mapped) -> tuple[str, str]:
    """A share, never rounded up, and its stage; all of it needs no stage."""
    tenths = 1000 * count // stage.ops
    return f"{tenths / 10:.1f} %", f"`{stage.pass_name}`" if tenths < 1000 else ""


def main(arguments: Sequence[str]) -> int:
    """Writes the tables."""
    path = Path(arguments[0]) if arguments else PAGE
    parts = [(part, lines(backend)) for backend, part in _PARTS.items()]
    page = filled(path.read_text(encoding="utf-8"), parts, by="mapping_page")
    path.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
