"""From generated text to a function, and from a line of that text back to the learner's."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from types import TracebackType
from typing import cast

from tlcourse import tile_math
from tlcourse.functional import batched_tiles, numbers, runtime
from tlcourse.functional.launch import Steps

FILE = "<tlcourse functional>"
_TAG = re.compile(r"  # (\d+)$")


@lru_cache(maxsize=256)
def load(source: str) -> Callable[..., Steps]:
    """The `run` of a generated source; compiled once in this process."""
    modules = (numbers, runtime, batched_tiles)
    namespace = {name: value for module in modules for name, value in vars(module).items()}
    namespace |= {"numeric": tile_math, "__source__": source}
    exec(compile(source, FILE, "exec"), namespace)
    return cast(Callable[..., Steps], namespace["run"])


def place_of(traceback: TracebackType | None) -> int:
    """The span position in the tag of the generated line that failed; -1 without one."""
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_code.co_filename == FILE:
            line = frame.f_globals["__source__"].splitlines()[traceback.tb_lineno - 1]
            return place_at(line)
        traceback = traceback.tb_next
    return -1


def place_at(line: str) -> int:
    """The span position in the tag of a generated line; -1 without one."""
    tag = _TAG.search(line)
    return int(tag[1]) if tag else -1
