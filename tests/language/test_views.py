"""T.view: what it makes, what it refuses, and that it holds the numbers of its tile."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
from tests.language.conftest import Read, Refuse
from tlcourse import device
from tlcourse.jit import compile
from tlcourse.records import Mode

# Lines around T.view, and the number of the line at which the first caret stands, from 0.
REFUSED = {
    "the view is written": ("v = T.view(a, (128, 64))\nT.vexp(v, v)\nT.copy(a, B[0:64, :])", 1),
    "the tile is written": ("v = T.view(a, (8192,))\nT.vexp(b, a)\nC[0, 0] = v[5]", 1),
    "an element is written": ("v = T.view(a, (8192,))\nv[3] = 0.0\nT.vexp(a, b)", 1),
    "a part is written": ("v = T.view(a, (8192,))\nT.vexp(v[0:64], v[0:64])\nT.vexp(a, b)", 1),
    "in the next turn of the loop around the view": (
        "for i in T.serial(4):\n    v = T.view(a, (8192,))\n    T.vexp(v, v)",
        2,
    ),
    "in the next turn of a loop behind the view": (
        "v = T.view(a, (64, 128))\nfor i in T.serial(4):\n    T.vexp(a, b)\n    T.vexp(v, v)",
        3,
    ),
    "a view of the view": (
        "v = T.view(a, (8192,))\nw = T.view(v, (32, 256))\nT.vexp(w, w)\nT.vexp(a, b)",
        2,
    ),
    "two views of a tile": (
        "v = T.view(a, (8192,))\nw = T.view(a, (8192,))\nT.vexp(w, w)\nT.vexp(v, v)",
        2,
    ),
    "written in a branch only": (
        "v = T.view(a, (64, 128))\nif n > 0:\n    T.vexp(b, v)\nT.vexp(a, b)",
        2,
    ),
    "filled in a branch only": (
        "v = T.view(a, (64, 128))\nT.vexp(b, v)\n"
        "if n > 0:\n    T.copy(A[0:64, :], a)\nT.vexp(a, b)",
        1,
    ),
}
TAKEN = {
    "both are read": "v = T.view(a, (8192,))\nT.vexp(a, b)\nC[0, 0] = v[5]",
    "only the view is used": "v = T.view(a, (64, 128))\nT.vexp(v, v)\nT.copy(v, B[0:64, :])",
    "the tile is filled anew": "v = T.view(a, (64, 128))\nT.vexp(v, v)\nT.copy(A[0:64, :], a)\n"
    "T.vexp(a, b)",
    "loaded in each turn": "for i in T.serial(4):\n    T.copy(A[0:64, :], a)\n"
    "    v = T.view(a, (64, 128))\n    T.vexp(v, v)\n    T.copy(v, B[0:64, :])",
    "in one branch": "if n > 0:\n    T.vexp(a, b)\n    v = T.view(a, (64, 128))\n    T.vexp(v, v)",
    "the tile itself": "v = T.view(a)\nT.vexp(v, v)\nT.vexp(a, b)",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_that_is_written_while_the_other_one_is_read(name: str, refuse: Refuse) -> None:
    lines, place = REFUSED[name]
    problem = refuse(lines)
    assert problem.code == "TL141"
    span = problem.diagnostic.labels[0].span
    text = problem.sources[span.source].text.splitlines()[span.line - 1]
    assert text.strip() == lines.splitlines()[place].strip()


@pytest.mark.parametrize("name", TAKEN)
def test_names_that_do_not_meet(name: str, body: Read) -> None:
    assert body(TAKEN[name]).name == "k"


@pytest.mark.parametrize(
    ("code", "lines", "what"),
    [
        ("TL121", "v = T.view(A, (32768,))", "`A`, which lies in global memory"),
        ("TL121", "v = T.view(T.alloc_L1((64, 64), 'float16'), (4096,))", "in fractal order"),
        ("TL121", "v = T.view(a[0:8, :], (1024,))", "of T.view is a part of `a`"),
        ("TL121", "v = T.view(3, (1024,))", "not a tile"),
        ("TL123", "v = T.view(a, (64, 64))", "T.view cannot write (64, 128) as (64, 64)"),
        ("TL124", "v = T.view(a, dtype='float16')", "bits of float32 cannot be read as float16"),
        ("TL116", "v = T.view(a, dtype='flaot16')", "no dtype flaot16"),
        ("TL117", "v = T.view(a, (n,))", "an int32 scalar"),
    ],
)
def test_what_has_no_view(code: str, lines: str, what: str, refuse: Refuse) -> None:
    problem = refuse(lines)
    assert (problem.code, what in problem.diagnostic.what) == (code, True)


@pytest.mark.parametrize("execution", ["functional", "simulator"])
@pytest.mark.parametrize("mode", ["Developer", "Expert"])
def test_numbers(mode: Mode, execution: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILELANG_ASCEND_MODE", mode)
    x = device.wrap(torch.linspace(-4, 4, 512).view(16, 32))
    turned = device.wrap(torch.empty(32, 16))
    signs = device.wrap(torch.empty(512, dtype=torch.int32))
    compile(_views(T.alloc_ub if mode == "Expert" else T.alloc_shared)).launch(
        x, turned, signs, execution=execution
    )
    torch.testing.assert_close(turned.cpu(), x.cpu().view(32, 16).exp(), rtol=1e-4, atol=1e-4)
    assert torch.equal(signs.cpu(), x.cpu().view(torch.int32).view(512))


def _views(alloc: Callable[..., object]) -> T.PrimFunc:
    @T.prim_func
    def kernel(
        A: T.Tensor((16, 32), "float32"),
        B: T.Tensor((32, 16), "float32"),
        C: T.Tensor((512,), "int32"),
    ):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = alloc((16, 32), "float32")
            b = alloc((32, 16), "float32")
            T.copy(A, a)
            wide = T.view(a, (32, 16))
            bits = T.view(a, (512,), "int32")
            T.vexp(wide, b)
            T.copy(b, B)
            T.copy(bits, C)

    return kernel
