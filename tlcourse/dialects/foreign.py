"""Dialects of MLIR that no kernel of ours needs, read where a file brings them along."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.ir import Dialect

from tlcourse.dialects.llvm import LLVM
from tlcourse.dialects.tosa import TOSA

# What lowers step by step to LLVM; the rest of xDSL's dialects stay unknown, as they differ from
# what the AscendNPU IR compiler prints.
_NAMES = ("cf", "index", "linalg", "math", "vector")
# The two of these that differ from xDSL's.
_OWN: dict[str, Callable[[], Dialect]] = {"llvm": lambda: LLVM, "tosa": lambda: TOSA}


def with_foreign_dialects(ctx: Context) -> Context:
    """Lets a context load further dialects of xDSL when a text uses them."""
    everything: dict[str, Callable[[], Dialect]] = {**get_all_dialects(), **_OWN}
    loaded = {dialect.name for dialect in ctx.loaded_dialects}
    for name in (*_NAMES, *_OWN):
        if name in everything and name not in loaded:
            ctx.register_dialect(name, everything[name])
    return ctx
