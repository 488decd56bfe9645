"""What a tuner says: lines on the screen, and all of them in `autotuner.log`."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

LOG_FILE = "autotuner.log"


class Log:
    """Lines of one tuning. `tilelang.set_log_level("WARNING")` keeps them from the screen."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def say(self, line: str) -> None:
        """A line for screen and file."""
        self.note(line)
        if logging.getLogger("tlcourse").level <= logging.INFO:
            print(line)

    def note(self, line: str) -> None:
        """A line for the file."""
        self._lines.append(line)

    def write(self, folder: Path) -> None:
        """Writes the file. A folder that cannot be written is no error."""
        try:
            (folder / LOG_FILE).write_text("\n".join([*self._lines, ""]), encoding="utf-8")
        except OSError:
            return


@contextmanager
def logging_to(folder: Path) -> Generator[Log]:
    """A log that is written when the tuning is over, also when it failed."""
    log = Log()
    try:
        yield log
    finally:
        log.write(folder)
