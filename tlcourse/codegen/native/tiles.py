"""Statements on tiles as loops: copies, conversions, vector ops, fills and counts."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from tlcourse.codegen.native.code import (
    C_TYPES,
    SHORT,
    Code,
    Inner,
    address,
    kind_of,
    loaded,
    stored,
)
from tlcourse.codegen.native.names import is_name
from tlcourse.codegen.native.views import (
    Extent,
    NotNative,
    View,
    lifted,
    squeezed,
    stretched,
    times,
)
from tlcourse.dialects import tl

_FLOATS = ("float16", "bfloat16", "float32")
_FORMS = {
    "vadd": "{0} + {1}",
    "vsub": "{0} - {1}",
    "vmul": "{0} * {1}",
    "vdiv": "{0} / {1}",
    "vmax": "({0} > {1} || {0} != {0}) ? {0} : {1}",
    "vmin": "({0} < {1} || {0} != {0}) ? {0} : {1}",
    "vexp": "exp_f32({0})",
    "vln": "logf({0})",
    "vsqrt": "sqrtf({0})",
    "vrsqrt": "1.0f / sqrtf({0})",
    "vrec": "1.0f / {0}",
    "vabs": "{0} < 0 ? -{0} : {0}",
    "vrelu": "{0} < 0 ? 0 : {0}",
}
_INTEGERS = ("vadd", "vsub", "vmul", "vmax", "vmin", "vabs", "vrelu")
_FORMS_OF_BITS = {"vand": "{0} & {1}", "vor": "{0} | {1}", "vxor": "{0} ^ {1}"}
_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "gt": ">", "ge": ">=", "le": "<="}
_WHOLE = {
    **{"rint": "nearbyintf", "round": "roundf", "floor": "floorf", "ceil": "ceilf"},
    **{"trunc": "truncf"},
}
_RANGE = {"int8": ("-128", "127"), "int16": ("-32768", "32767")}

Compute = Callable[[Sequence[str]], str]


def copy(code: Code, op: tl.CopyOp) -> None:
    """Copies a tile into a tile, in the destination's dtype."""
    src, dst = code.source(op.src), code.views[op.dst]
    if is_name(op):
        code.views[op.dst] = squeezed(src)
        return
    if not code.row:
        src, dst = squeezed(src), squeezed(dst)
    if len(src.shape) != len(dst.shape):
        raise NotNative("a copy between tiles of other rank")
    convert = conversion(src.dtype, dst.dtype, "rint")
    relu = op.relu is not None
    pointwise(
        code,
        [src],
        dst,
        lambda x: f"({convert(x)}) < 0 ? 0 : {convert(x)}" if relu else convert(x),
        plain=not relu,
    )


def cast(code: Code, op: tl.CastOp) -> None:
    """Converts a tile to another dtype."""
    dst = code.views[op.destination]
    src = lifted(code.source(op.source), len(dst.shape))
    convert = conversion(src.dtype, dst.dtype, op.round_mode.data)
    pointwise(code, [src], dst, convert, plain=op.round_mode.data == "rint")


def broadcast(code: Code, op: tl.BroadcastOp) -> None:
    """Fills a tile with a scalar, or repeats a tile."""
    dst = code.views[op.destination]
    if not isinstance(op.source.type, MemRefType):
        pointwise(code, [], dst, lambda _: code.scalars[op.source])
        return
    src = lifted(code.source(op.source), len(dst.shape))
    pointwise(code, [src], dst, lambda x: x[0])


def elementwise(code: Code, op: tl.ElementwiseOp) -> None:
    """Computes an op of the table of vector ops."""
    dst = code.views[op.destination]
    tiles = [code.source(one) for one in op.sources if isinstance(one.type, MemRefType)]
    dtype = tiles[0].dtype if op.row.mask == "destination" else dst.dtype
    form = _form(op, dtype)
    if op.row.mnemonic == "vdiv" and _divides_rows(tiles, dst):
        form = "{0} * (1.0f / {1})"  # the compiler takes the reciprocal out of the loop

    def compute(texts: Sequence[str]) -> str:
        given = iter(texts)
        return form.format(*(_operand(code, one, given, dtype) for one in op.sources))

    pointwise(code, [lifted(tile, len(dst.shape)) for tile in tiles], dst, compute)


def _divides_rows(tiles_: Sequence[View], dst: View) -> bool:
    """Whether a float32 tile is divided by one number a row; the last bit may differ then."""
    if len(tiles_) != 2 or dst.dtype != "float32" or not dst.shape or dst.shape[-1] == 1:
        return False
    return lifted(tiles_[1], len(dst.shape)).shape[-1] == 1


