"""Writes docs/timing.md: what each switch and each block size does to the simulated time.

python -m tlcourse.bench.timing_page [--check] [FILE]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from tlcourse.bench.passes_page import table
from tlcourse.examples.flash_attention import flash_attention
from tlcourse.examples.gemm import gemm
from tlcourse.examples.minicv import minicv_developer
from tlcourse.examples.strips import strips, strips_pipelined
from tlcourse.jit import compile
from tlcourse.language import PrimFunc
from tlcourse.records import Timeline

PAGE = Path("docs/timing.md")
Direction = Literal["shorter", "same", "not longer"]
# Times that differ by less count as the same, as measured times of one kernel would.
SAME = 0.01
_MULTI = "npuir.enable_auto_multi_buffer"
_LOCAL = "npuir.limit_auto_multi_buffer_only_for_local_buffer"
_BIND = "npuir.enable_auto_bind_sub_block"
_SOLVER = "npuir.enable_hivm_graph_sync_solver"
_BARRIERS = "npuir.enable_hivm_inject_barrier_all_sync"


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One form of a kernel: how it is called in the table, how it is made and compiled."""

    name: str
    make: Callable[[], object] = field(repr=False)
    shapes: tuple[tuple[int, ...], ...]
    configs: dict[str, bool] = field(default_factory=lambda: dict[str, bool]())

    def timeline(self) -> Timeline:
        """Its times on the usual chip."""
        func = cast(PrimFunc, self.make())
        kernel = compile(func, mode="Developer", pass_configs=self.configs)
        return kernel.profile(*self.shapes)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A change and what it should do.

    Args:
        key: short name.
        kernel: the kernel, in words.
        before: the form without it.
        after: the form with it.
        direction: what the time of `after` is, beside that of `before`.
        statement: what the pass is for, which says so.
    """

    key: str
    kernel: str
    before: Variant
    after: Variant
    direction: Direction
    statement: str


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A case with its two times in microseconds."""

    case: Case
    before: float
    after: float

    @property
    def agrees(self) -> bool:
        """Whether the time went where the statement says."""
        change = self.after / self.before - 1
        match self.case.direction:
            case "shorter":
                return change < -SAME
            case "same":
                return abs(change) < SAME
            case "not longer":
                return change < SAME


def _switched(
    key: str,
    kernel: str,
    make: Callable[[], object],
    shapes: tuple[tuple[int, ...], ...],
    off: dict[str, bool],
    direction: Direction,
    statement: str,
) -> Case:
    before = Variant(name="off", make=make, shapes=shapes, configs=off)
    after = Variant(name="on", make=make, shapes=shapes)
    return Case(
        key=key,
        kernel=kernel,
        before=before,
        after=after,
        direction=direction,
        statement=statement,
    )


_STRIPS = ((3072, 1024), (3072, 1024))
_HEADS = ((2, 1024, 64),) * 4
_SQUARE = ((1024, 1024),) * 3
_CV = ((512, 256), (256, 512), (512, 512), (512, 512))


def _of(factory: Callable[..., object], *sizes: int, **named: int) -> Callable[[], object]:
    """A kernel of these sizes, made when it is wanted."""
    return lambda: factory(*sizes, **named)


_attention = _of(flash_attention, 2, 1024, 64)
_minicv = _of(minicv_developer, 512, 512, 256, block_M=128, block_N=128, block_K=64)


def _gemm(name: str, m: int, n: int) -> Variant:
    return Variant(name=name, make=_of(gemm, 1024, 1024, 1024, m, n), shapes=_SQUARE)


