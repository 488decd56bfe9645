"""Random element loops: as vector operations and one element after another, the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from hypothesis import event, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, StringAttr

import tlcourse.language as T
from tlcourse.dialects import tl
from tlcourse.dialects.signature import stamp
from tlcourse.dialects.text import context
from tlcourse.functional.generate import generate
from tlcourse.functional.run import run
from tlcourse.passes.tir.legalize_npuir_bf16 import LegalizeNpuirBF16Pass
from tlcourse.passes.tir.npu_loop_vectorize import NpuLoopVectorizePass
from tlcourse.passes.tir.simplify import SimplifyPass
from tlcourse.tolerance import tolerance

ROWS, COLUMNS = 4, 8
Leaf = Callable[["Tiles"], object]


@dataclass(frozen=True, kw_only=True)
class Tiles:
    """What an expression can read, at one element."""

    dtype: str
    a: object
    b: object
    c: object
    row: object
    column: object
    i: object
    j: object
    n: object


@dataclass(frozen=True, kw_only=True)
class Body:
    """A loop: its extents, where it starts in the stored tile, and what it stores."""

    dtype: str
    rows: int
    columns: int
    row: int
    column: int
    value: Leaf


def leaf(text: str) -> Leaf:
    return lambda t: LEAVES[text](t)


LEAVES: dict[str, Leaf] = {
    "a[i, j]": lambda t: t.a[t.i, t.j],
    "b[i, j]": lambda t: t.b[t.i, t.j],
    "a[n, j]": lambda t: t.a[t.n, t.j],
    "a[i, 2]": lambda t: t.a[t.i, 2],
    "b[0, i]": lambda t: t.b[0, t.i],
    "c[i, j]": lambda t: t.c[t.i, t.j],
    "c[0, j]": lambda t: t.c[0, t.j],
    "c[i + 1, j]": lambda t: t.c[t.i + 1, t.j],
    "row[j]": lambda t: t.row[t.j],
    "column[i]": lambda t: t.column[t.i],
    "i": lambda t: T.cast(t.i, t.dtype),
    "j + n": lambda t: T.cast(t.j + t.n, t.dtype),
    "a[0, 0]": lambda t: t.a[0, 0],
    "2": lambda t: T.cast(2, t.dtype),
    "0": lambda t: T.cast(0, t.dtype),
}
BINARY: dict[str, Callable[[object, object], object]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "max": lambda x, y: T.max(x, y),
    "min": lambda x, y: T.min(x, y),
}
COMPARE: dict[str, Callable[[object, object], object]] = {
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
}
UNARY: dict[str, Callable[[object], object]] = {
    "exp": lambda x: T.exp(T.min(x, 2)),
    "abs": lambda x: T.abs(x),
    "none": lambda x: x,
}
leaves = st.sampled_from(sorted(LEAVES)).map(leaf)


def joined(operator: str, left: Leaf, right: Leaf) -> Leaf:
    return lambda t: BINARY[operator](left(t), right(t))


def chosen(symbol: str, left: Leaf, right: Leaf, yes: Leaf, no: Leaf) -> Leaf:
    return lambda t: T.if_then_else(COMPARE[symbol](left(t), right(t)), yes(t), no(t))


def applied(word: str, inner: Leaf) -> Leaf:
    return lambda t: UNARY[word](inner(t))


pairs = st.builds(joined, st.sampled_from(sorted(BINARY)), leaves, leaves)
thresholds = st.sampled_from(["0", "a[0, 0]", "row[j]", "i"]).map(leaf)
choices = st.builds(
    chosen, st.sampled_from(sorted(COMPARE)), thresholds, leaves, leaves | pairs, leaves
)
parts = leaves | pairs | choices
trees = parts | st.builds(joined, st.sampled_from(sorted(BINARY)), parts, parts)


@st.composite
def bodies(draw: st.DrawFn) -> Body:
    dtype = draw(st.sampled_from(["float32", "float16", "bfloat16", "int32"]))
    words = ["abs", "none"] if dtype == "int32" else sorted(UNARY)
    row, column = draw(st.sampled_from([(0, 0), (1, 0), (0, 2)]))
    return Body(
        dtype=dtype,
        rows=draw(st.sampled_from([1, ROWS - 1])),
        columns=draw(st.sampled_from([COLUMNS - 3, COLUMNS - column])),
        row=row,
        column=column,
        value=draw(st.builds(applied, st.sampled_from(words), trees)),
    )


def kernel_of(body: Body) -> T.PrimFunc:
    dtype, rows, columns, value = body.dtype, body.rows, body.columns, body.value
    down, right = body.row, body.column

    def element(a, b, c, row, column, i, j, n):
        return value(Tiles(dtype=dtype, a=a, b=b, c=c, row=row, column=column, i=i, j=j, n=n))

    @T.prim_func
    def k(
        A: T.Tensor((ROWS, COLUMNS), dtype),
        B: T.Tensor((ROWS, COLUMNS), dtype),
        C: T.Tensor((ROWS, COLUMNS), dtype),
        n: T.int32,
    ):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_shared((ROWS, COLUMNS), dtype)
            b = T.alloc_shared((ROWS, COLUMNS), dtype)
            c = T.alloc_shared((ROWS, COLUMNS), dtype)
            row = T.alloc_shared((COLUMNS,), dtype)
            column = T.alloc_shared((ROWS,), dtype)
            T.copy(A, a)
            T.copy(B, b)
            T.copy(C, c)
            T.copy(A[1, 0:COLUMNS], row)
            T.copy(B[2, 0:ROWS], column)
            for i, j in T.Parallel(rows, columns):
                c[i + down, j + right] = element(a, b, c, row, column, i, j, n)
            T.copy(c, C)

    return k


def all_serial(module: ModuleOp) -> None:
    for op in module.walk():
        if isinstance(op, tl.ForOp):
            op.kind = StringAttr("serial")


def result(kernel: T.PrimFunc, dtype: str, *, vectorised: bool) -> tuple[torch.Tensor, bool]:
    """What the loop leaves in c, and whether it became vector operations."""
    module = kernel.module.clone()
    stamp(module, mode="Developer", target="npuir", out_idx=(), pass_configs={})
    SimplifyPass().apply(context(), module)
    if vectorised:
        NpuLoopVectorizePass().apply(context(), module)
    else:
        all_serial(module)
    LegalizeNpuirBF16Pass().apply(context(), module)
    module.verify()
    torch.manual_seed(0)
    buffers = [torch.randint(-2, 3, (ROWS, COLUMNS)).to(getattr(torch, dtype)) for _ in range(3)]
    run(generate(module, kernel.sources), [*buffers, 1], symbols={})
    return buffers[2], not any(isinstance(op, tl.StoreOp) for op in module.walk())


@settings(max_examples=150, deadline=None)
@given(bodies())
def test_both_ways_give_the_same_numbers(body: Body) -> None:
    kernel = kernel_of(body)
    expected, _ = result(kernel, body.dtype, vectorised=False)
    got, turned = result(kernel, body.dtype, vectorised=True)
    event("turned" if turned else "kept")
    close = tolerance(body.dtype)
    torch.testing.assert_close(got, expected, rtol=close, atol=close)
