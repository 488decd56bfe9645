"""What `tlcourse update` prints: before it writes, and after."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

from tlcourse.build.course_source import is_older
from tlcourse.build.merging import What
from tlcourse.build.update import Done, FileChange, Kind, Plan

_KINDS: dict[Kind, str] = {
    "new": "new",
    "changed": "changed; you never changed it, so it is replaced",
    "merged": "changed; what you wrote stays",
    "beside": "changed, and yours cannot be merged; the course's comes beside it as",
    "removed": "removed from the course, you never changed it",
    "kept": "removed from the course; yours stays",
}
_CELLS: dict[What, str] = {
    "new text": "new text",
    "new": "new cells",
    "removed": "removed",
    "both": "yours stays, the course's text comes into a cell below",
    "gone": "yours stays, the course has it no more",
    "left out": "you had deleted it, it stays away",
}


def plan_lines(plan: Plan, copy: Path, old: str, new: str) -> list[str]:
    """What an update would do, file by file and cell by cell."""
    lines = [f"{copy}: {_versions(old, new)}"]
    if old and is_older(new, old):
        lines.append(f"warning: {new} is older than what you have")
    for one in plan.changes:
        lines.extend(_file_lines(one))
    if not plan.changes:
        lines.append("nothing to do: all is as in the course, or as you wanted it")
    return lines


def done_lines(done: Done, wheel: Path | None, new: str) -> list[str]:
    """What an update did, and what to do next."""
    lines = [f"{name} was saved just now and is left; run the same again" for name in done.skipped]
    if done.backup:
        lines.append(f"the old files are kept in {done.backup}")
    lines.append("if a notebook is open in JupyterLab: File > Reload Notebook from Disk")
    if wheel is not None and new != version("tlcourse"):
        lines.append(f'then install it: {sys.executable} -m pip install --upgrade "{wheel}"')
    return lines


def _versions(old: str, new: str) -> str:
    return f"{old or 'an unknown version'} -> {new}" if old != new else f"version {new}"


def _file_lines(one: FileChange) -> list[str]:
    beside = f" {one.target}" if one.kind == "beside" else ""
    lines = [f"  {one.name}: {_KINDS[one.kind]}{beside}"]
    for what, words in _CELLS.items():
        if one.named(what):
            lines.append(f"    {words}: {', '.join(one.named(what))}")
    return lines
