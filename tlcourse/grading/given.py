"""The kernels that an exercise gives: to a learner's pass, or to be mended.

They are made from the spec's own TileLang source, on the side that asks.
"""

from __future__ import annotations

import hashlib
import linecache
from collections import Counter
from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import ModuleOp

from tlcourse.dialects.signature import stamp
from tlcourse.dialects.text import to_text
from tlcourse.grading.spec import Case, Spec
from tlcourse.language import PrimFunc


def texts(spec: Spec, cases: Sequence[Case]) -> tuple[str, ...]:
    """The given module of each case; empty for exercises that give none."""
    if spec.kind != "pass":
        return ()
    factories = _factories(spec.given)
    return tuple(_text(factories[case.given], case) for case in cases)


def op_counts(spec: Spec, case: Case) -> dict[str, int]:
    """How often each TileLang op stands in the given kernel; empty where none is given."""
    if not case.given:
        return {}
    return tile_ops(_factories(spec.given)[case.given](**case.binding).module)


def tile_ops(module: ModuleOp) -> dict[str, int]:
    """How often each TileLang op stands in a module of Tile IR."""
    return dict(Counter(op.name for op in module.walk() if op.name.startswith("tl.")))


def _factories(source: str) -> dict[str, Callable[..., PrimFunc]]:
    import tlcourse.language as T

    file = f"<given {hashlib.sha256(source.encode()).hexdigest()[:8]}>"
    # The front end reads a kernel's text by file name.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names: dict[str, object] = {"T": T}
    exec(compile(source, file, "exec"), names)  # the spec's text, never a learner's
    return cast(dict[str, Callable[..., PrimFunc]], names)


def _text(factory: Callable[..., PrimFunc], case: Case) -> str:
    module = factory(**case.binding).module.clone()
    stamp(module, mode="Developer", target="npuir", out_idx=(), pass_configs={})
    return to_text(module)
