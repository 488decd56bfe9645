"""What a `T.copy` of Expert mode may not ask for, told before any code is generated.

An Expert copy is one move that the learner chose: it moves bytes, and between GM and UB it moves
them in slots of 32 bytes. Both executors ask these rules, so that a kernel which no instruction
can carry out does not pass on the one that knows no instructions.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.codegen.cores import space_of
from tlcourse.codegen.regions import name_of
from tlcourse.codegen.writer import constant_of
from tlcourse.diagnostics import Label, SourceMap, TLError, error
from tlcourse.dialects import tl
from tlcourse.dialects.dtypes import Dtype, dtype_of
from tlcourse.dialects.locations import span_of
from tlcourse.dialects.signature import mode_of

# Memories that one instruction joins, and the op that stands for it.
PATHS = {
    ("gm", "ub"): "copy",
    ("ub", "gm"): "copy",
    ("ub", "ub"): "copy",
    ("gm", "cbuf"): "nd2nz",
    ("cc", "gm"): "fixpipe",
}
# Conversions on the way out of L0C, by dtype.
_PRE_QUANT = {
    ("float32", "float16"): "F322F16",
    ("float32", "bfloat16"): "F322BF16",
    ("int32", "int8"): "S322I8",
}


def check_copies(module: ModuleOp, sources: SourceMap) -> None:
    """Looks at the copies of a stamped kernel; those of Developer mode may ask for more.

    Raises:
        TL213: a copy would have to convert.
        TL215: the UB side of a copy starts inside a slot.
    """
    if mode_of(module) != "Expert":
        return
    for op in module.walk():
        if isinstance(op, tl.CopyOp) and _path(op):
            conversion(op, sources)
            _check_start(op, sources)


def conversion(op: tl.CopyOp, sources: SourceMap) -> str:
    """The conversion word of a fixpipe; empty where the dtypes agree.

    Raises:
        TL213: the move does not convert.
    """
    dtypes = _dtype(op.src).name, _dtype(op.dst).name
    if dtypes[0] == dtypes[1]:
        return ""
    if _path(op) == "fixpipe" and dtypes in _PRE_QUANT:
        return _PRE_QUANT[dtypes]
    pairs = ", ".join(f"{a} to {b}" for a, b in _PRE_QUANT)
    raise _error(
        "TL213",
        f"T.copy does not convert {dtypes[0]} to {dtypes[1]} on this path",
        op,
        sources,
        why=f"in Expert mode a copy moves bytes; only L0C to GM converts, and only {pairs}",
        fix=f"give {name_of(op.src)} and {name_of(op.dst)} one dtype, and convert a tile in UB "
        "with T.vcast",
    )


def _path(op: tl.CopyOp) -> str:
    return PATHS.get((space_of(op.src), space_of(op.dst)), "")


def _check_start(op: tl.CopyOp, sources: SourceMap) -> None:
    """Rows of a tile lie on slots of their own: the last offset says where in one a copy starts."""
    if space_of(op.src) == space_of(op.dst):
        return
    slot = DEFAULT_CHIP.align_bytes["ub"]
    for tile in (op.src, op.dst):
        region = tile.owner
        if space_of(tile) != "ub" or not isinstance(region, tl.RegionOp):
            continue
        first = constant_of(region.offsets[-1])
        start = (first or 0) * _dtype(tile).bits // 8
        if start % slot:
            name = name_of(region.buffer)
            raise _error(
                "TL215",
                f"T.copy starts at UB offset {start} B of a row of {name}, but needs a multiple "
                f"of {slot} B",
                op,
                sources,
                why=f"the DMA between GM and UB moves whole slots of {slot} B: the compiler must "
                "shift data inside a slot, and Expert mode adds no instructions",
                fix=f"copy to the front of a tile and move it on inside UB, T.copy(tile, {name}"
                "[..]); or use Developer mode, where the compiler does so",
            )


def _dtype(value: SSAValue) -> Dtype:
    return dtype_of(tl.memref_of(value).element_type)


def _error(
    code: str, what: str, op: Operation, sources: SourceMap, *, why: str, fix: str
) -> TLError:
    span = span_of(op, sources)
    labels = (Label(span=span),) if span else ()
    return error(code, what, why=why, fix=fix, labels=labels, sources=sources)
