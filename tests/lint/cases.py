"""For each rule of the lint: a kernel body that relies on the difference, and one that does not.

The bodies stand in a kernel with the tensors A and B, the scalar n, and those tiles of `_TILES`
that they name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tlcourse.records import Mode

_TILES = {
    "a": ((64, 64), "float32"),
    "b": ((64, 64), "float32"),
    "c": ((64, 64), "float32"),
    "row": ((1, 64), "float32"),
    "column": ((64, 1), "float32"),
    "wide": ((64, 128), "float32"),
    "flat": ((4096,), "float32"),
    "cube": ((4, 4, 8), "float32"),
    "bent": ((4, 8, 4), "float32"),
    "turned": ((8, 4, 4), "float32"),
    "h": ((64, 64), "bfloat16"),
    "g": ((64, 64), "bfloat16"),
    "f": ((32, 64), "float16"),
    "e": ((64, 64), "float16"),
    "p": ((64, 32), "float32"),
    "m": ((64, 64), "bool"),
    "i": ((64, 64), "int32"),
    "j": ((64, 64), "int32"),
    "at": ((64, 1), "int32"),
    "line": ((64,), "int32"),
    "line_f": ((64,), "float32"),
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """One rule.

    Args:
        rule: its id, or the code of a warning.
        mode: the mode of both kernels.
        bad: lines that rely on the difference.
        caret: what the caret underlines, the start of the line's text if it goes on.
        good: lines that do the same as in upstream.
        head: what stands in T.Kernel of the bad kernel.
    """

    rule: str
    mode: Mode = "Expert"
    bad: str
    caret: str
    good: str
    head: str = "1, is_npu=True"


def kernel_text(lines: str, mode: Mode, head: str = "1, is_npu=True") -> str:
    """The text of a kernel around lines of its body."""
    alloc = "alloc_ub" if mode == "Expert" else "alloc_shared"
    words = set(re.findall(r"\w+", lines))
    body = [
        f"{name} = T.{alloc}({shape}, '{dtype}')"
        for name, (shape, dtype) in _TILES.items()
        if name in words
    ]
    body += lines.splitlines()
    inside = "\n".join(f"        {line}" for line in body)
    return (
        "@T.prim_func\n"
        "def k(A: T.Tensor((64, 64), 'float32'), B: T.Tensor((64, 64), 'float32'), n: T.int32):\n"
        f"    with T.Kernel({head}):\n{inside}\n"
    )


_SCALAR = "b[0, 0] = {}"
CASES = (
    Case(
        rule="grid-3d",
        head="2, 3, 4",
        bad="T.copy(a, b)",
        caret="T.Kernel(2, 3, 4)",
        good="T.copy(a, b)",
    ),
    Case(
        rule="threads",
        head="2, threads=128",
        bad="T.copy(a, b)",
        caret="T.Kernel(2, threads=128)",
        good="T.copy(a, b)",
    ),
    Case(
        rule="parallel-order",
        bad="for x, y in T.Parallel(64, 63):\n    a[x, y] = a[x, y + 1] * 2.0",
        caret="T.Parallel(64, 63)",
        good="for x, y in T.Parallel(64, 63):\n    b[x, y] = a[x, y + 1] + b[x, y]",
    ),
    Case(
        rule="parallel-calls",
        bad="for x in T.Parallel(64):\n    T.copy(A[x, :], line_f)\n    T.vexp(line_f, b[x, :])",
        caret="T.Parallel(64)",
        good="for x in T.serial(64):\n    T.copy(A[x, :], line_f)\n    T.vexp(line_f, b[x, :])\n"
        "for x in T.Parallel(64):\n    T.vexp(a[x, :], b[x, :])\n    T.vexp(b[x, :], c[x, :])",
    ),
    Case(
        rule="not-equal",
        bad="if a[0, 0] != a[0, 1]:\n    T.copy(a, B)",
        caret="a[0, 0] != a[0, 1]",
        good="if a[0, 0] < a[0, 1] or a[0, 0] > a[0, 1]:\n    T.copy(a, B)\n"
        "if n != 3:\n    T.copy(b, B)",
    ),
    Case(
        rule="scalar-function",
        bad=_SCALAR.format("T.abs(a[0, 0])"),
        caret="T.abs(a[0, 0])",
        good="for x, y in T.Parallel(64, 64):\n    b[x, y] = T.abs(a[x, y])",
    ),
    Case(
        rule="scalar-function",
        mode="Developer",
        bad=_SCALAR.format("1.0 + T.sigmoid(a[0, 0])"),
        caret="T.sigmoid(a[0, 0])",
        good="b[0, 0] = 1.0 + T.exp(a[0, 0])",
    ),
    Case(
        rule="scalar-exp",
        bad=_SCALAR.format("T.log2(a[0, 0])"),
        caret="T.log2(a[0, 0])",
        good="T.vln(a, b)",
    ),
    Case(
        rule="scalar-choice",
        bad=_SCALAR.format("T.if_then_else(n > 3, a[0, 0], a[0, 1])"),
        caret="T.if_then_else(n > 3, a[0, 0], a[0, 1])",
        good=_SCALAR.format("T.Select(n > 3, a[0, 0], a[0, 1])")
        + "\nfor x, y in T.Parallel(64, 64):\n    a[x, y] = T.if_then_else(n > 3, 0.0, 1.0)",
    ),
    Case(
        rule="not-carried",
        mode="Developer",
        bad="for x in T.serial(4):\n    T.vcast(h, a)\nT.copy(a, B)",
        caret="T.vcast(h, a)",
        good="for x in T.serial(4):\n    T.vcast(h, a)\n    T.copy(a, B)\n"
        "for x in T.serial(4):\n    T.vcast(h, b)\nT.copy(A, b)\nT.copy(b, B)",
    ),
    Case(
        rule="not-carried",
        mode="Developer",
        bad="if n > 3:\n    T.clear(a)\nT.copy(a, B)",
        caret="T.clear(a)",
        good="if n > 3:\n    T.clear(a)\n    T.vadd(a, b, a)\nT.copy(a, B)",
    ),
    Case(
        rule="not-carried",
        mode="Developer",
        # The first statement writes a part; the rest is what the turn before left.
        bad="for x in T.serial(4):\n    T.vbrc(0.0, a[0:8, :])\n    T.vcast(a, h)",
        caret="T.vbrc(0.0, a[0:8, :])",
        good="for x in T.serial(4):\n    T.vbrc(0.0, a)\n    T.vcast(a, h)",
    ),
    Case(
        rule="not-carried",
        mode="Developer",
        # A branch in front does not always write.
        bad="for x in T.serial(4):\n    if n > 3:\n        T.copy(A, b)\n    T.vadd(b, b, c)\n"
        "    T.copy(c, B)\n    if n > 4:\n        T.vcast(h, b)",
        caret="T.vcast(h, b)",
        good="for x in T.serial(4):\n    if n > 3:\n        T.copy(A, b)\n    else:\n"
        "        T.copy(B, b)\n    T.vadd(b, b, c)\n    T.copy(c, B)\n    if n > 4:\n"
        "        T.vcast(h, b)",
    ),
    Case(
        rule="not-carried",
        mode="Developer",
        # A branch has no next turn.
        bad="if n > 3:\n    T.vbrc(1.0, a)\nif n > 4:\n    T.vcast(a, h)",
        caret="T.vbrc(1.0, a)",
        good="if n > 3:\n    T.vcast(a, h)\n    T.vcast(h, a)",
    ),
    Case(
        rule="number-beside-slice",
        bad="T.vadd(a[0:8, :], 2.0, b[0:8, :])",
        caret="T.vadd(a[0:8, :], 2.0, b[0:8, :])",
        good="T.vadd(a[0:8, :], T.float32(2), b[0:8, :])\nT.vadd(a, 2.0, b)",
    ),
    Case(
        rule="expression-operand",
        bad="T.vmul(a, n * 2, b)",
        caret="T.vmul(a, n * 2, b)",
        good="twice = n * 2\nT.vmul(a, twice, b)\nT.vmul(a, n, b)\nT.vmul(a, a[0, 0], b)",
    ),
    Case(
        rule="element-as-tile",
        mode="Developer",
        bad="T.npuir_add(a[0, 0], b, c)",
        caret="T.npuir_add(a[0, 0], b, c)",
        good="T.npuir_add(b, a[0, 0], c)",
    ),
    Case(
        rule="developer-slice",
        mode="Developer",
        bad="T.vcast(h[0:8, :], a[0:8, :])",
        caret="T.vcast(h[0:8, :], a[0:8, :])",
        good="T.vcast(h, a)\nT.vexp(a[0:8, :], b[0:8, :])\nT.vbrc(row[0:1, :], a)",
    ),
    Case(
        rule="developer-select-slice",
        mode="Developer",
        bad="T.vselect(m[0:8, :], a[0:8, :], b[0:8, :], c[0:8, :])",
        caret="T.vselect(",
        good="T.vselect(m, a, b, c)",
    ),
    Case(
        rule="repeated-source",
        bad='T.vcmp(a, row, m, "ge")',
        caret='T.vcmp(a, row, m, "ge")',
        good='T.vcmp(a, b, m, "ge")\nT.vadd(a, row, b)\nT.vxor(line, line, j[0:1, :])',
    ),
    Case(
        rule="nothing-to-repeat",
        bad="T.vbrc(a, b)",
        caret="T.vbrc(a, b)",
        good="T.vbrc(row, b)\nT.copy(a, b)",
    ),
    Case(
        rule="fill-number",
        bad="T.fill(a, -1.0)",
        caret="T.fill(a, -1.0)",
        good='T.fill(a, -T.infinity("float32"))\nzero = 0.0\nT.fill(b, zero)\nT.clear(c)',
    ),
    Case(
        rule="number-without-dtype",
        bad='T.vcmp(a, 0.0, m, "ge")',
        caret='T.vcmp(a, 0.0, m, "ge")',
        good='T.vcmp(a, T.float32(0), m, "ge")',
    ),
    Case(
        rule="number-without-dtype",
        bad="T.vshr(i, 4, j, round=False)",
        caret="T.vshr(i, 4, j, round=False)",
        good="T.vshr(i, T.int32(4), j, round=False)",
    ),
    Case(
        rule="clamp-slice",
        bad="T.vclamp(a[0:8, :], b[0:8, :], 0.0, 6.0)",
        caret="T.vclamp(a[0:8, :], b[0:8, :], 0.0, 6.0)",
        good="T.vclamp(a, b, 0.0, 6.0)",
    ),
    Case(
        rule="clamp-by-itself",
        bad="T.vclamp(a, b, 0.0, b)",
        caret="T.vclamp(a, b, 0.0, b)",
        good="T.vclamp(a, c, 0.0, b)",
    ),
    Case(
        rule="developer-move",
        mode="Developer",
        bad="T.concat(a, b, wide, 1)",
        caret="T.concat(a, b, wide, 1)",
        good="T.copy(a, wide[:, 0:64])",
    ),
    Case(
        rule="cumsum-reverse",
        bad="T.cumsum(a, b, dim=1, reverse=True)",
        caret="T.cumsum(a, b, dim=1, reverse=True)",
        good="T.cumsum(a, b, dim=1)",
    ),
    Case(
        rule="size-of-move",
        bad="T.transpose(a, b, [1, 0], size=[8, 16])",
        caret="T.transpose(a, b, [1, 0], size=[8, 16])",
        good="T.transpose(a[0:8, 0:16], b[0:16, 0:8], [1, 0])",
    ),
    Case(
        rule="gemm-transposed-b",
        mode="Developer",
        bad="T.gemm(e, f, p, initC=True, b_transpose=True)",
        caret="T.gemm(e, f, p, initC=True, b_transpose=True)",
        good="T.gemm(e, e, a, initC=True, b_transpose=True)",
    ),
    Case(
        rule="transpose-many",
        bad="T.transpose(cube, turned, [2, 0, 1])",
        caret="T.transpose(cube, turned, [2, 0, 1])",
        good="T.transpose(cube, bent, [0, 2, 1])",
    ),
    Case(
        rule="reduce-with-index",
        bad='T.reduce(a, (column, at), dims=1, reduce_mode="max_with_index_left")',
        caret="T.reduce(a, (column, at)",
        good="T.reduce_max(a, column, dim=1)",
    ),
    Case(
        rule="reduce-size-list",
        bad="T.reduce_sum(a, column, dim=1, size=extents)",
        caret="T.reduce_sum(a, column, dim=1, size=extents)",
        good="T.reduce_sum(a, column, dim=1, size=[8, 64])",
    ),
    Case(
        rule="reduce-abs",
        bad="T.reduce_abssum(a, column, dim=1)\nT.copy(a, B)",
        caret="T.reduce_abssum(a, column, dim=1)",
        good="T.reduce_abssum(a, column, dim=1)\nT.copy(A, a)\nT.copy(a, B)",
    ),
    Case(
        rule="reshape-kept",
        bad="T.reshape(a, flat)\nT.vexp(flat, flat)\nT.copy(a, B)",
        caret="T.reshape(a, flat)",
        good="T.reshape(a, flat)\nT.vexp(flat, flat)\nT.reshape(flat, b)\nT.copy(b, B)",
    ),
    Case(
        rule="print-fragment",
        mode="Developer",
        bad='fragment = T.alloc_fragment((64, 64), "float32")\nT.print(fragment)',
        caret="T.print(fragment)",
        good="T.print(a)",
    ),
    Case(
        rule="bitcast",
        bad='bits = T.vbitcast(a, "int32")\nT.copy(bits, i)',
        caret='T.vbitcast(a, "int32")',
        good="T.copy(j, i)",
    ),
    Case(
        rule="long-conversion",
        bad="T.vcast(h, e)",
        caret="T.vcast(h, e)",
        good="T.vcast(h, a)\nT.vcast(a, e)",
    ),
    Case(
        rule="long-conversion",
        mode="Developer",
        bad="T.copy(h, e)",
        caret="T.copy(h, e)",
        good="T.copy(h, a)\nT.copy(a, e)",
    ),
    Case(
        rule="floor",
        bad="T.vfloor(a, b)",
        caret="T.vfloor(a, b)",
        good='T.vcast(a, b, round_mode="floor")',
    ),
    Case(
        rule="power-of-floats",
        bad="T.vpow(a, b, c)",
        caret="T.vpow(a, b, c)",
        good="T.vpow(i, j, j)",
    ),
    Case(
        rule="tanh",
        bad="T.vtanh(a, b)",
        caret="T.vtanh(a, b)",
        good="T.vmul(a, 2.0, b)\nT.vexp(b, b)\nT.vadd(b, 1.0, b)\nT.vrec(b, b)",
    ),
    Case(
        rule="no-bfloat16",
        bad="T.vcos(h, g)",
        caret="T.vcos(h, g)",
        good="T.vcast(h, a)\nT.vcos(a, b)\nT.vcast(b, g)\nT.vexp(h, g)",
    ),
    Case(
        rule="shift-rounds",
        bad="T.vshr(i, T.int32(4), j)",
        caret="T.vshr(i, T.int32(4), j)",
        good="T.vshr(i, T.int32(4), j, round=False)\nT.vshr(i, j, j)",
    ),
    Case(
        rule="TL114",
        bad='with T.rs("PIPE_C"):\n    T.vexp(a, b)',
        caret="T.rs",
        good='with T.rs("PIPE_V"):\n    T.vexp(a, b)',
    ),
    Case(
        rule="TL137",
        bad="for x in T.serial(4):\n    b[(x - 1) % 2, 0] = a[0, 0]",
        caret="(x - 1) % 2",
        good="for x in T.serial(4):\n    b[(x + 1) % 2, 0] = a[0, 0]",
    ),
    Case(
        rule="TL206",
        bad="T.atomic_add(a, B)",
        caret="T.atomic_add(a, B)",
        good="T.atomic_add(B, a)",
    ),
)