CASES: tuple[Case, ...] = (
    _switched(
        "auto multi-buffer",
        "exp of strips",
        strips,
        _STRIPS,
        {_MULTI: False},
        "shorter",
        "a second copy of a buffer lets the next load run beside the work on this one",
    ),
    _switched(
        "CV pipelining",
        "FlashAttention",
        _attention,
        _HEADS,
        {_LOCAL: True},
        "shorter",
        "copies of the workspace let cube and vector cores work on several iterations at a time",
    ),
    _switched(
        "sub-block binding",
        "FlashAttention",
        _attention,
        _HEADS,
        {_BIND: False},
        "shorter",
        "each vector core takes half of the rows instead of all of them",
    ),
    _switched(
        "sub-block binding of MiniCV",
        "MiniCV",
        _minicv,
        _CV,
        {_BIND: False},
        "shorter",
        "each vector core takes half of the rows instead of all of them",
    ),
    _switched(
        "flags instead of barriers",
        "exp of strips",
        strips,
        _STRIPS,
        {_BARRIERS: True},
        "shorter",
        "flags make one pipe wait for one other; a barrier over all pipes stops the whole core",
    ),
    _switched(
        "graph sync solver",
        "FlashAttention",
        _attention,
        _HEADS,
        {_SOLVER: False},
        "not longer",
        "it finds the flags that others already imply; the older pass places some of them",
    ),
    Case(
        key="block size",
        kernel="gemm 1024",
        before=_gemm("64 x 64", 64, 64),
        after=_gemm("128 x 256", 128, 256),
        direction="shorter",
        statement="a larger block reads each row of A and column of B less often",
    ),
    Case(
        key="strip size",
        kernel="exp of strips",
        before=Variant(name="2 rows", make=_of(strips, strip=2), shapes=_STRIPS),
        after=Variant(name="8 rows", make=strips, shapes=_STRIPS),
        direction="shorter",
        statement="larger transfers pay the latency of GM and the start of an op less often",
    ),
    Case(
        key="T.Pipelined alone",
        kernel="exp of strips",
        before=Variant(name="T.serial", make=strips, shapes=_STRIPS),
        after=Variant(name="T.Pipelined, 3 stages", make=strips_pipelined, shapes=_STRIPS),
        direction="same",
        statement="its stages are not read on the way to AscendNPU IR; multi-buffer overlaps both",
    ),
)
"""All rows of the table."""


def measured(case: Case) -> Outcome:
    """Times both forms."""
    before, after = (
        timeline.cycles / timeline.clock_mhz
        for timeline in (case.before.timeline(), case.after.timeline())
    )
    return Outcome(case=case, before=before, after=after)


def page() -> str:
    """The text of the page."""
    outcomes = [measured(case) for case in CASES]
    chip = CASES[0].after.timeline().chip
    rows = [
        (
            one.case.key,
            one.case.kernel,
            f"{one.case.before.name}: {one.before:.2f}",
            f"{one.case.after.name}: {one.after:.2f}",
            f"{one.before / one.after:.2f}",
            one.case.direction,
            "yes" if one.agrees else "NO",
            one.case.statement,
        )
        for one in outcomes
    ]
    head = ("change", "kernel", "us before", "us after", "ratio", "expected", "so it is", "because")
    return "\n".join(
        [
            "# What changes the time",
            "",
            "Made by `python -m tlcourse.bench.timing_page`. Times are simulated, on "
            f"{chip}, in Developer mode, the embedded back half; an equal launch ran before.",
            "Times within 1 % count as the same. Each row states what the pass is for, and whether",
            "the timeline goes that way.",
            "",
            *table(head, rows),
            "",
            "A switch is off by the key in `pass_configs` that docs/passes.md lists; CV pipelining",
            "needs auto multi-buffer. To see where the time went:",
            "`show_timeline(kernel.profile(...), other.profile(...))`.",
            "",
        ]
    )


def main(arguments: Sequence[str]) -> int:
    """Writes the page, or with `--check` says whether it is up to date."""
    parser = argparse.ArgumentParser("tlcourse.bench.timing_page")
    parser.add_argument("file", nargs="?", type=Path, default=PAGE)
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args(arguments)
    path: Path = given.file
    text = page()
    if given.check:
        is_same = path.is_file() and path.read_text(encoding="utf-8") == text
        print("up to date" if is_same else f"{path} is stale: run without --check")
        return int(not is_same)
    path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
