import pytest
import torch

from tlcourse.dialects import tl
from tlcourse.dialects.hivm import vector
from tlcourse.dialects.vector_ops import VECTOR_OPS

REFERENCES = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vmul": lambda a, b: a * b,
    "vdiv": lambda a, b: (
        a / b if a.is_floating_point() else torch.trunc(a.double() / b).to(a.dtype)
    ),
    "vmax": torch.max,
    "vmin": torch.min,
    "vexp": torch.exp,
    "vln": torch.log,
    "vsqrt": torch.sqrt,
    "vrsqrt": lambda a: 1 / torch.sqrt(a),
    "vrec": lambda a: 1 / a,
    "vabs": torch.abs,
    "vrelu": torch.relu,
}
TOLERANCE = {"float16": 1e-3, "float32": 1e-4}
CASES = [(name, dtype) for name, row in VECTOR_OPS.items() for dtype in row.dtypes]


def test_every_row_has_a_reference_and_two_op_classes() -> None:
    assert set(REFERENCES) == set(VECTOR_OPS) == set(tl.ELEMENTWISE) == set(vector.ELEMENTWISE)


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_meaning_against_torch(name: str, dtype: str) -> None:
    row, kind = VECTOR_OPS[name], getattr(torch, dtype)
    generator = torch.Generator().manual_seed(1)
    if kind.is_floating_point:
        sources = [
            torch.rand(8, 16, generator=generator).add(0.5).to(kind) for _ in range(row.arity)
        ]
    else:
        sources = [
            torch.randint(1, 9, (8, 16), generator=generator, dtype=kind) for _ in range(row.arity)
        ]
    out = torch.zeros(8, 16, dtype=kind)
    statement = row.torch_statement(dtype)
    names = {"torch": torch, "a": sources[0], "b": sources[-1], "out": out}
    exec(statement.format("a", "b", o="out"), names)
    tolerance = TOLERANCE.get(dtype, 0)
    expected = REFERENCES[name](*sources)
    torch.testing.assert_close(out, expected.to(kind), rtol=tolerance, atol=tolerance)
