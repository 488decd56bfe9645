"""Buffers on the chip: shapes, dtypes, scopes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tlcourse.language as T
from tlcourse.dialects import tl
from tlcourse.dialects.dtypes import DTYPES

Body = Callable[..., T.PrimFunc]
FORMS = {
    'T.alloc_shared((8, 16), "float16")': ("shared.dyn", (8, 16)),
    'T.alloc_shared((8, 16), "bool")': ("shared", (8, 16)),
    'T.alloc_shared((8, 16), "float16", scope="shared")': ("shared", (8, 16)),
    'T.alloc_shared([8, 16], dtype="float16")': ("shared.dyn", (8, 16)),
    'T.alloc_shared((8), "float16")': ("shared.dyn", (8,)),
    "T.alloc_fragment(8, T.float32)": ("local.fragment", (8,)),
    'T.alloc_fragment((8, 16), "bool")': ("local.fragment", (8, 16)),
    'T.alloc_local((4,), "int32")': ("local", (4,)),
    'T.alloc_var("int32")': ("local.var", (1,)),
    'T.alloc_ub((1, 2, 3, 4, 8), "int8")': ("shared", (1, 2, 3, 4, 8)),
    'T.alloc_L1((16, 16), "float16")': ("shared.dyn", (16, 16)),
    'T.alloc_L0A((16, 16), "float16")': ("wmma.matrix_a", (16, 16)),
    'T.alloc_L0B((16, 16), "float16")': ("wmma.matrix_b", (16, 16)),
    'T.alloc_L0C((16, 16), "float32")': ("wmma.accumulator", (16, 16)),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(body: Body, form: str) -> None:
    *_, op = [op for op in body(f"x = {form}").module.walk() if isinstance(op, tl.AllocOp)]
    assert (tl.scope_of(op.result), op.result.type.get_shape()) == FORMS[form]


@pytest.mark.parametrize("dtype", sorted(DTYPES))
def test_each_dtype_as_text_and_as_object(body: Body, dtype: str) -> None:
    text = body(f'x = T.alloc_ub((8,), "{dtype}")')
    given = body("x = T.alloc_ub((8,), d)", d=getattr(T, dtype))
    assert text.script() == given.script()
    assert f'x = T.alloc_ub((8,), "{dtype.removeprefix("u")}")' in text.script()


def test_an_allocation_may_stand_in_a_loop(body: Body) -> None:
    script = body('for i in T.serial(4):\n    x = T.alloc_ub((8,), "int8")').script()
    assert '        x = T.alloc_ub((8,), "int8")' in script


@pytest.mark.parametrize("form", ['T.alloc_var("int32")', 'T.alloc_local((2,), "int32")'])
def test_scalars_that_change_print_as_they_were_written(body: Body, form: str) -> None:
    assert f"x = {form}" in body(f"x = {form}\nx[0] = n\nx[0] += 1").script()
