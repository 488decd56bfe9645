"""What the elementwise T functions refuse, and how their Tile IR reads as text."""

from __future__ import annotations

import pytest

import tlcourse.language as T
from tlcourse.dialects import tl


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("T.vand(a, b, c)", "", ""),
        ("T.vxor(a, b, c)", "TL124", "T.vxor does not work on float32"),
        ("T.vshl(a, 1, c)", "TL124", "T.vshl does not work on float32"),
        ("T.vand(a, 1, c)", "TL121", "`B` of T.vand is 1 (int), not a tile"),
        ("T.vpow(a, 2.0, c)", "TL121", "`B` of T.vpow is 2.0 (float), not a tile"),
        ("T.vsub(1.0, a, c)", "TL121", "`A` of T.vsub is 1.0 (float), not a tile"),
        ("T.vsigmoid(0.5, c)", "TL121", "`A` of T.vsigmoid is 0.5 (float), not a tile"),
        ("T.vcmp(a, b, c, 'lt')", "TL124", "`C` of T.vcmp is float32, not bool"),
        ("T.npuir_cmp(a, b, m, 'gte')", "TL138", "there is no mode 'gte'"),
        ("T.vcmp(1.0, a, m, 'lt')", "TL121", "`A` of T.vcmp is 1.0 (float), not a tile"),
        ("T.vselect(a, b, c, c)", "TL124", "`Cond` of T.vselect is float32, not bool"),
        ("T.vselect(m, a, 0.0, c)", "TL121", "`B` of T.vselect is 0.0 (float), not a tile"),
        ("T.npuir_select(m, a, h, c)", "TL124", "T.npuir_select gets tiles of different dtypes"),
        ("T.vcos(a[0:8, :], c)", "TL123", "T.vcos cannot write (8, 128) to (64, 128)"),
        ("T.vclamp(a[0:8, :], c, 0, 1)", "TL123", "T.vclamp cannot write"),
        ("T.vclamp(a, c, h, 1)", "TL124", "T.vclamp gets tiles of different dtypes"),
        ("T.vexp2(a, h, c)", "TL124", "T.vexp2 gets tiles of different dtypes"),
        ("T.vbitcast(a, 'int16')", "TL124", "the bits of float32 cannot be read as int16"),
        ("T.vbitcast(m, 'int8')", "TL124", "the bits of bool cannot be read as int8"),
        ("T.vbitcast(a, 'int23')", "TL116", "int23"),
        ("T.vbitcast(1.5, 'int32')", "TL121", "`src` is 1.5 (float), not a tile"),
        ("T.vshr(a, 1, c)", "TL124", "T.vshr does not work on float32"),
        ("T.vadd(i8, i8, i8)", "TL124", "T.vadd does not work on int8"),
        ("T.vdiv(i, i, i)", "TL124", "T.vdiv does not work on int32"),
        ("T.vcmp(a, b, m)", "TL109", "missing a required argument: 'cmp_mod'"),
    ],
)
def test_what_is_refused(body, refuse, line, code, words) -> None:
    lines = f"""
        m = T.alloc_ub((64, 128), "bool")
        h = T.alloc_ub((64, 128), "float16")
        i = T.alloc_ub((64, 128), "int32")
        i8 = T.alloc_ub((64, 128), "int8")
        {line}
    """
    if not code:
        body(lines)
        return
    error = refuse(lines)
    assert error.code == code
    assert words in error.diagnostic.what
    assert error.diagnostic.labels


def test_operands_may_be_named(body) -> None:
    named, placed = body("T.vsub(a, C=c, B=b)"), body("T.vsub(a, b, c)")
    assert named.script() == placed.script()


def test_text_says_what_ops_say(body) -> None:
    lines = """
        m = T.alloc_ub((64, 128), "bool")
        i = T.alloc_ub((64, 128), "int32")
        T.npuir_cmp(a, 0.5, m, "ge")
        T.vselect(m, a, b, c)
        T.vshr(i, 3, i)
        T.vshr(i, i, i, round=False)
        T.npuir_vtanh(a, c)
        T.vfloordiv(a, 2, c)
        bits = T.vbitcast(c, "int32")
        T.vnot(bits, bits)
    """
    script = body(lines).script()
    for line in (
        'T.vcmp(a, T.float32(0.5), m, "ge")',
        "T.vselect(m, a, b, c)",
        "T.vshr(i, 3, i)",
        "T.vshr(i, i, i, round=False)",
        "T.vtanh(a, c)",
        "T.vfloordiv(a, T.float32(2.0), c)",
        'bits = T.vbitcast(c, "int32")',
        "T.vnot(bits, bits)",
    ):
        assert f"\n        {line}\n" in script + "\n"


def test_a_scalar_of_a_comparison_has_the_tiles_dtype(body) -> None:
    kernel = body('m = T.alloc_ub((64, 128), "bool")\nT.vcmp(a, n, m, "eq")')
    (compare,) = [op for op in kernel.module.walk() if isinstance(op, tl.VcmpOp)]
    assert str(compare.sources[1].type) == "f32"


def test_unsigned_integers_have_bits(read) -> None:
    kernel = read(
        """
        @T.prim_func
        def k(A: T.Tensor((8, 32), "uint8")):
            with T.Kernel(1, is_npu=True):
                a = T.alloc_ub((8, 32), "uint8")
                T.copy(A, a)
                T.vnot(a, a)
                T.vand(a, a, a)
                T.copy(a, A)
        """
    )
    assert isinstance(kernel, T.PrimFunc)
