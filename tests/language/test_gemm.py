"""T.gemm: shapes, dtypes and memories that the matrix unit takes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.dialects import tl

ALLOCATIONS = """
p = T.alloc_L1((64, 32), "float16")
q = T.alloc_L1((32, 128), "float16")
r = T.alloc_L0C((64, 128), "float32")
pt = T.alloc_L1((32, 64), "float16")
qt = T.alloc_L1((128, 32), "float16")
many = T.alloc_L1((2, 64, 32), "float16")
"""
ACCEPTED = {
    "plain": "T.gemm(p, q, r)",
    "transposed": "T.gemm(pt, qt, r, a_transpose=True, b_transpose=True)",
    "a condition": "T.gemm(p, q, r, initC=(n == 0))",
    "size": "T.gemm(p, q, r, initC=True, size=[n, 32, 128])",
    "size, transposed": "T.npuir_dot(pt, qt, r, [64, n, 128], False, True, True)",
    "one of many": "T.gemm(many[n % 2, :, :], q, r)",
    "one of many, size": "T.gemm(many[n % 2, :, :], q[0:16, :], r, size=[n, 16, 128])",
    "a start point, size": "T.gemm(p[0, 0], q[0, 0], r[0, 0], size=[16, 16, 16])",
    "slices": "T.gemm(p[:, 0:16], q[16:32, :], r)",
    "bfloat16": """
p2 = T.alloc_L1((64, 32), "bfloat16")
q2 = T.alloc_L1((32, 128), "bfloat16")
T.gemm(p2, q2, r, initC=True)""",
    "int8": """
p2 = T.alloc_L1((64, 32), "int8")
q2 = T.alloc_L1((32, 128), "int8")
r2 = T.alloc_L0C((64, 128), "int32")
T.gemm(p2, q2, r2, initC=False)""",
}


def gemm_of(kernel: T.PrimFunc) -> tl.GemmOp:
    return next(op for op in kernel.module.walk() if isinstance(op, tl.GemmOp))


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(body: Callable[[str], T.PrimFunc], name: str) -> None:
    op = gemm_of(body(ALLOCATIONS + ACCEPTED[name]))
    assert (op.a_transpose is not None) == ("transposed" in name)


def test_size_cuts_all_three_tiles(body: Callable[[str], T.PrimFunc]) -> None:
    op = gemm_of(body(ALLOCATIONS + "T.gemm(p, q, r, size=[n, 16, 128])"))
    shapes = [str(operand.type).split("x f")[0] for operand in (op.a, op.b, op.c)]
    assert [shape[7 : shape.rindex("x")] for shape in shapes] == ["?x16", "16x128", "?x128"]


def test_size_starts_where_a_slice_starts(body: Callable[[str], T.PrimFunc]) -> None:
    call = "T.gemm(p[32:64, :], q[16:32, :], r[32:64, :], size=[8, 16, 128])"
    script = body(ALLOCATIONS + call).script()
    assert "T.gemm(p[32 : 32 + 8, :16], q[16 : 16 + 16, :128], r[32 : 32 + 8, :128]" in script


REFUSED = {
    "TL132 extents": "T.gemm(p, qt, r)",
    "TL132 three sizes": "T.gemm(p, q, r, size=[64, 32])",
    "TL132 rank": "T.gemm(many, q, r)",
    "TL124 dtypes": 'h = T.alloc_L0C((64, 128), "float16")\nT.gemm(p, q, h)',
    "TL203 memory": 'u = T.alloc_ub((64, 32), "float16")\nT.gemm(u, q, r)',
    "TL121 no tile": "T.gemm(p, 3, r)",
    "TL125 no condition": "T.gemm(p, q, r, initC='yes')",
    "TL119 size beyond the end": "T.gemm(p[60:64, :], q, r, size=[8, 32, 128])",
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(refuse: Callable[[str], TLError], name: str) -> None:
    assert refuse(ALLOCATIONS + REFUSED[name]).code == name.split()[0]
