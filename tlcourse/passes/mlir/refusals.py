"""What the passes of this folder say of an op that they cannot take down."""

from __future__ import annotations

from xdsl.ir import Operation

from tlcourse.diagnostics import Label, TLError, error
from tlcourse.dialects.locations import span_of


def no_way_down(op: Operation, pass_name: str, why: str, fix: str) -> TLError:
    """TL360 at an op.

    Args:
        op: the op.
        pass_name: the pass that met it.
        why: what the pass takes instead, or what is missing.
        fix: what to write.
    """
    span = span_of(op, {})
    labels = () if span is None else (Label(span=span, text=op.name),)
    what = f"{pass_name} cannot lower {op.name}"
    return error("TL360", what, why=why, fix=fix, labels=labels)
