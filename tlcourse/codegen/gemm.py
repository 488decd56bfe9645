"""What both kinds of code need to know about a matrix product."""

from __future__ import annotations

from typing import TypedDict

from xdsl.ir import SSAValue

from tlcourse.codegen.regions import Part, part_of
from tlcourse.codegen.writer import Writer
from tlcourse.dialects import tl


class GemmFlags(TypedDict):
    """Which factors lie the other way round."""

    a_transpose: bool
    b_transpose: bool


def gemm_flags(op: tl.GemmOp) -> GemmFlags:
    """The flags of a product."""
    return GemmFlags(a_transpose=op.a_transpose is not None, b_transpose=op.b_transpose is not None)


def gemm_sizes(writer: Writer, op: tl.GemmOp) -> tuple[SSAValue, SSAValue, SSAValue]:
    """Rows, inner extent and columns of a product as index values.

    Differs from upstream: a transposed factor in Developer mode gives its true extents.
    """
    a, b = part_of(writer, op.a).sizes[-2:], part_of(writer, op.b).sizes[-2:]
    m, k = reversed(a) if op.a_transpose else a
    n = b[0] if op.b_transpose else b[1]
    return writer.index_value(m), writer.index_value(k), writer.index_value(n)


def is_corner(part: Part) -> bool:
    """Whether a factor is its buffer from the origin: the sizes of the product say the rest."""
    return len(part.sizes) == 2 and part.starts_at_origin


def last_two(part: Part) -> tuple[int, int]:
    """The dimensions of a matrix inside a stack of matrices."""
    return len(part.sizes) - 2, len(part.sizes) - 1
