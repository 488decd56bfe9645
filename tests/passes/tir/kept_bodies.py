"""Bodies of T.Parallel that stay scalar loops, and why."""

from __future__ import annotations

import tlcourse.language as T


@T.macro
def filled(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 32):
        c[i, j] = a[0, 0] * 2.0


@T.macro
def part_of_a_row(a, b, c, A, C, n):
    for i, j in T.Parallel(16, 8):
        c[i, j + 4] = a[i, j + 4] + b[i, j + n]


@T.macro
def part_of_the_rows(a, b, c, A, C, n):
    for i, j in T.Parallel(8, 32):
        c[i + 4, j] = a[i + n, j] + b[4 + i, j]


@T.macro
def an_own_row(a, b, c, A, C, n):
    for i, j in T.Parallel(8, 32):
        c[i + 8, j] = c[0, j] + a[i, j]


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
        c[i, j] = c[i + 1, j] + a[i, j]


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


@T.macro
def fewer_dimensions(a, b, c, A, C, n):
    h = T.alloc_shared((32,), "float16")
    for j in T.Parallel(32):
        h[j] = a[n, j]
    for j in T.Parallel(32):
        c[0, j] = T.cast(h[j], "float32")


@T.macro
def magnitudes(a, b, c, A, C, n):
    q = T.alloc_shared((32,), "int32")
    T.vcast(a[0, :], q)
    for j in T.Parallel(32):
        q[j] = T.abs(q[j])
    for j in T.Parallel(32):
        c[0, j] = T.cast(q[j], "float32")


@T.macro
def shorter_integers(a, b, c, A, C, n):
    q = T.alloc_shared((32,), "int32")
    h = T.alloc_shared((32,), "int16")
    T.vcast(a[0, :], q)
    for j in T.Parallel(32):
        h[j] = T.cast(q[j] + 32767, "int16")
    for j in T.Parallel(32):
        c[0, j] = T.cast(h[j], "float32")


KEPT = {
    two_statements: "i, j kept scalar: 2 statements in its body",
    a_float_name: "i, j kept scalar: the name x in its body",
    a_strided_index: "i, j kept scalar: store index is no loop variable",
    a_transposed_load: "j alone: the loop takes a part of a",
    an_extent_of_the_run: "i kept scalar: extent not constant",
    a_branch: "i, j kept scalar: branch on data",
    an_own_neighbour: "i, j kept scalar: c is also loaded at another place",
    filled: "i, j kept scalar: the stored value is computed from scalars alone",
    part_of_a_row: "i, j kept scalar: store index is no loop variable",
    part_of_the_rows: "i, j kept scalar: store index is no loop variable",
    an_own_row: "i, j kept scalar: store index is no loop variable",
    fewer_dimensions: "j kept scalar: a is converted from more dimensions than are stored",
    magnitudes: "j kept scalar: math.absi has no vector form",
    shorter_integers: "j kept scalar: arith.trunci has no vector form",
    an_own_element: "i, j kept scalar: c is also loaded at another place",
    a_sum: "i, j kept scalar: c is stored at the same place again and again",
    no_vector_form: "i, j kept scalar: math.exp2 has no vector form",
    a_division_of_int32: "j kept scalar: T.vfloordiv takes no int32",
    called_on_the_next: "i kept scalar: c is also used at another place",
    called_on_one_tile: "i kept scalar: b is written at the same place again and again",
}
