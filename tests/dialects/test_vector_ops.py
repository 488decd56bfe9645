"""The table of vector ops: each row's meaning against torch, dtype by dtype."""

from __future__ import annotations

import pytest
import torch

from tlcourse.dialects import tl
from tlcourse.dialects.composites import COMPOSITES
from tlcourse.dialects.hivm import vector
from tlcourse.dialects.vector_ops import ALL_OPS, CHOICE_OPS, COMPOSITE_OPS, VECTOR_OPS
from tlcourse.tolerance import tolerance


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    if not tensor.is_floating_point():
        return tensor
    return tensor.view(torch.int32 if tensor.dtype == torch.float32 else torch.int16)


REFERENCES = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vmul": lambda a, b: a * b,
    "vdiv": lambda a, b: (
        a / b if a.is_floating_point() else torch.trunc(a.double() / b).to(a.dtype)
    ),
    "vmax": torch.max,
    "vmin": torch.min,
    "vand": lambda a, b: (_bits(a) & _bits(b)).view(a.dtype),
    "vor": lambda a, b: (_bits(a) | _bits(b)).view(a.dtype),
    "vxor": lambda a, b: a ^ b,
    "vshl": lambda a, b: a << b,
    "vpow": lambda a, b: a.double() ** b.double(),
    "vexp": torch.exp,
    "vln": torch.log,
    "vsqrt": torch.sqrt,
    "vrsqrt": lambda a: 1 / torch.sqrt(a),
    "vrec": lambda a: 1 / a,
    "vabs": torch.abs,
    "vrelu": torch.relu,
    "vnot": lambda a: (~_bits(a)).view(a.dtype),
}
# Unsigned integers of more than 8 bits lack most of torch's operations.
UNSIGNED = ("uint16", "uint32", "uint64")
CASES = [
    (name, dtype)
    for name, row in VECTOR_OPS.items()
    for dtype in row.dtypes
    if dtype not in UNSIGNED
]


def _source(dtype: str, generator: torch.Generator) -> torch.Tensor:
    kind = getattr(torch, dtype)
    if kind.is_floating_point:
        return torch.rand(8, 16, generator=generator).add(0.5).to(kind)
    low, high = (0, 2) if kind == torch.bool else (1, 7)
    return torch.randint(low, high, (8, 16), generator=generator).to(kind)


def test_every_row_has_a_reference_and_two_op_classes() -> None:
    assert set(REFERENCES) == set(VECTOR_OPS) == set(vector.ELEMENTWISE)
    assert set(tl.ELEMENTWISE) == set(VECTOR_OPS) | set(COMPOSITE_OPS)
    assert set(tl.CHOICES) == set(CHOICE_OPS)
    assert set(COMPOSITES) == set(COMPOSITE_OPS)


def test_both_spellings_are_unique() -> None:
    names = [name for row in ALL_OPS.values() for name in (row.mnemonic, row.alias)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_meaning_against_torch(name: str, dtype: str) -> None:
    row, kind = VECTOR_OPS[name], getattr(torch, dtype)
    generator = torch.Generator().manual_seed(1)
    sources = [_source(dtype, generator) for _ in range(row.arity)]
    out = torch.zeros(8, 16, dtype=kind)
    names = {"torch": torch, "a": sources[0], "b": sources[-1], "out": out}
    exec(row.torch_statement(dtype).format("a", "b", o="out"), names)
    expected = REFERENCES[name](*sources).to(kind)
    limit = tolerance(dtype)
    torch.testing.assert_close(out, expected, rtol=limit, atol=limit, equal_nan=True)


def test_bfloat16_goes_through_float32_where_it_has_no_instruction() -> None:
    assert ALL_OPS["vadd"].through_float32("bfloat16")
    assert ALL_OPS["vcmp"].through_float32("bfloat16")
    assert not ALL_OPS["vand"].through_float32("bfloat16")
    assert not ALL_OPS["vselect"].through_float32("bfloat16")
    assert not ALL_OPS["vshl"].through_float32("bfloat16")
    assert not ALL_OPS["vadd"].through_float32("float16")
