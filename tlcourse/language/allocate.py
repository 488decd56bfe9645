"""T.alloc_*: buffers on the chip. Their contents are undefined until they are written."""

from __future__ import annotations

import math

from tlcourse.dialects import tl
from tlcourse.dialects.dtypes import DTYPES
from tlcourse.language.affine import Index
from tlcourse.language.buffers import Buffer, Space, describe, known
from tlcourse.language.builder import builder
from tlcourse.language.calls import statement
from tlcourse.language.dtype_rules import check_dtype
from tlcourse.language.host import entries
from tlcourse.language.scalar import Operand

Shape = object


@statement
def alloc_shared(shape: Shape, dtype: str, scope: str = "shared.dyn") -> Buffer:
    """A tile in UB or L1, whichever its use asks for (Developer form).

    Args:
        shape: extents, numbers; an int for 1-D.
        dtype: TileLang dtype.
        scope: upstream's scope string.

    Raises:
        TL116: there is no such dtype.
        TL117: an extent is no positive number, or the scope does not exist.
    """
    return _alloc(shape, dtype, "shared" if dtype == "bool" else _scope(scope), None)


@statement
def alloc_fragment(shape: Shape, dtype: str, scope: str = "local.fragment") -> Buffer:
    """A tile in UB or L0C, whichever its use asks for (Developer form).

    Args:
        shape: extents, numbers; an int for 1-D.
        dtype: TileLang dtype.
        scope: upstream's scope string.

    Raises:
        TL116: there is no such dtype.
        TL117: an extent is no positive number, or the scope does not exist.
    """
    return _alloc(shape, dtype, _scope(scope), None)


@statement
def alloc_ub(shape: Shape, dtype: str) -> Buffer:
    """A tile in the unified buffer (UB) of a vector core.

    Args:
        shape: extents, numbers; an int for 1-D.
        dtype: TileLang dtype.

    Raises:
        TL116: there is no such dtype.
        TL117: an extent is no positive number.
    """
    return _alloc(shape, dtype, "shared", "UB")


@statement
def alloc_local(shape: Shape, dtype: str, scope: str = "local") -> Buffer:
    """A few scalars that a core keeps for its loops (Developer form).

    Args:
        shape: extents, numbers; an int for 1-D.
        dtype: TileLang dtype.
        scope: upstream's scope string.

    Raises:
        TL116: there is no such dtype.
        TL117: an extent is no positive number, or the scope does not exist.
    """
    return _alloc(shape, dtype, _scope(scope), None)


@statement
def alloc_var(dtype: str, scope: str = "local.var") -> Buffer:
    """One scalar that can change: a buffer of one element, read and written as `x[0]`.

    Args:
        dtype: TileLang dtype.
        scope: upstream's scope string.

    Raises:
        TL116: there is no such dtype.
        TL117: the scope does not exist.
    """
    return _alloc((1,), dtype, _scope(scope), None)


@statement
def alloc_L1(shape: Shape, dtype: str) -> Buffer:
    """A tile in L1 of the cube core: where the operands of a T.gemm stand.

    Args:
        shape: extents, numbers; an int for 1-D.
        dtype: TileLang dtype.

    Raises:
        TL116: there is no such dtype.
        TL117: an extent is no positive number.
    """
    return _alloc(shape, dtype, "shared.dyn", "L1")


@statement
def alloc_L0A(shape: Shape, dtype: str) -> Buffer:
    """A tile in L0A of the cube core: the left operand of the matrix unit.

    Args:
        shape: extents, numbers; an int for 1-D.
        dtype: TileLang dtype.

    Raises:
        TL116: there is no such dtype.
        TL117: an extent is no positive number.
    """
    return _alloc(shape, dtype, "wmma.matrix_a", "L0A")


@statement
def alloc_L0B(shape: Shape, dtype: str) -> Buffer:
    """A tile in L0B of the cube core: the right operand of the matrix unit.

    Args:
        shape: extents, numbers; an int for 1-D.
        dtype: TileLang dtype.

    Raises:
        TL116: there is no such dtype.
        TL117: an extent is no positive number.
    """
    return _alloc(shape, dtype, "wmma.matrix_b", "L0B")


@statement
def alloc_L0C(shape: Shape, dtype: str) -> Buffer:
    """A tile in L0C of the cube core: where a T.gemm accumulates.

    Args:
        shape: extents, numbers; an int for 1-D.
        dtype: TileLang dtype, float32 (int32 for int8 operands).

    Raises:
        TL116: there is no such dtype.
        TL117: an extent is no positive number.
    """
    return _alloc(shape, dtype, "wmma.accumulator", "L0C")


def _alloc(shape: Shape, dtype: str, scope: str, space: Space | None) -> Buffer:
    build = builder()
    name = check_dtype(dtype)
    extents = chip_shape(shape)
    kind = tl.buffer_type(extents, DTYPES[name].mlir, scope)
    op = build.emit(tl.AllocOp("buffer", kind))
    return Buffer(name="", value=op.result, dtype=name, shape=extents, space=space, span=build.span)


def _scope(scope: str) -> str:
    if scope in tl.SCOPES and scope != "global":
        return scope
    raise builder().fail(
        "TL117",
        f"there is no scope {scope!r} on the chip",
        why=f"the scopes are {', '.join(tl.SCOPES[1:])}",
        fix="leave `scope` out: the allocation call names the memory",
        at={"scope": ""},
    )


def chip_shape(shape: Shape) -> tuple[int, ...]:
    """The extents of a buffer on the chip.

    Raises:
        TL117: one is no positive number.
    """
    extents = tuple(_extent(entry) for entry in entries(shape))
    if extents and math.prod(extents) > 0 and min(extents) > 0:
        return extents
    raise builder().fail(
        "TL117",
        f"a buffer cannot have the shape {extents}",
        why="each extent is at least 1, and there is at least one",
        fix="check how the extents are computed; // of a small number may be 0",
        at={"shape": ""},
    )


def _extent(entry: object) -> int:
    number: Index | None = None
    if isinstance(entry, int) and not isinstance(entry, bool):
        number = int(entry)
    elif isinstance(entry, Operand):
        number = known(entry.expr()) if entry.expr().known is not None else None
    if isinstance(number, int):
        return number
    raise builder().fail(
        "TL117",
        f"an extent of a buffer on the chip is {describe(entry)}",
        why="on-chip memory is planned before the kernel runs, so on-chip shapes are constants",
        fix="allocate the largest tile, and use a part of it: buffer[0:rows, :]",
        at={"shape": ""},
    )
