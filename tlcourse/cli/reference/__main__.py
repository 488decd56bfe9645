"""Writes docs/api/, or with --check lists what is out of date and ends with 1."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tlcourse.cli.reference.made import made, stale


def main(arguments: Sequence[str]) -> int:
    """`python -m tlcourse.cli.reference [--check]`."""
    root = Path(__file__).parents[3]
    texts = made(root)
    late = stale(root, texts)
    if "--check" in arguments:
        print("\n".join(f"{path.relative_to(root)}: run make docs" for path in late))
        return 1 if late else 0
    for path in late:
        print(path.relative_to(root))
        if path not in texts:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