def arange(code: Code, op: tl.ArangeOp) -> None:
    """Counts: an offset, and a step for each dimension."""
    (destination,) = op.destinations
    dst = code.views[destination]
    steps = [code.scalars[one] for one in op.strides]
    with nest(code, dst.shape) as indices:
        terms = [f"{i} * {step}" for i, step in zip(indices, steps, strict=True)]
        value = " + ".join([code.scalars[op.offset], *terms])
        code.line(f"{element(dst, indices)} = {stored(dst.dtype, value)};")


def conversion(source: str, target: str, mode: str) -> Compute:
    """How an element becomes one of another dtype.

    Raises:
        NotNative: there is no form for it.
    """
    is_float = source in _FLOATS
    if target == "bool" or (source == target and not (is_float and mode != "rint")):
        return lambda x: x[0]
    if target in _FLOATS:
        if mode not in ("rint", "trunc") and is_float:
            raise NotNative(f"rounding by {mode}")
        if mode == "trunc" and is_float and target != "float32":
            raise NotNative("cutting digits")
        return lambda x: x[0]
    if is_float and target == "int32" and mode in _WHOLE:
        whole = _WHOLE[mode]
        return lambda x: (
            f"{x[0]} != {x[0]} ? 0 : {x[0]} >= 2147483648.0f ? INT32_MAX : "
            f"{x[0]} <= -2147483648.0f ? INT32_MIN : (int32_t){whole}({x[0]})"
        )
    if is_float and target in _RANGE and mode in _WHOLE:
        low, high = _RANGE[target]
        whole = _WHOLE[mode]
        return lambda x: (
            f"{x[0]} != {x[0]} ? 0 : {x[0]} > {high}.0f ? {high} : "
            f"{x[0]} < {low}.0f ? {low} : (int32_t){whole}({x[0]})"
        )
    if (source, target) in (("int8", "int16"), ("int8", "int32"), ("int16", "int32")):
        return lambda x: x[0]
    raise NotNative(f"{source} to {target}")


def pointwise(
    code: Code, sources: Sequence[View], dst: View, compute: Compute, *, plain: bool = False
) -> None:
    """A loop nest over the destination; `plain` values are only copied or rounded."""
    _check_extents(code, sources, dst)
    sources = [stretched(source, dst) for source in sources]
    if not code.row:
        sources, dst = _flattened(sources, dst)
    if plain and not _joins(code, sources, dst) and _by_rows(code, sources[0], dst):
        return
    *outer, last = dst.shape or (1,)
    with nest(code, outer) as indices, _columns(code, last, sources, dst) as (top, index):
        kept = [_hoisted(code, source, indices, top) for source in sources]
        places = [*indices, index] if dst.shape else []
        texts = [
            text or loaded(source.dtype, element(source, places))
            for text, source in zip(kept, sources, strict=True)
        ]
        names = [
            _named(code, text, source.dtype) for text, source in zip(texts, sources, strict=True)
        ]
        code.line(f"{element(dst, places)} = {stored(dst.dtype, compute(names))};")


@contextmanager
def _columns(
    code: Code, extent: Extent, sources: Sequence[View], dst: View
) -> Generator[tuple[int, str]]:
    """The loop over columns: that of the statement before where it can go on, or a new one.

    Gives the line before which what does not change may stand, and the index. A loop goes on
    with statements of the same rows and columns: their buffers are whole, so that two of them are
    the same or apart, and an element depends on elements of its own place only.
    """
    inner, written = code.inner, frozenset({dst.start})
    if inner is not None and _goes_on(code, inner, extent, sources):
        del code.lines[-2:]
        top, index, written = inner.top, inner.index, written | inner.written
    else:
        code.line("{")
        top, index = len(code.lines), code.name("i")
        code.line('  _Pragma("GCC ivdep")')
        code.line(f"  for (int64_t {index} = 0; {index} < {extent}; {index}++) {{")
    code.depth += 2
    yield top, index
    code.depth -= 2
    code.line("  }")
    code.line("}")
    if code.row:
        code.inner = Inner(
            index=index, extent=extent, top=top, end=len(code.lines), written=written
        )


def _joins(code: Code, sources: Sequence[View], dst: View) -> bool:
    """Whether a copy of whole rows is better done in the loop before it."""
    same = code.inner is not None and sources[0].dtype == dst.dtype
    return same and _goes_on(code, code.inner, dst.shape[-1], sources)


def _goes_on(code: Code, inner: Inner | None, extent: Extent, sources: Sequence[View]) -> bool:
    if inner is None or not code.row or (inner.end, inner.extent) != (len(code.lines), extent):
        return False
    repeated = {one.start for one in sources if one.shape and one.strides[-1] == 0}
    return not repeated & inner.written


