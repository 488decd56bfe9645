"""Writes the files of a profile: all of them, or nothing."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from tlcourse.chips import Chip
from tlcourse.diagnostics import SourceFile, SourceMap, TLError, error
from tlcourse.profile import tables
from tlcourse.profile.chrome import chrome_trace
from tlcourse.profile.cores import Core, cores_of
from tlcourse.profile.figure import roofline_svg
from tlcourse.profile.roofline import Roofline, roofline
from tlcourse.records import Timeline, to_json
from tlcourse.simulator.cycles.stream import Recording
from tlcourse.widgets.timeline import TimelineView

_LISTED = 10
_ID_LETTERS = 10


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A launch that was timed.

    Args:
        recording: what it issues.
        timeline: its times, with all blocks of the core group that is shown.
        chip: the chip.
        cold: L2 was empty at the start.
        sources: texts that the places point into.
    """

    recording: Recording
    timeline: Timeline
    chip: Chip
    cold: bool = False
    sources: SourceMap = field(default_factory=lambda: dict[str, SourceFile]())

    @property
    def cores(self) -> tuple[Core, ...]:
        """The cores that the files speak of."""
        return cores_of(self.timeline)

    @property
    def roofline(self) -> Roofline:
        """The launch against the ceilings of the chip."""
        return roofline(self.recording, self.timeline, self.chip, cold=self.cold)

    @property
    def folder_name(self) -> str:
        """Upstream's `OPPROF_<stamp>_<id>`, both from the content: equal launches, equal name.

        The stamp is the number of cycles, not the time of day.
        """
        digest = hashlib.sha256(f"{to_json(self.timeline)}{self.chip.name}{self.cold}".encode())
        letters = "".join(chr(ord("A") + byte % 26) for byte in digest.digest()[:_ID_LETTERS])
        return f"OPPROF_{self.timeline.cycles:014d}_{letters}"


@dataclass(frozen=True, kw_only=True)
class ProfileSummary:
    """What a profile says in short.

    Args:
        busy_percent: of each lane of the core group shown, in the whole launch.
        bubbles: the longest stand-stills, as rows of `bubbles.csv`.
        files: all files, relative to `folder`.
    """

    schema: ClassVar[str] = "tlcourse.ProfileSummary/1"
    kernel: str
    chip: str
    cycles: int
    microseconds: float
    clock: str = "simulated"
    verdict: str
    busy_percent: dict[str, float]
    bubbles: tuple[dict[str, object], ...]
    folder: str
    files: tuple[str, ...]


def write_profile(profile: Profile, folder: Path) -> Path:
    """Writes `OPPROF_<stamp>_<id>` into a folder that is new or empty; returns its path.

    Everything is written beside the folder first and then moved, so that nothing half-written
    is ever there.

    Raises:
        TL720: the folder holds something, or is a file.
        TL721: the files cannot be written.
    """
    refuse_full(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            for name, text in _files(profile):
                path = aside / profile.folder_name / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8", newline="")
            aside.chmod(0o755)
            if folder.is_dir():
                folder.rmdir()
            os.replace(aside, folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except OSError as problem:
        raise _not_written(folder, problem) from problem
    return folder / profile.folder_name


def summary(profile: Profile, written: Path) -> ProfileSummary:
    """A profile in short.

    Args:
        profile: the profile.
        written: what `write_profile` gave.
    """
    timeline = profile.timeline
    total = max(timeline.cycles, 1)
    found = sorted(path for path in written.rglob("*") if path.is_file())
    return ProfileSummary(
        kernel=timeline.kernel,
        chip=timeline.chip,
        cycles=timeline.cycles,
        microseconds=round(timeline.cycles / timeline.clock_mhz, 3),
        verdict=profile.roofline.verdict,
        busy_percent={
            lane.name: round(100 * lane.busy_cycles / total, 1) for lane in timeline.lanes
        },
        bubbles=tuple(tables.bubble_rows(timeline, profile.cores)[:_LISTED]),
        folder=written.as_posix(),
        files=tuple(path.relative_to(written).as_posix() for path in found),
    )


def _files(profile: Profile) -> Iterator[tuple[str, str]]:
    timeline, cores = profile.timeline, profile.cores
    yield "dump/timeline.json", to_json(timeline) + "\n"
    for core in cores:
        base = f"simulator/{core.name}/{core.name}"
        yield f"{base}_code_exe.csv", _csv(tables.code_rows(timeline, core))
        yield f"{base}_instr_exe.csv", _csv(tables.instruction_rows(timeline, core, {}))
        yield f"simulator/{core.name}/trace.json", _trace(timeline, [core])
    yield "simulator/trace.json", _trace(timeline, cores)
    yield "PipeUtilization.csv", _csv(tables.pipe_rows(timeline, cores))
    yield "ArithmeticUtilization.csv", _csv(tables.arithmetic_rows(timeline, cores))
    yield "Memory.csv", _csv(tables.memory_rows(timeline, cores))
    yield "L2Cache.csv", _csv(tables.l2_rows(profile.recording, cold=profile.cold))
    yield "bubbles.csv", _csv(tables.bubble_rows(timeline, cores))
    yield "roofline.svg", roofline_svg(profile.roofline, timeline)
    yield "roofline.txt", profile.roofline.verdict + "\n"
    yield "timeline.html", TimelineView(timeline, sources=profile.sources).page()


def _trace(timeline: Timeline, cores: Sequence[Core]) -> str:
    return json.dumps(chrome_trace(timeline, cores), separators=(",", ":")) + "\n"


def _csv(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows with the fields of all of them; a field that a row does not have is NA, as upstream."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, restval="NA", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def refuse_full(folder: Path) -> None:
    """Refuses a folder that holds something; asked before the work as well as after it.

    Raises:
        TL720: the folder holds something, or is a file.
    """
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if folder.exists():
        raise error(
            "TL720",
            f"{folder} is there already and not an empty folder",
            why="a profile is written into a folder of its own, and nothing is overwritten",
            fix=f"name another folder: --out {folder}-2, or remove this one",
        )


def _not_written(folder: Path, problem: OSError) -> TLError:
    return error(
        "TL721",
        f"the profile cannot be written to {folder}",
        why=f"{problem.strerror or problem}",
        fix="name a folder that you may write to",
    )
