"""Takes every flag and barrier away, one at a time, and looks whether the simulator tells.

python -m tlcourse.bench.sync_deletion [--check] [FILE]
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from xdsl.dialects.builtin import ModuleOp

from tlcourse.bench.passes_page import table
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects.signature import signature
from tlcourse.examples.course import COURSE, CourseKernel
from tlcourse.pipeline import compile_module
from tlcourse.pipeline.instructions import Line, listing
from tlcourse.pipeline.what_if import Remove, edited
from tlcourse.records import Backend, Finding, Program, Signature
from tlcourse.simulator.generate import generate
from tlcourse.simulator.run import run

PAGE = Path("docs/sync_deletion.md")
BACKENDS: tuple[Backend, ...] = ("embedded", "bishengir")
# Other legal orders that a deletion without a finding is run in.
ORDERS = range(1, 9)
_INTRODUCTION = (
    "# Every flag, taken away",
    "",
    "Made by `python -m tlcourse.bench.sync_deletion`. Each flag and barrier of the course's",
    "kernels, and each of those that a back half put in, is taken away alone, and the kernel runs",
    "on the simulator. `tlcourse whatif FILE:KERNEL --remove N` does the same for one.",
    "",
    "- **race**: two instructions touch the same bytes in no certain order; both lines are named.",
    "- **deadlock**: a core waits for a flag that nobody raises; the wait's line is named.",
    "- **flag**: a flag is raised twice, or stays up at the end; the line that raises it is named.",
    "- **redundant**: nothing is found. The race detector has compared all accesses to the same",
    "  bytes, whatever the order they ran in, and other flags order each pair; "
    f"{len(ORDERS)} more legal",
    "  orders give the same numbers, bit for bit.",
    "- **missed**: nothing is found, but one of those orders gives other numbers. There must be",
    "  none.",
    "",
)
_REDUNDANT = """\
A `pipe_barrier` on ALL stands at the end of each kernel: all work is over then in any case. The
barriers on V stand between two vector instructions that a flag orders as well, by way of another
pipe."""
_RACES = ("TL521", "TL522", "TL523")
_DEADLOCK = "TL502"


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A kernel, compiled by one back half, and what it gives with all its flags."""

    kernel: CourseKernel
    backend: Backend
    executable: ModuleOp
    launch: Signature
    numbers: tuple[torch.Tensor, ...]

    @classmethod
    def make(cls, kernel: CourseKernel, backend: Backend) -> Subject:
        """Compiles a kernel and runs it once.

        Raises:
            TL350: the real compiler is asked for and not on this machine.
        """
        func = kernel.func
        done = compile_module(func.module, func.sources, mode=kernel.mode, backend=backend)
        launch = signature(done.tile, func.sources)
        program = generate(done.executable, launch, func.sources, DEFAULT_CHIP)
        findings, numbers = _run(kernel, program)
        assert not findings, f"{kernel.name} is clean with all its flags"
        return cls(
            kernel=kernel,
            backend=backend,
            executable=done.executable,
            launch=launch,
            numbers=numbers,
        )

    def lines(self) -> tuple[Line, ...]:
        """Its flags and barriers."""
        found = listing(self.executable, self.kernel.func.sources)
        return tuple(line for line in found if line.is_sync)


@dataclass(frozen=True, kw_only=True)
class Deletion:
    """What the simulator says without one flag or barrier.

    Args:
        line: what was taken away.
        findings: what was found; empty for one that others make superfluous.
        missed: nothing was found, and some legal order gives other numbers.
    """

    line: Line
    findings: tuple[Finding, ...]
    missed: bool

    @property
    def outcome(self) -> str:
        """`race`, `deadlock`, `flag`, `redundant` or `missed`."""
        codes = {finding.diagnostic.code for finding in self.findings}
        if not codes:
            return "missed" if self.missed else "redundant"
        if codes & set(_RACES):
            return "race"
        return "deadlock" if _DEADLOCK in codes else "flag"


def deletions(subject: Subject) -> Iterator[Deletion]:
    """Each flag and barrier of a kernel, taken away alone."""
    for line in subject.lines():
        program = _without(subject, line)
        findings, _ = _run(subject.kernel, program)
        missed = not findings and _differs(subject, program)
        yield Deletion(line=line, findings=findings, missed=missed)


def _without(subject: Subject, line: Line) -> Program:
    sources = subject.kernel.func.sources
    module = edited(subject.executable, [Remove(numbers=(line.number,))], sources)
    return generate(module, subject.launch, sources, DEFAULT_CHIP)


def _differs(subject: Subject, program: Program) -> bool:
    """Whether some legal order gives other numbers than the kernel with all its flags."""
    runs = (_run(subject.kernel, program, seed=seed)[1] for seed in ORDERS)
    return any(
        not torch.equal(got.view(torch.uint8), wanted.view(torch.uint8))
        for outputs in runs
        for got, wanted in zip(outputs, subject.numbers, strict=True)
    )


def _run(
    kernel: CourseKernel, program: Program, *, seed: int = 0
) -> tuple[tuple[Finding, ...], tuple[torch.Tensor, ...]]:
    arguments, outputs = kernel.arguments()
    ran = run(program, arguments, symbols={}, checks="class", seed=seed, chip=DEFAULT_CHIP)
    return ran.findings, outputs


def page_lines(found: Sequence[tuple[Subject, Sequence[Deletion]]]) -> Iterator[str]:
    """The page: one row a kernel, then every deletion that nothing had to be said about."""
    yield from _INTRODUCTION
    outcomes = ("race", "deadlock", "flag", "redundant", "missed")
    rows: list[Sequence[str]] = [
        (
            subject.kernel.kind,
            subject.kernel.mode,
            subject.backend,
            str(len(done)),
            *(str(Counter(one.outcome for one in done)[name]) for name in outcomes),
        )
        for subject, done in found
    ]
    total = [sum(int(row[column]) for row in rows) for column in range(3, 9)]
    rows.append(("all", "", "", *map(str, total)))
    most = max((len(one.findings) for _, done in found for one in done), default=0)
    yield from (f"Findings that one deletion brings about, at most: {most}.", "")
    yield from table(("kernel", "mode", "back half", "deletions", *outcomes), rows)
    yield from ("", "## Redundant ones", "", _REDUNDANT, "")
    yield from table(
        ("kernel", "mode", "back half", "core", "taken away", "line"),
        [
            (
                subject.kernel.kind,
                subject.kernel.mode,
                subject.backend,
                one.line.agent,
                f"{one.line.number}: {one.line.text}",
                str(one.line.span.line) if one.line.span else "",
            )
            for subject, done in found
            for one in done
            if one.outcome == "redundant"
        ],
    )


def main(arguments: Sequence[str]) -> int:
    """Writes the page, or with `--check` says whether it is up to date."""
    words = [word for word in arguments if word != "--check"]
    path = Path(words[0]) if words else PAGE
    subjects = [Subject.make(kernel, backend) for kernel in COURSE for backend in BACKENDS]
    found: list[tuple[Subject, list[Deletion]]] = []
    for subject in subjects:
        print(f"{subject.kernel.name}, {subject.backend}", file=sys.stderr)
        found.append((subject, list(deletions(subject))))
    new = "\n".join(page_lines(found)) + "\n"
    if "--check" in arguments:
        same = path.is_file() and path.read_text(encoding="utf-8") == new
        print("up to date" if same else f"{path} is stale: run without --check")
        return int(not same)
    path.write_text(new, encoding="utf-8")
    return int(any(one.missed or len(one.findings) > 1 for _, done in found for one in done))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
