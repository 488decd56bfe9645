"""The list of passes that `tlcourse opt --list` prints."""

from __future__ import annotations

from collections.abc import Iterator

from tlcourse.pipeline.registry import Level, passes

_TITLES: dict[Level, str] = {
    "tir": "Passes on Tile IR",
    "npuir": "Passes on AscendNPU IR",
    "mlir": "Passes on MLIR's own dialects, from tosa to llvm",
}


def list_lines() -> Iterator[str]:
    """Every pass with one line of what it does; below it, its options and their defaults."""
    width = max(map(len, passes()))
    for level, title in _TITLES.items():
        yield title
        for entry in passes().values():
            if entry.level == level:
                yield f"  {entry.name:<{width}}  {entry.summary}"
                for option, default in entry.options.items():
                    yield f"  {'':<{width}}    {option}={default}"
        yield ""
    yield "xDSL's own passes can be named too, such as canonicalize and convert-scf-to-cf."
