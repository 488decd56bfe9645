"""T.copy in Expert mode: which instruction moves a tile from one memory to another."""

from __future__ import annotations

from tlcourse.codegen.copy_rules import PATHS, conversion
from tlcourse.codegen.cores import SPACE_WORDS, require_core, space_of
from tlcourse.codegen.regions import (
    Part,
    matching_dims,
    name_of,
    part_of,
    subview,
    with_known_sizes,
)
from tlcourse.codegen.writer import Writer
from tlcourse.diagnostics import TLError
from tlcourse.dialects import tl
from tlcourse.dialects.hivm.dma import FixpipeOp, ND2NZOp
from tlcourse.dialects.memref import CopyOp


def lower_copy(writer: Writer, op: tl.CopyOp) -> None:
    """Writes a copy as `memref.copy`, `nd2nz` or `fixpipe`.

    Raises:
        TL203: no data path joins the two memories.
        TL213: the dtypes differ and the path does not convert.
        TL123: the extents differ.
    """
    path = PATHS.get((space_of(op.src), space_of(op.dst)))
    if path is None:
        raise _no_path(writer, op)
    require_core(writer, op)
    source, destination = part_of(writer, op.src), part_of(writer, op.dst)
    quant = conversion(op, writer.sources)
    src_dims, dst_dims = matching_dims(writer, op, source, destination)
    source = with_known_sizes(source, src_dims, destination, dst_dims)
    destination = with_known_sizes(destination, dst_dims, source, src_dims)
    if path == "nd2nz":
        src_dims = _at_least_two(src_dims, source)
    if path == "fixpipe":
        dst_dims = _at_least_two(dst_dims, destination)
    src = subview(writer, writer.buffers[source.buffer], source, src_dims)
    dst = subview(writer, writer.buffers[destination.buffer], destination, dst_dims)
    match path:
        case "nd2nz":
            writer.add(ND2NZOp(src, dst))
        case "fixpipe":
            writer.add(FixpipeOp(src, dst, quant, "NORMAL_RELU" if op.relu else ""))
        case _:
            writer.add(CopyOp(src, dst))


def _no_path(writer: Writer, op: tl.CopyOp) -> TLError:
    spaces = space_of(op.src), space_of(op.dst)
    source, destination = (SPACE_WORDS.get(space, "nowhere") for space in spaces)
    names = name_of(op.src), name_of(op.dst)
    why = (
        "a tile reaches the cube core by GM to L1 and leaves it by L0C to GM; T.gemm does the rest"
    )
    fix = "load factors with T.copy into T.alloc_L1, multiply into T.alloc_L0C, copy that to GM"
    if spaces == ("gm", "gm"):
        why = "data moves through an on-chip memory, and one statement is one move"
        fix = f"copy {names[0]} to a tile of T.alloc_ub, then the tile to {names[1]}"
    elif "ub" in spaces and "gm" not in spaces:
        why = (
            "UB belongs to the vector cores, L1 and L0C to the cube core; the two kinds of core "
            "share only global memory"
        )
        fix = (
            f"write {names[0]} to a workspace tensor in GM and read it back into {names[1]} on "
            "the other core, with T.sync_block_set and T.sync_block_wait between; T.alloc_shared "
            "means L1 in Expert mode, so a tile for vector work needs T.alloc_ub"
        )
    what = f"T.copy cannot move a tile from {source} to {destination} on Ascend 910B"
    return writer.error("TL203", what, op, why=why, fix=fix)


def _at_least_two(dims: tuple[int, ...], part: Part) -> tuple[int, ...]:
    """Keeps two dimensions of a GM part, as fractal moves need rows and columns."""
    rank = len(part.sizes)
    if len(dims) >= 2 or rank < 2:
        return dims
    only = max(dims)
    return (only - 1, only) if only else (0, 1)
