"""T.print: what it may print, and how it calls it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.dialects import tl

Body = Callable[..., T.PrimFunc]
MESSAGES = {
    "T.print(a)": "buffer<a, float32>",
    "T.print(A)": "buffer<A, float32>",
    "T.print(a[:4, :4])": "subview<a, float32>",
    "T.print(a[0, n])": "subview<a, float32>",
    "T.print(n)": "expr<n>",
    "x = n + 1\nT.print(x)": "expr<x>",
    "T.print(cid)": "expr<cid>",
    "for i in T.serial(4):\n    T.print(i)": "expr<i>",
    "T.print(n + 1)": "expr",
    "T.print(3)": "expr",
    "T.print(n, 'size')": "size",
    "T.npuir_print(n, msg=f'{n} of {4}')": "n of 4",
    "f = T.alloc_fragment((4,), 'int32')\nT.print(f, hex=True)": "buffer<f, int32>",
}


@pytest.mark.parametrize("lines", MESSAGES)
def test_message(body: Body, lines: str) -> None:
    op = next(op for op in body(lines).module.walk() if isinstance(op, tl.PrintOp))
    assert op.message.data == MESSAGES[lines]
    assert (op.hex is not None) == ("hex" in lines)


def test_a_text_is_no_tile(refuse: Callable[[str], TLError]) -> None:
    assert refuse("T.print('here')").code == "TL121"
