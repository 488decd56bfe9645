"""The child process of suite examples: runs one file and writes why it failed, if it did.

Arguments: the file for the reason, the kind (`main`, `call`, `pytest`), the example's path,
and the arguments of its command line (or the expression of `call`).
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from tlcourse import device
from tlcourse.conformance.child import limit_memory
from tlcourse.conformance.pytest_run import run_pytest
from tlcourse.conformance.reasons import reason_of


def run(kind: str, file: Path, arguments: Sequence[str]) -> None:
    """Runs a file to the end of its check; whatever it raises goes through."""
    sys.argv = [str(file), *(arguments if kind == "main" else ())]
    sys.path.insert(0, str(file.parent))
    device.install()
    if kind == "main":
        runpy.run_path(str(file), run_name="__main__")
    elif kind == "call":
        names = runpy.run_path(str(file), run_name=file.stem)
        exec(compile(arguments[0], f"the check of {file.name}", "exec"), names)  # our own table
    else:
        options = ("-x", "-q", "--rootdir", str(file.parent), "-p", "no:cacheprovider")
        _must_pass(run_pytest([*options, "-p", "no:xdist", *arguments, str(file)]))


def _must_pass(code: int) -> None:
    if code != 0:
        raise RuntimeError("its tests do not pass" if code == 1 else f"pytest's exit code {code}")


def main() -> int:
    """Reads the arguments; 0 if the check passed."""
    reason, kind, file, *arguments = sys.argv[1:]
    limit_memory()
    try:
        run(kind, Path(file), arguments)
    except SystemExit as end:
        return int(end.code or 0) if isinstance(end.code, int | None) else 1
    except BaseException as problem:
        Path(reason).write_text(reason_of(problem), encoding="utf-8")
        raise
    return 0


if __name__ == "__main__":
    sys.exit(main())
