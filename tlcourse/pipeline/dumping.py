"""What `tlcourse opt` shows besides the result: modules after passes, and times."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

from tlcourse.pipeline.opt import Done, Form

_MS = 1e3


@dataclass(kw_only=True)
class Dumps:
    """Listens to a run.

    Args:
        form: how modules are written.
        after_all: print the module after each pass, on stderr.
        after_change: print it after passes that changed it.
        folder: keep the module after each pass here, in `000_<pass>.mlir` and so on.
        timing: keep the time of each pass.
    """

    form: Form
    after_all: bool = False
    after_change: bool = False
    folder: Path | None = None
    timing: bool = False
    _last: str = ""
    _times: list[tuple[str, float]] = field(default_factory=lambda: list[tuple[str, float]]())

    def after(self, done: Done) -> None:
        """Takes note of a pass that ran."""
        self._times.append((done.one.name, done.seconds))
        for note in done.notes:
            print(f"// {done.one.name}: {note}", file=sys.stderr)
        if not (self.after_all or self.after_change or self.folder is not None):
            return
        text = self.form.text(done.module)
        if self.after_all or (self.after_change and text != self._last):
            kind = type(done.one).__name__
            print(f"// -----// IR Dump After {kind} ({done.one.name}) //----- //", file=sys.stderr)
            print(text, file=sys.stderr)
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            name = f"{done.index:03}_{done.one.name}.mlir"
            (self.folder / name).write_text(text, encoding="utf-8")
        self._last = text

    def timing_lines(self) -> list[str]:
        """Milliseconds and share of each pass, in the order of the run."""
        total = sum(seconds for _, seconds in self._times) or 1.0
        rows = [*self._times, ("total", sum(seconds for _, seconds in self._times))]
        return ["      ms      %  pass"] + [
            f"{seconds * _MS:8.2f}  {100 * seconds / total:5.1f}  {name}" for name, seconds in rows
        ]
