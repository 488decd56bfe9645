"""Bodies of T.Parallel: those that become vector ops, and those that stay scalar."""

from __future__ import annotations

from collections.abc import Callable

import tlcourse.language as T

Loop = Callable[..., None]


def kernel_of(loop: Callable[[], object], dtype: str = "float32") -> T.PrimFunc:
    """A kernel that copies A and B in, runs a macro on tiles a, b, c and copies c out."""

    @T.prim_func
    def k(
        A: T.Tensor((16, 32), dtype),
        B: T.Tensor((16, 32), dtype),
        C: T.Tensor((16, 32), dtype),
        n: T.int32,
    ):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_shared((16, 32), dtype)
            b = T.alloc_shared((16, 32), dtype)
            c = T.alloc_shared((16, 32), dtype)
            T.copy(A, a)
            T.copy(B, b)
            T.copy(C, c)
            loop(a, b, c, A, C, n)
            T.copy(c, C)

    return k


@T.macro
def added(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = a[i, j] + b[i, j]


@T.macro
def chain(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = T.exp(a[i, j] * 0.5) / (b[i, j] + 2) - T.max(a[i, j], 0.25)


@T.macro
def scalar_first(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = 1.0 - 2.0 / (3.0 * (0.5 + a[i, j]))


@T.macro
def unary(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = T.sqrt(T.log(a[i, j] + 2.0)) + T.rsqrt(b[i, j] + 1.0)


@T.macro
def filled(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = a[0, 0] * 2.0


@T.macro
def copied(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = a[i, j]


@T.macro
def row_and_column(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = a[i, j] * b[0, j]


@T.macro
def part_of_a_row(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 8):
        c[i, j + 4] = a[i, j + 4] + b[i, j + n]


@T.macro
def part_of_the_rows(a, b, c, A, C, n):
    for i, j in T.Parallel(8, 32):
        c[i + 4, j] = a[i + n, j] + b[4 + i, j]


@T.macro
def one_row(a, b, c, A, C, n):
    for j in T.Parallel(32):
        c[n, j] = a[n - 1, j] + 1.0


@T.macro
def from_global(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = A[i, j] + b[i, j]


@T.macro
def to_global(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        C[i, j] = a[i, j] * 2.0
    T.copy(C, c)


@T.macro
def global_to_global(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        C[i, j] = A[i, j]
    T.copy(C, c)


@T.macro
def in_place(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = c[i, j] * c[i, j] + c[i, j]


@T.macro
def converted(a, b, c, A, C, n):
    h = T.alloc_shared((16, 32), "float16")
    for i, j in T.Parallel(16, 32):
        h[i, j] = a[i, j]
    for i, j in T.Parallel(16, 32):
        c[i, j] = T.cast(h[i, j], "float32") * 3.0


@T.macro
def a_row(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = a[n, j]


@T.macro
def a_row_of_global_memory(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = A[n, j]


@T.macro
def a_row_to_global_memory(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        C[i, j] = a[0, j]
    T.copy(C, c)


@T.macro
def computed_row(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = T.exp(a[0, j]) + a[1, j] * b[2, j]


@T.macro
def scaled_row(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = a[n, j] * 2.0


@T.macro
def an_own_row(a, b, c, A, C, n):
    for i, j in T.Parallel(8, 32):
        c[i + 8, j] = c[0, j] + a[i, j]


@T.macro
def a_variable_as_number(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = a[i, j] + j


@T.macro
def chosen(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = T.if_then_else(a[i, j] > b[i, j], a[i, j], 0.5)


@T.macro
def chosen_by_number(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = T.if_then_else(0.5 <= a[i, j], T.exp(b[i, j]), a[0, j])


@T.macro
def chosen_by_a_scalar(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = T.if_then_else(n > 1, a[i, j], b[i, j])


@T.macro
def causal(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = T.if_then_else(i + n >= j, a[i, j], -1.0)


@T.macro
def a_column_tile(a, b, c, A, C, n):
    m = T.alloc_shared((16,), "float32")
    for i in T.Parallel(16):
        m[i] = a[n, i]
    for i, j in T.Parallel(16, 32):
        c[i, j] = b[i, j] * m[i]


@T.macro
def a_row_tile(a, b, c, A, C, n):
    m = T.alloc_shared((32,), "float32")
    for j in T.Parallel(32):
        m[j] = j
    for i, j in T.Parallel(16, 32):
        c[i, j] = b[i, j] - m[j]


@T.macro
def whole_numbers(a, b, c, A, C, n):
    q = T.alloc_shared((16, 32), "int64")
    for i, j in T.Parallel(16, 32):
        q[i, j] = T.cast(j - 7, "int64")
    for i, j in T.Parallel(16, 32):
        q[i, j] = q[i, j] % 5 + q[i, j] // 3
    for i, j in T.Parallel(16, 32):
        c[i, j] = T.cast(q[i, j], "float32")


@T.macro
def called(a, b, c, A, C, n):
    for i in T.Parallel(16):
        T.vadd(a[i, 0:32], b[i, 0:32], c[i, 0:32])
        T.vmul(c[i, 0:32], 2.0, c[i, 0:32])


@T.macro
def called_on_a_part(a, b, c, A, C, n):
    for i in T.Parallel(8):
        T.copy(a[i + n, 0:32], c[i + 4, 0:32])


@T.macro
def called_on_elements(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        T.vexp(a[i, j], c[i, j])


@T.macro
def called_with_one_row(a, b, c, A, C, n):
    for i in T.Parallel(16):
        T.vadd(a[i, 0:32], b[0:1, 0:32], c[i, 0:32])


# loop, the ops between the three loads and the last copy, loops that stay
TURNED = [
    (added, ["vadd"], 0),
    (chain, ["vmul", "vexp", "vadd", "vdiv", "vmax", "vsub"], 0),
    (scalar_first, ["vbrc", "vbrc", "vadd", "vmul", "vdiv", "vsub"], 0),
    (unary, ["vadd", "vln", "vsqrt", "vadd", "vrsqrt", "vadd"], 0),
    (filled, ["vbrc"], 0),
    (copied, ["copy"], 0),
    (row_and_column, ["vmul"], 0),
    (a_row, ["vbrc"], 0),
    (a_row_of_global_memory, ["copy", "vbrc"], 0),
    (a_row_to_global_memory, ["vbrc", "copy", "copy"], 0),
    (computed_row, ["vbrc", "vexp", "vbrc", "vmul", "vadd"], 0),
    (scaled_row, ["vbrc", "vmul"], 0),
    (an_own_row, ["copy", "vadd"], 0),
    (a_variable_as_number, ["arange", "vcast", "vadd"], 0),
    (chosen, ["vcmp", "vbrc", "vselect"], 0),
    (chosen_by_number, ["vcmp", "vexp", "vbrc", "vselect"], 0),
    (chosen_by_a_scalar, ["vbrc", "vselect"], 0),
    (causal, ["arange", "vadd", "arange", "vcmp", "vbrc", "vselect"], 0),
    (a_column_tile, ["copy", "copy", "reshape", "vbrc", "vmul"], 0),
    (a_row_tile, ["arange", "vcast", "copy", "reshape", "vbrc", "vsub"], 0),
    (called, ["vadd", "vmul"], 0),
    (called_on_a_part, ["copy"], 0),
    (called_on_elements, ["vexp"], 0),
    (called_with_one_row, ["vadd"], 0),
    (part_of_a_row, ["vadd"], 1),
    (part_of_the_rows, ["vadd"], 0),
    (one_row, ["vadd"], 0),
    (from_global, ["copy", "vadd"], 0),
    (to_global, ["vmul", "copy", "copy"], 0),
    (global_to_global, ["copy", "copy", "copy"], 0),
    (in_place, ["vmul", "vadd"], 0),
    (converted, ["vcast", "vcast", "vmul"], 0),
]


@T.macro
def two_statements(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = a[i, j]
        c[i, j] = c[i, j] + 1.0


@T.macro
def a_float_name(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        x = a[i, j]
        c[i, j] = x * x


@T.macro
def a_strided_index(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 16):
        c[i, j * 2] = a[i, j]


@T.macro
def a_transposed_load(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 16):
        c[i, j] = a[j, i]


@T.macro
def an_extent_of_the_run(a, b, c, A, C, n):
    for i in T.Parallel(n):
        c[i, 0] = a[i, 0]


@T.macro
def a_branch(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        if a[i, j] > 0.5:
            c[i, j] = a[i, j]
        else:
            c[i, j] = -2.0 * a[i, j]


@T.macro
def an_own_neighbour(a, b, c, A, C, n):
    for i, j in T.Parallel(15, 32):
        c[i + 1, j] = c[i, j] + a[i, j]


@T.macro
def an_own_element(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = c[n, n] + a[i, j]


@T.macro
def a_sum(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, 0] = c[i, 0] + a[i, j]


@T.macro
def no_vector_form(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = T.exp2(a[i, j])


@T.macro
def a_division_of_int32(a, b, c, A, C, n):
    q = T.alloc_shared((32,), "int32")
    for j in T.Parallel(32):
        q[j] = (j - 7) // 3
    for j in T.Parallel(32):
        if q[j] > 0:
            c[0, j] = T.cast(q[j], "float32")


@T.macro
def called_on_the_next(a, b, c, A, C, n):
    for i in T.Parallel(15):
        T.vadd(c[i, 0:32], a[i, 0:32], c[i + 1, 0:32])


@T.macro
def called_on_one_tile(a, b, c, A, C, n):
    for i in T.Parallel(16):
        T.copy(a[i, 0:32], b[0, 0:32])
        T.vadd(b[0:1, 0:32], 1.0, c[i : i + 1, 0:32])


KEPT = {
    two_statements: "i, j kept scalar: 2 statements in its body",
    a_float_name: "i, j kept scalar: the name x in its body",
    a_strided_index: "i, j kept scalar: store index is no loop variable",
    a_transposed_load: "j alone: the loop takes a part of a",
    an_extent_of_the_run: "i kept scalar: extent not constant",
    a_branch: "i, j kept scalar: branch on data",
    an_own_neighbour: "i, j kept scalar: c is also loaded at another place",
    an_own_element: "i, j kept scalar: c is also loaded at another place",
    a_sum: "i, j kept scalar: c is stored at the same place again and again",
    no_vector_form: "i, j kept scalar: math.exp2 has no vector form",
    a_division_of_int32: "j kept scalar: T.vfloordiv takes no int32",
    called_on_the_next: "i kept scalar: c is also used at another place",
    called_on_one_tile: "i kept scalar: b is written at the same place again and again",
}
