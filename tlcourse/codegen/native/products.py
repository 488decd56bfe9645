"""Products and reductions of tiles as C."""

from __future__ import annotations

from tlcourse.codegen.native.code import BYTES, SHORT, Code, kind_of, loaded, stored
from tlcourse.codegen.native.tiles import element, nest
from tlcourse.codegen.native.views import NotNative, View, squeezed
from tlcourse.dialects import tl

_LARGEST_PANEL = 32  # columns of a panel on the widest machine, see runtime.h
_START = {"sum": "0", "max": "-INFINITY", "min": "INFINITY"}
_STEP = {
    "sum": "{0} + {1}",
    "max": "({1} > {0} || {1} != {1}) ? {1} : {0}",
    "min": "({1} < {0} || {1} != {1}) ? {1} : {0}",
}


def gemm(code: Code, op: tl.GemmOp) -> None:
    """C (+)= A B, in float32, or in int32 for int8.

    Raises:
        NotNative: sizes are open, or the dtypes have no product here.
    """
    a, b, c = (_matrix(code.views[one]) for one in (op.a, op.b, op.c))
    if op.a_transpose is not None:
        a = _turned(a)
    if op.b_transpose is not None:
        b = _turned(b)
    (M, K), (_, N) = a.shape, b.shape
    if not all(isinstance(extent, int) for extent in (*a.shape, *b.shape, *c.shape, *c.strides)):
        raise NotNative("a product of open sizes")
    if (M, N) != c.shape or K != b.shape[0] or c.strides[1] != 1:
        raise NotNative("a product whose sizes disagree")
    init = code.scalars[op.init]
    if (a.dtype, b.dtype, c.dtype) == ("int8", "int8", "int32"):
        work = _work(code, int(K) * int(N) * 2)
        code.line(
            f"product_int8({M}, {N}, {K}, {a.start}, {a.strides[0]}, {a.strides[1]}, {b.start}, "
            f"{b.strides[0]}, {b.strides[1]}, {c.start}, {c.strides[0]}, {init}, "
            f"(int16_t *){work});"
        )
        return
    if c.dtype != "float32" or a.dtype not in SHORT or b.dtype not in SHORT:
        raise NotNative("a product of these dtypes")
    _float_product(code, a, b, c, init)


def _float_product(code: Code, a: View, b: View, c: View, init: str) -> None:
    if a.dtype == b.dtype and a.dtype != "float32":
        _half_product(code, a, b, c, init)
        return
    (M, K), N = map(int, a.shape), int(b.shape[1])
    panels = code.room(4 * K * _padded(N))
    turned = code.room(4 * K * _LARGEST_PANEL)
    code.line(
        f"panels_{SHORT[b.dtype]}({K}, {N}, {b.start}, {b.strides[0]}, {b.strides[1]}, "
        f"(float *)(tiles + {panels}), (float *)(tiles + {turned}));"
    )
    left, step = a.start, a.strides[0]
    if a.dtype != "float32" or a.strides[1] != 1:
        rows = code.room(4 * M * K)
        left, step = f"(float *)(tiles + {rows})", K
        code.line(
            f"floats_{SHORT[a.dtype]}({M}, {K}, {a.start}, {a.strides[0]}, {a.strides[1]}, {left});"
        )
    given = f"{M}, {N}, {K}, {left}, {step}, (float *)(tiles + {panels})"
    _called(code, "product", f"{given}, {c.start}, {c.strides[0]}", init)


def _half_product(code: Code, a: View, b: View, c: View, init: str) -> None:
    """Both factors in one short dtype, as they lie; see `PRODUCT` in runtime.h for the room."""
    (M, K), N = map(int, a.shape), int(b.shape[1])
    as_floats = 4 * K * (M + _LARGEST_PANEL + _padded(N))
    in_parts = 4 * _padded(K) * (_padded(M) + _padded(N))
    work = _work(code, max(as_floats, in_parts))
    left, right = (f"{one.start}, {one.strides[0]}, {one.strides[1]}" for one in (a, b))
    parts = f"{M}, {N}, {K}, {left}, {right}, {c.start}, {c.strides[0]}"
    _called(code, f"product_{SHORT[a.dtype]}", parts, init, f", {work}")


