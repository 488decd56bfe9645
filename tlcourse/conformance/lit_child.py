"""The child process of suite lit: judges one file and writes its verdicts.

Arguments: the file for the verdicts, the path of the lit file.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from tlcourse.conformance.child import limit_memory
from tlcourse.conformance.lit_judge import judge


def main() -> int:
    """Reads the arguments; 0 if there are verdicts, whatever they say."""
    result, file = map(Path, sys.argv[1:])
    limit_memory()
    text = file.read_text(encoding="utf-8", errors="replace")
    found = [asdict(verdict) for verdict in judge(text)]
    result.write_text(json.dumps(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
