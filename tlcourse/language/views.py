"""T.view: a second name for the elements of a tile, in another shape or dtype.

The two names mean one memory. A view is made as a tile of its own, which nobody can tell from
that as long as no name is written while the other one is still read; see `view_checks`.
"""

from __future__ import annotations

from tlcourse.dialects import tl
from tlcourse.dialects.dtypes import DTYPES
from tlcourse.language.allocate import chip_shape
from tlcourse.language.bits import bitcast
from tlcourse.language.buffers import Buffer
from tlcourse.language.builder import View, builder
from tlcourse.language.calls import statement
from tlcourse.language.reshaping import check_counts, whole


@statement
def view(src: object, shape: object = None, dtype: str | None = None) -> Buffer:
    """A second name for a tile, in another shape or dtype: `flat = T.view(a, (4096,))`.

    Behind it, one name may be written only if the other one is not read any more.

    Args:
        src: buffer on the chip.
        shape: extents, numbers, of as many elements; those of `src` if left out.
        dtype: TileLang dtype of the same width; that of `src` if left out.

    Returns:
        the tile under its second name.

    Raises:
        TL116: there is no such dtype.
        TL117: an extent is no positive number.
        TL121: `src` is no tile, a part of one, or a tensor in global memory.
        TL123: another number of elements.
        TL124: the widths of the dtypes differ.
        TL141: one name is written, and the other one read later.
    """
    source = whole("view", src, "src").buffer
    if source.space not in (None, "UB"):
        raise _elsewhere(source)
    result = source
    if dtype is not None and dtype != source.dtype:
        result = bitcast(source, dtype, None)
    if shape is not None:
        result = _shaped(result, chip_shape(shape))
    if result is not source:
        _remember(source, result)
    return result


def _shaped(source: Buffer, shape: tuple[int, ...]) -> Buffer:
    build = builder()
    kind = tl.buffer_type(shape, DTYPES[source.dtype].mlir, tl.scope_of(source.value))
    value = tl.AllocOp("view", kind).result
    result = Buffer(
        name="",
        value=value,
        dtype=source.dtype,
        shape=shape,
        space=source.space,
        span=build.span,
    )
    check_counts("view", source.whole(), result.whole())
    build.emit(value.owner)
    build.emit(tl.ReshapeOp(source.value, value))
    return result


def _remember(source: Buffer, result: Buffer) -> None:
    """Keeps the pair for the check at the end, and the pairs with what `source` is a view of."""
    build = builder()
    filled = build.block.last_op
    assert filled is not None, "the op that fills the view"
    older = {view.buffers[0] for view in build.views if view.buffers[1] is source.value}
    younger = {view.buffers[1] for view in build.views if view.buffers[0] in {source.value, *older}}
    for other in (source.value, *older, *younger):
        if other is not result.value:
            build.views.append(View(op=filled, name=source.name, buffers=(other, result.value)))


def _elsewhere(source: Buffer) -> Exception:
    where = "global memory" if source.space == "GM" else f"{source.space}, in fractal order"
    fix = (
        f"give the tensor another shape or dtype before the call, in torch: {source.name}.view(..)"
        if source.space == "GM"
        else "take the view of a tile in UB, or of a tensor before the call"
    )
    return builder().fail(
        "TL121",
        f"`src` of T.view is `{source.name}`, which lies in {where}",
        why="it gives a tile whose elements lie row by row a second name",
        fix=fix,
        at={"src": source.space or ""},
    )
