"""Statements of a kernel: loops, branches, names, elements, macros."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.dialects import tl

Body = Callable[..., T.PrimFunc]
Refuse = Callable[..., TLError]


def script(kernel: T.PrimFunc) -> list[str]:
    """Lines of the body behind the three allocations, without indentation of the kernel."""
    return [line[8:] for line in kernel.script().splitlines()[6:]]


# what is written, what the script of it says
SAME = {
    "if": ("if n > 3:\n    T.copy(a, b)\nelse:\n    T.copy(a, c)",) * 2,
    "elif": (
        "if n > 3:\n    T.clear(a)\nelif n == 2:\n    T.clear(b)",
        "if n > 3:\n    T.vbrc(T.float32(0.0), a)\nelse:\n    if n == 2:\n        "
        "T.vbrc(T.float32(0.0), b)",
    ),
    "if decided now": ("if 1 > 2:\n    unknown\nelse:\n    T.copy(a, b)", "T.copy(a, b)"),
    "range": ("for i in range(4):\n    T.copy(a, b)", "for i in T.serial(4):\n    T.copy(a, b)"),
    "from to": ("for i in T.serial(2, n):\n    T.copy(a, b)",) * 2,
    "pipelined": ("for i in T.Pipelined(8, num_stages=3):\n    T.copy(a, b)",) * 2,
    "parallel": (
        "for i, j in T.Parallel(64, 128):\n    a[i, j] = b[i, j]",
        "for i in T.Parallel(64):\n    for j in T.Parallel(128):\n        a[i, j] = b[i, j]",
    ),
    "a loop variable's name used again": (
        "i = 1\nfor i in range(2):\n    a[i, 0] = 1.0",
        "i = 1\nfor i in T.serial(2):\n    a[i, 0] = T.float32(1.0)",
    ),
    "names": ("x = (n + 1) * 2\ny = x\nT.copy(A[y, 0], a)", None),
    "several names": ("x, y = n, 1", "x = n\ny = 1"),
    "a name bound again": ("x = n\nx = x + 1", "x = n\nx = x + 1"),
    "a dict decided now": (
        "d = {'rows': 2, **{'more': 3}}\nfor i in range(d['rows'] + d['more']):\n    T.copy(a, b)",
        "for i in T.serial(5):\n    T.copy(a, b)",
    ),
    "an element": ("x = a[n, 0]\na[0, n] = x",) * 2,
    "an element changed": ("a[0, n] += 2.0", "a[0, n] = a[0, n] + T.float32(2.0)"),
    "an int stored into floats": ("a[0, 0] = n", 'a[0, 0] = T.cast(n, "float32")'),
    "and, or, not": (
        "if n > 1 and not (n == 2 or n >= 5):\n    T.copy(a, b)",
        "if (n > 1) & (((n == 2) | (n >= 5)) ^ True):\n    T.copy(a, b)",
    ),
    "a chain": (
        "if 0 < n < 4:\n    T.copy(a, b)",
        "if (n > 0) & (n < 4):\n    T.copy(a, b)",
    ),
    "a choice": ("x = 1 if n > 0 else 2", "x = T.if_then_else(n > 0, 1, 2)"),
    "min and max": ("x = min(n, 4)\ny = T.max(n, 1)", "x = T.min(n, 4)\ny = T.max(n, 1)"),
    "an annotated name": ("x: T.float32 = n", 'x = T.cast(n, "float32")'),
    "a typed constant": ("T.fill(a, -T.infinity('float32'))", 'T.vbrc(-T.infinity("float32"), a)'),
    "a Python value kept": ("x = T.meta_var(4)\nb2 = T.alloc_ub((x,), 'float32')", None),
    "a name after T.rs": ("with T.rs('PIPE_V'):\n    x = n\ny = x", "x = n\ny = x"),
    "a scalar beside a tile": ("T.vadd(a, n, b)", 'T.vadd(a, T.cast(n, "float32"), b)'),
    "an element beside a tile": ("T.vmul(a, b[0, 0], c)",) * 2,
    "an expression beside a tile": ("T.vmul(a, a[0, 0] * 2.0, c)", None),
    "rows broadcast": ("T.vsub(a, b[:, 0:1], c)", "T.vsub(a, b[:64, :1], c)"),
    "the older spelling": ("T.npuir_exp(a, b)", "T.vexp(a, b)"),
    "f-strings and lists": ("T.print(n, f'{n} of {[4][0]:02d}')", "T.print(n, 'n of 04')"),
    "a tile printed": ("T.print(a)", "T.print(a, 'buffer<a, float32>')"),
}


@pytest.mark.parametrize("name", SAME)
def test_statement(body: Body, name: str) -> None:
    lines, shown = SAME[name]
    found = script(body(lines))
    if shown is not None:
        assert found == shown.splitlines()


def test_two_dimensional_grid(read) -> None:
    kernel = read(
        """
        @T.prim_func
        def k(n: T.int32):
            with T.Kernel(n, 3, is_npu=True) as (x, y, v):
                T.print(x + y * v)
        """
    )
    assert kernel.script().splitlines()[2] == ("    with T.Kernel(n, 3, is_npu=True) as (x, y, v):")


def test_form_without_is_npu_gives_one_index(read) -> None:
    kernel = read(
        """
        @T.prim_func
        def k(n: T.int32):
            with T.Kernel(n, threads=128) as pid:
                T.print(pid)
        """
    )
    assert "T.print(pid, 'expr<pid>')" in kernel.script()


def test_frames_in_one_statement(read) -> None:
    kernel = read(
        """
        @T.prim_func
        def k(n: T.int32):
            with T.Kernel(n, is_npu=True) as (cid, _), T.Scope("Cube"), T.rs("PIPE_FIX"):
                T.sync_block_set(cid)
        """
    )
    set_op = next(op for op in kernel.module.walk() if isinstance(op, tl.SyncBlockSetOp))
    assert set_op.pipe.data == "PIPE_FIX"
    assert isinstance(set_op.parent_op(), tl.ScopeOp)


def test_the_innermost_pipe_counts(body: Body) -> None:
    kernel = body(
        'with T.rs("PIPE_V"):\n    with T.rs("PIPE_MTE3"):\n        T.wait_flag("PIPE_V", 1)\n'
        '    T.set_flag("PIPE_MTE2", n)'
    )
    flags = [op for op in kernel.module.walk() if isinstance(op, tl.FlagOp)]
    assert [(op.name, op.pipe.data, op.other.data) for op in flags] == [
        ("tl.wait_flag", "PIPE_MTE3", "PIPE_V"),
        ("tl.set_flag", "PIPE_V", "PIPE_MTE2"),
    ]


def test_a_macro_stands_in_place_of_its_call(body: Body, read) -> None:
    @T.macro
    def twice(src, dst, by=2.0):
        x = 1
        T.vmul(src, by, dst)
        return x

    kernel = body("x = n\ntwice(a, b)\ny = twice(b, c, by=3.0)\nz = x", twice=twice)
    assert script(kernel) == [
        "x = n",
        "x = 1",
        "T.vmul(a, T.float32(2.0), b)",
        "x = 1",
        "T.vmul(b, T.float32(3.0), c)",
        "y = x",
        "z = x",
    ]
    assert len(kernel.sources) == 2


def test_a_place_in_a_macro_knows_its_call(body: Body) -> None:
    @T.macro
    def negated(tile):
        T.vsub(tile, 1.0, tile)

    kernel = body("negated(a)", negated=negated)
    op = next(op for op in kernel.module.walk() if op.name == "tl.vsub")
    assert str(op.location).startswith("loc(callsite(")


def test_an_error_in_a_macro_shows_its_call(refuse: Refuse, underlined) -> None:
    @T.macro
    def wrong(tile):
        T.vexp(tile, 3)

    error = refuse("wrong(a)", wrong=wrong)
    assert error.code == "TL121"
    assert underlined(error) == ["3", "wrong(a)"]


@pytest.mark.parametrize("lines", ["endless(a)", "endless()", "endless(a, b)"])
def test_macros_that_cannot_be_called(refuse: Refuse, lines: str) -> None:
    @T.macro
    def endless(tile):
        endless(tile)

    assert refuse(lines, endless=endless).code == "TL134"


def test_a_macro_that_calls_itself_is_shown_once(refuse: Refuse) -> None:
    @T.macro
    def endless(tile):
        endless(tile)

    error = refuse("endless(a)", endless=endless)
    assert "called inside itself 16 times" in error.diagnostic.what
    assert [label.text for label in error.diagnostic.labels] == [
        "",
        "in this call of the macro endless",
    ]


def test_a_macro_needs_a_kernel_around_it() -> None:
    @T.macro
    def alone(tile):
        T.vexp(tile, tile)

    with pytest.raises(TLError) as caught:
        alone(1)
    assert caught.value.code == "TL108"


@pytest.mark.parametrize("decorator", [T.prim_func, T.macro])
def test_decorators_want_functions(decorator) -> None:
    with pytest.raises(TLError) as caught:
        decorator(int)
    assert caught.value.code == "TL107"


def test_a_plain_python_function_may_be_called(body: Body) -> None:
    def offset(index, width):
        return index * width + 1

    kernel = body("x = offset(n, 4)", offset=offset)
    assert script(kernel) == ["x = (n * 4) + 1"]


def test_a_truth_that_python_cannot_know(refuse: Refuse) -> None:
    def clamp(value):
        return value if value > 0 else 0

    error = refuse("x = clamp(n)", clamp=clamp)
    assert error.code == "TL125"


def test_numbers_of_numpy_are_numbers(body: Body) -> None:
    kernel = body(
        "t = T.alloc_ub((rows, 128), 'float32')\nT.copy(A[0:rows, :], t)\nT.vmul(t, half, t)",
        rows=np.int64(8),
        half=np.float32(0.5),
    )
    assert script(kernel)[1:] == [
        "T.copy(A[:8, :128], t)",
        "T.vmul(t, T.float32(0.5), t)",
    ]


def test_an_alias_of_the_namespace_and_of_a_function(body: Body) -> None:
    kernel = body("tl.vexp(a, b)\nv(b, c)", tl=T, v=T.vexp)
    assert script(kernel) == ["T.vexp(a, b)", "T.vexp(b, c)"]


def test_names_outside_ascii(read) -> None:
    from tlcourse.dialects.text import from_text, to_text

    kernel = read(
        """
        @T.prim_func
        def k(甲: T.Tensor((8,), "float32")):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                乙_1 = T.alloc_ub((8,), "float32")
                T.copy(甲, 乙_1)
        """
    )
    text = to_text(kernel.module)
    assert to_text(from_text(text)) == text
    assert "乙_1 = T.alloc_ub" in kernel.script()
