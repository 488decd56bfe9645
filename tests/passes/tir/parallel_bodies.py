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
        c[i, j] = a[i, j + 4] + b[i, j + n]


@T.macro
def part_of_the_rows(a, b, c, A, C, n):
    for i, j in T.Parallel(8, 32):
        c[i, j] = a[i + n, j] + b[4 + i, j]


@T.macro
def a_column(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = a[i, j] + b[i, 2]


@T.macro
def sigmoid(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = T.sigmoid(a[i, j])


@T.macro
def counted(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = T.cast(a[i, j] < b[i, j], "float32")


@T.macro
def an_element_on_the_right(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = a[i, j] * b[0, n]


@T.macro
def an_element_on_the_left(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = b[0, n] * a[i, j]


@T.macro
def a_scalar_formula(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = a[i, j] + T.exp(b[0, n])


@T.macro
def wider_integers(a, b, c, A, C, n):
    narrow = T.alloc_shared((32,), "int16")
    wide = T.alloc_shared((32,), "int32")
    T.clear(narrow)
    for j in T.Parallel(32):
        wide[j] = narrow[j]
    for j in T.Parallel(32):
        c[0, j] = T.cast(wide[j], "float32")


@T.macro
def not_equal(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = T.if_then_else(a[i, j] != b[i, j], 1.0, 0.0)


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


ROW = ("copy", "vbrc")
# loop, the ops between the three loads and the last copy, loops that stay
TURNED = [
    (added, ["vadd"], 0),
    (chain, ["vmul", "vexp", "vadd", "vdiv", "vmax", "vsub"], 0),
    (scalar_first, ["vbrc", "vbrc", "vadd", "vmul", "vdiv", "vsub"], 0),
    (unary, ["vadd", "vln", "vsqrt", "vadd", "vrsqrt", "vadd"], 0),
    (copied, ["copy"], 0),
    (row_and_column, ["copy", "vbrc", "vmul"], 0),
    (a_row, ["copy", "vbrc"], 0),
    (a_row_of_global_memory, ["copy", "vbrc"], 0),
    (a_row_to_global_memory, ["copy", "vbrc", "copy", "copy"], 0),
    (computed_row, [*ROW, "vexp", *ROW, *ROW, "vmul", "vadd"], 0),
    (scaled_row, [*ROW, "vmul"], 0),
    (a_variable_as_number, ["arange", "vcast", "vadd"], 0),
    (chosen, ["vcmp", "vbrc", "vselect"], 0),
    (chosen_by_number, ["vcmp", "vexp", *ROW, "vselect"], 0),
    (chosen_by_a_scalar, ["vbrc", "vselect"], 0),
    (causal, ["arange", "arange", "vadd", "vcmp", "vbrc", "vselect"], 0),
    (a_column_tile, ["copy", "copy", "reshape", "vbrc", "vmul"], 0),
    (a_row_tile, ["arange", "vcast", "copy", "reshape", "vbrc", "vsub"], 0),
    (called, ["vadd", "vmul"], 0),
    (called_on_a_part, ["copy"], 0),
    (called_on_elements, ["vexp"], 0),
    (called_with_one_row, ["vadd"], 0),
    (part_of_a_row, ["vadd"], 1),
    (part_of_the_rows, ["vadd"], 0),
    (a_column, ["copy", "vbrc", "vadd"], 0),
    (sigmoid, ["vsigmoid"], 0),
    (counted, ["vcmp", "vcast"], 0),
    (an_element_on_the_right, ["vbrc", "vmul"], 0),
    (an_element_on_the_left, ["vmul"], 0),
    (a_scalar_formula, ["vbrc", "vadd"], 0),
    (wider_integers, ["vbrc", "vcast", "copy", "reshape", "vcast"], 0),
    (not_equal, ["vcmp", "vbrc", "vbrc", "vselect"], 0),
    (one_row, ["vadd"], 0),
    (from_global, ["copy", "vadd"], 0),
    (to_global, ["vmul", "copy", "copy"], 0),
    (global_to_global, ["copy", "copy", "copy"], 0),
    (in_place, ["vmul", "vadd"], 0),
    (converted, ["vcast", "vcast", "vmul"], 0),
]