def _padded(extent: int) -> int:
    """Up to a whole number of panels; pieces of the matrix unit have the same edge."""
    return -(-extent // _LARGEST_PANEL) * _LARGEST_PANEL


def _called(code: Code, name: str, given: str, init: str, rest: str = "") -> None:
    """A call; as a constant, `init` keeps the sums in registers."""
    if init in ("0", "1"):
        code.line(f"{name}({given}, {init}{rest});")
        return
    code.line(f"if ({init}) {name}({given}, 1{rest});")
    code.line(f"else {name}({given}, 0{rest});")


def reduce(code: Code, op: tl.ReduceOp) -> None:
    """Reduces along dimensions, which keep extent 1.

    Raises:
        NotNative: the mode has an index or no form.
    """
    if len(op.destinations) != 1 or op.mode.data not in _START:
        raise NotNative(f"reduction {op.mode.data}")
    src, dst = code.source(op.sources[0]), code.views[op.destinations[0]]
    if src.dtype not in ("float16", "bfloat16", "float32") or len(src.shape) != len(dst.shape):
        raise NotNative("a reduction of these tiles")
    dims = op.dimensions()
    _check(code, src, dst, dims)
    if dims == (len(src.shape) - 1,):
        _along_rows(code, op, src, dst)
    else:
        _across_rows(code, op, src, dst, dims)


def _along_rows(code: Code, op: tl.ReduceOp, src: View, dst: View) -> None:
    """The last dimension: a vector of partial results, NaN noticed apart."""
    mode, kind = op.mode.data, kind_of(src.dtype)
    *outer, last = src.shape
    if src.dtype == "float32" and src.strides[-1] == 1:
        with nest(code, outer) as indices:
            start = element(src, [*indices, "0"])
            _put(code, op, dst, [*indices, "0"], f"{mode}_f32(&{start}, {last})")
        return
    with nest(code, outer) as indices, code.block(""):
        code.line(f"{kind} all = {_START[mode]};")
        code.line("int odd = 0;")
        clause = {"sum": "+", "max": "max", "min": "min"}[mode]
        code.line(f'_Pragma("omp simd reduction({clause}:all) reduction(|:odd)")')
        with code.block(f"for (int64_t i = 0; i < {last}; i++)"):
            code.line(f"{kind} x = {loaded(src.dtype, element(src, [*indices, 'i']))};")
            code.line("odd |= x != x;")
            sign = {"max": ">", "min": "<"}.get(mode)
            code.line(f"all = x {sign} all ? x : all;" if sign else "all += x;")
        code.line("if (odd) all = NAN;")
        _put(code, op, dst, [*indices, "0"], "all")


def _across_rows(code: Code, op: tl.ReduceOp, src: View, dst: View, dims: tuple[int, ...]) -> None:
    mode, kind = op.mode.data, kind_of(src.dtype)
    kept = [1 if dim in dims else extent for dim, extent in enumerate(src.shape)]
    with nest(code, kept) as outer, code.block(""):
        code.line(f"{kind} all = {_START[mode]};")
        with nest(code, [src.shape[dim] for dim in dims]) as inner:
            places = list(outer)
            for dim, name in zip(dims, inner, strict=True):
                places[dim] = name
            code.line(f"{kind} x = {loaded(src.dtype, element(src, places))};")
            code.line(f"all = {_STEP[mode].format('all', 'x')};")
        _put(code, op, dst, ["0" if d in dims else n for d, n in enumerate(outer)], "all")


def _put(code: Code, op: tl.ReduceOp, dst: View, places: list[str], value: str) -> None:
    target = element(dst, places)
    if op.reads_destination():
        value = f"({_STEP[op.mode.data].format(loaded(dst.dtype, target), value)})"
    code.line(f"{target} = {stored(dst.dtype, value)};")


def _check(code: Code, src: View, dst: View, dims: tuple[int, ...]) -> None:
    wanted = [1 if dim in dims else extent for dim, extent in enumerate(src.shape)]
    pairs = [(have, want) for have, want in zip(dst.shape, wanted, strict=True) if have != want]
    if any(isinstance(have, int) and isinstance(want, int) for have, want in pairs):
        raise NotNative("a reduction whose sizes disagree")
    code.refuse([f"{have} != {want}" for have, want in pairs])


def _matrix(view: View) -> View:
    return view if len(view.shape) == 2 else squeezed(view)


def _turned(view: View) -> View:
    return View(
        start=view.start, dtype=view.dtype, shape=view.shape[::-1], strides=view.strides[::-1]
    )


def _work(code: Code, size: int) -> str:
    return f"(tiles + {code.room(size)})"


__all__ = ["BYTES", "gemm", "reduce"]