def _named(code: Code, text: str, dtype: str) -> str:
    if text.isidentifier():
        return text
    name = code.name("x")
    code.line(f"{kind_of(dtype)} {name} = {text};")
    return name


def _hoisted(code: Code, source: View, indices: Sequence[str], top: int) -> str:
    """A source that does not change along the last dimension, read before its loop."""
    if not source.shape or source.strides[-1] != 0:
        return ""
    name = code.name("same")
    text = loaded(source.dtype, element(source, [*indices, "0"]))
    code.lines.insert(top, f"{'  ' * code.depth}const {kind_of(source.dtype)} {name} = {text};")
    return name


def _flattened(sources: Sequence[View], dst: View) -> tuple[list[View], View]:
    """One dimension instead of several where no operand has gaps or repeats."""
    views = [*sources, dst]
    if len(dst.shape) < 2 or not dst.is_dense():
        return list(sources), dst
    if not all(v.strides == dst.strides and v.shape == dst.shape for v in views):
        return list(sources), dst
    count: Extent = 1
    for extent in dst.shape:
        count = times(count, extent)
    flat = [View(start=v.start, dtype=v.dtype, shape=(count,), strides=(1,)) for v in views]
    return flat[:-1], flat[-1]


def _by_rows(code: Code, src: View, dst: View) -> bool:
    """Copies whole rows, if both have their elements side by side."""
    if not dst.shape or src.strides[-1] != 1 or dst.strides[-1] != 1:
        return False
    kinds = (SHORT.get(src.dtype), SHORT.get(dst.dtype))
    is_row = src.dtype == dst.dtype or (None not in kinds and "f32" in kinds)
    if not is_row:
        return False
    *outer, last = dst.shape
    with nest(code, outer) as indices:
        places = [*indices, "0"]
        source, target = (f"&{element(one, places)}" for one in (src, dst))
        if src.dtype == dst.dtype:
            code.line(f"memmove({target}, {source}, sizeof({C_TYPES[dst.dtype]}) * ({last}));")
        else:
            code.line(f"row_{kinds[0]}_{kinds[1]}({source}, {target}, {last});")
    return True


def fetched(code: Code, view: View) -> View:
    """A tensor that a loop over rows reads; the next row is on its way while one is computed."""
    row, last = view.strides[0], view.shape[-1]
    place = f"{view.start}[({code.row} + 1) * {row}]"
    code.line(f"fetch(&{place}, sizeof({C_TYPES[view.dtype]}) * ({last}));")
    return view


def _check_extents(code: Code, sources: Sequence[View], dst: View) -> None:
    faults: list[str] = []
    for source in sources:
        for have, want in zip(source.shape, dst.shape, strict=True):
            if have in (want, 1):
                continue
            if isinstance(have, int) and isinstance(want, int):
                raise NotNative("extents disagree")
            faults.append(f"{have} != {want}")
    code.refuse(faults)


def element(view: View, indices: Sequence[str]) -> str:
    """An element as C."""
    return f"{view.start}[{address(view, indices)}]"


@contextmanager
def nest(code: Code, shape: Sequence[Extent]) -> Generator[list[str]]:
    """Loops over some dimensions; gives the names of their indices.

    Where several statements share the loop over rows, it is there already.
    """
    if code.row and len(shape) == 1:
        yield [code.row]
        return
    names = [code.name("r") for _ in shape]
    for name, extent in zip(names, shape, strict=True):
        code.line(f"for (int64_t {name} = 0; {name} < {extent}; {name}++) {{")
        code.depth += 1
    yield names
    for _ in shape:
        code.depth -= 1
        code.line("}")


def _operand(code: Code, value: SSAValue, tiles: Iterator[str], dtype: str) -> str:
    if isinstance(value.type, MemRefType):
        return next(tiles)
    text = code.scalars[value]
    return loaded(dtype, stored(dtype, f"({text})"))


def _form(op: tl.ElementwiseOp, dtype: str) -> str:
    """The C form of an op on a dtype.

    Raises:
        NotNative: there is none.
    """
    mnemonic, is_float = op.row.mnemonic, dtype in _FLOATS
    if isinstance(op, tl.VcmpOp):
        return f"{{0}} {_COMPARE[op.mode.data]} {{1}}"
    if mnemonic == "vselect":
        return "{0} ? {1} : {2}"
    if mnemonic in _FORMS and (is_float or mnemonic in _INTEGERS):
        return _FORMS[mnemonic]
    if mnemonic in _FORMS_OF_BITS and not is_float:
        return _FORMS_OF_BITS[mnemonic]
    raise NotNative(f"{mnemonic} on {dtype}")
