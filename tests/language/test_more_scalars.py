"""Scalar functions: what they compute when a kernel runs, in both modes, against torch."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.dialects.signature import stamp
from tlcourse.functional.generate import generate
from tlcourse.functional.run import run
from tlcourse.records import Mode
from tlcourse.tolerance import tolerance

Read = Callable[..., T.PrimFunc]
INPUT = [-3.5, -1.0, -0.25, 0.5, 1.0, 2.75]

FLOATS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "T.abs(x)": torch.abs,
    "T.sigmoid(x)": torch.sigmoid,
    "T.exp(x)": torch.exp,
    "T.exp2(x)": torch.exp2,
    "T.log(T.abs(x))": lambda x: x.abs().log(),
    "T.log2(T.abs(x))": lambda x: x.abs().log2(),
    "T.sqrt(T.abs(x))": lambda x: x.abs().sqrt(),
    "T.rsqrt(T.abs(x))": lambda x: x.abs().rsqrt(),
    "T.clamp(x, -1, 1.5)": lambda x: x.clamp(-1, 1.5),
    "T.max(T.min(x, 2), -2)": lambda x: x.clamp(-2, 2),
    "T.if_then_else(x > 0, x, x * x)": lambda x: torch.where(x > 0, x, x * x),
    "T.Select(x > 0, 1.0, 0.0)": lambda x: (x > 0).float(),
    "T.Select(T.any_of(x > 2, x < -2), 1.0, 0.0)": lambda x: (x.abs() > 2).float(),
    "T.Select(T.all_of(x < 2, x > -2), 1.0, 0.0)": lambda x: (x.abs() < 2).float(),
    "T.Select(T.all_of(True, x < 2), 1.0, 0.0)": lambda x: (x < 2).float(),
    "T.Select(T.any_of(True, x < 2), 1.0, 0.0)": torch.ones_like,
    "x.astype('int32')": torch.trunc,
    "T.cast(x, T.int32)": torch.trunc,
    "T.Cast('int8', x)": torch.trunc,
    "T.reinterpret('FLOAT', T.reinterpret('INT', x))": lambda x: x,
    "T.Select(T.reinterpret('uINT', x) >> SIGN != 0, 1.0, 0.0)": lambda x: (x < 0).float(),
    "-x": torch.neg,
    "T.min(x, T.infinity('float32'))": lambda x: x,
    "T.max(x, -T.infinity('float32'))": lambda x: x,
    "x + T.float32(0.5)": lambda x: x + 0.5,
}


def computed(read: Read, text: str, values: torch.Tensor, mode: Mode) -> torch.Tensor:
    dtype = str(values.dtype).removeprefix("torch.")
    kernel = read(
        f"@T.prim_func\ndef k(A: T.Tensor(({len(values)},), dtype), "
        f"C: T.Tensor(({len(values)},), dtype)):\n"
        f"    with T.Kernel({len(values)}, is_npu=True) as (i, _):\n"
        f"        x = A[i]\n        C[i] = {text}\n",
        dtype=dtype,
    )
    stamp(kernel.module, mode=mode, target="npuir", out_idx=(), pass_configs={})
    found = torch.zeros_like(values)
    assert run(generate(kernel.module, kernel.sources), [values, found], symbols={}).findings == ()
    return found


@pytest.mark.parametrize("mode", ["Expert", "Developer"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("text", FLOATS)
def test_floats(read: Read, text: str, dtype: str, mode: Mode) -> None:
    bits = 32 if dtype == "float32" else 16
    words = {"FLOAT": dtype, "INT": f"int{bits}", "SIGN": str(bits - 1)}
    values = torch.tensor(INPUT, dtype=getattr(torch, dtype))
    expected = FLOATS[text](values.float())
    limit = tolerance(dtype)
    line = re.sub("|".join(words), lambda found: words[found[0]], text)
    found = computed(read, line, values, mode)
    torch.testing.assert_close(found, expected.to(found.dtype), rtol=limit, atol=limit)


INTEGERS: dict[str, Callable[[int], int]] = {
    "T.abs(x)": abs,
    "x // 3": lambda x: x // 3,
    "x % 3": lambda x: x % 3,
    "x // -3": lambda x: x // -3,
    "x % -3": lambda x: x % -3,
    "T.floordiv(x, 4)": lambda x: x // 4,
    "T.floormod(x, 4)": lambda x: x % 4,
    "T.ceildiv(x, 4)": lambda x: -(-x // 4),
    "T.clamp(x, -2, 3)": lambda x: min(max(x, -2), 3),
    "~x": lambda x: ~x,
    "x & 6 | 8 ^ x": lambda x: x & 6 | 8 ^ x,
    "(x << 2) >> 1": lambda x: (x << 2) >> 1,
    "T.cast(T.cast(x, 'float32') / 2, 'int32')": lambda x: math.trunc(x / 2),
    "T.cast(x > 0, 'int32')": lambda x: int(x > 0),
    "1 if x > 2 else x": lambda x: 1 if x > 2 else x,
    "T.Select(0 < x < 5 and not x == 2, 1, 0)": lambda x: int(0 < x < 5 and x != 2),
}


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("text", INTEGERS)
def test_integers(read: Read, text: str, dtype: str) -> None:
    values = torch.arange(-7, 8, dtype=getattr(torch, dtype))
    expected = [INTEGERS[text](x) for x in values.tolist()]
    assert computed(read, text, values, "Expert").tolist() == expected


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("TL120", "x = T.abs(a)"),
        ("TL120", "x = T.sigmoid('1')"),
        ("TL120", "x = T.clamp(a[0, 0], None, 1)"),
        ("TL124", "x = T.reinterpret('int16', a[0, 0])"),
        ("TL116", "x = T.reinterpret('in32', a[0, 0])"),
        ("TL116", "x = a[0, 0].astype('in32')"),
        ("TL125", "x = T.any_of(n > 1, n)"),
    ],
)
def test_refused(refuse: Callable[[str], TLError], code: str, line: str) -> None:
    assert refuse(line).code == code


def test_an_unsigned_number_is_its_own_absolute_value(body: Read) -> None:
    script = body('x = T.abs(T.cast(n, "uint32"))').script()
    assert 'x = T.cast(n, "uint32")' in script or "x = n" in script


FLOORS = {
    "x = (n - 3) // 2": [],
    "x = (cid - 3) // 2": ["-3"],
    "x = (cid - 1) % 2": ["-1"],
    "x = cid // -2": ["-2"],
    "x = (cid + 1) % 2": [],
    "x = T.ceildiv(n - cid, 2)": [],
}


@pytest.mark.parametrize("line", FLOORS)
def test_a_negative_side_of_a_division_is_told(body: Read, line: str) -> None:
    found = [warning for warning in body(line).warnings if warning.code == "TL137"]
    assert [f"as low as {low}:" in found[0].what for low in FLOORS[line]] == [True] * len(found)
    assert len(found) == len(FLOORS[line])
