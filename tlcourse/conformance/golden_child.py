"""The child process of suite goldens: runs one kernel source of upstream up to its MLIR.

Arguments: the file for the result, the source's path. A source calls `tilelang.engine.lower`,
writes the text to output/ in the folder that it runs in, and compares it with upstream's file,
which is not there: what counts is the text.
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import sys
from pathlib import Path

from tlcourse.config import mode_from
from tlcourse.conformance.child import limit_memory
from tlcourse.conformance.reasons import reason_of


def main() -> int:
    """Reads the arguments and writes mode, file and reason; 0 if nothing went wrong."""
    result, file = sys.argv[1:]
    limit_memory()
    Path("output").mkdir()
    sys.argv = [file]
    try:
        # The comparison at the end finds no file of upstream's, and that is no failure.
        with contextlib.suppress(FileNotFoundError):
            runpy.run_path(file, run_name="__main__")
    except BaseException as problem:
        _tell(Path(result), reason_of(problem))
        raise
    _tell(Path(result), "")
    return 0


def _tell(result: Path, reason: str) -> None:
    mode = mode_from(os.environ.get("TILELANG_ASCEND_MODE", ""))
    result.write_text(json.dumps({"mode": mode, "reason": reason}), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
