"""Random chains of exact elementwise ops over tiles with tails, against whole-tensor torch."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tlcourse.dialects.signature import stamp
from tlcourse.dialects.text import from_text
from tlcourse.dialects.vector_ops import VECTOR_OPS
from tlcourse.functional.generate import generate
from tlcourse.functional.run import run
from tlcourse.tolerance import tolerance

ELEMENTS = {"float32": "f32", "float16": "f16", "int32": "i32"}
# Rounded once per op, so that a tile and the whole tensor agree to the last bit.
EXACT = ("vadd", "vsub", "vmul", "vmax", "vmin", "vabs", "vrelu")
BUFFERS = ("x", "y", "z")


@dataclass(frozen=True, kw_only=True)
class Step:
    """One op: its mnemonic, names of its sources and of its destination."""

    mnemonic: str
    sources: tuple[str, ...]
    destination: str


@st.composite
def steps(draw: st.DrawFn) -> Step:
    mnemonic = draw(st.sampled_from(EXACT))
    names = st.sampled_from(BUFFERS)
    sources = tuple(draw(names) for _ in range(VECTOR_OPS[mnemonic].arity))
    return Step(mnemonic=mnemonic, sources=sources, destination=draw(names))


def kernel(rows: int, columns: int, block: int, dtype: str, chain: list[Step]) -> str:
    """Tile IR: loads X into x and y, runs the chain on row tiles with tails, stores x, y, z."""
    element = ELEMENTS[dtype]
    gm = f"memref<{rows}x{columns}x{element}, #tl.scope<global>>"
    gm_part = f"memref<?x{columns}x{element}, #tl.scope<global>>"
    ub = f"memref<{block}x{columns}x{element}, #tl.scope<shared>>"
    ub_part = f"memref<?x{columns}x{element}, #tl.scope<shared>>"
    outputs = {"x": "A", "y": "B", "z": "C"}
    arguments = ", ".join(
        f'%{name} : {gm} {{tl.name = "{name}", tl.dtype = "{dtype}", tl.kind = "tensor", '
        f'tl.extents = ["{rows}", "{columns}"]}}'
        for name in ("X", "Y", "A", "B", "C")
    )
    lines = [f'%{name} = tl.alloc "{name}" : {ub}' for name in BUFFERS]
    lines += [
        f"%{name}_n = tl.region %{name}[%zero, %zero] [%n] : {ub} to {ub_part}" for name in BUFFERS
    ]
    for name, tensor in (("x", "X"), ("y", "Y"), ("z", "X")):
        lines.append(f"%in_{name} = tl.region %{tensor}[%first, %zero] [%n] : {gm} to {gm_part}")
        lines.append(f"tl.copy %in_{name}, %{name}_n : {gm_part} to {ub_part}")
    for step in chain:
        inputs = ", ".join(f"%{source}_n" for source in step.sources)
        kinds = ", ".join(ub_part for _ in step.sources)
        lines.append(
            f"tl.{step.mnemonic} ins({inputs} : {kinds}) outs(%{step.destination}_n : {ub_part})"
        )
    for name, tensor in outputs.items():
        lines.append(f"%out_{name} = tl.region %{tensor}[%first, %zero] [%n] : {gm} to {gm_part}")
        lines.append(f"tl.copy %{name}_n, %out_{name} : {ub_part} to {gm_part}")
    body = "\n".join(lines)
    return f"""builtin.module {{
func.func @chain({arguments}) {{
  %blocks = arith.constant {-(-rows // block)} : i32
  tl.kernel(%blocks) {{
  ^bb0(%cid : i32, %vid : i32):
    %zero = arith.constant 0 : i32
    %block = arith.constant {block} : i32
    %rows = arith.constant {rows} : i32
    %first = arith.muli %cid, %block : i32
    %left = arith.subi %rows, %first : i32
    %n = arith.minsi %block, %left : i32
    {body}
  }}
  func.return
}}
}}"""


def expected(x: torch.Tensor, y: torch.Tensor, chain: list[Step]) -> dict[str, torch.Tensor]:
    values = {"x": x, "y": y, "z": x}
    for step in chain:
        out = torch.empty_like(x)
        statement = VECTOR_OPS[step.mnemonic].torch_statement(str(x.dtype).removeprefix("torch."))
        names = [f"values[{source!r}]" for source in step.sources]
        eval(statement.format(*names, o="out"), {"torch": torch, "values": values, "out": out})
        values[step.destination] = out
    return values


def run_chain(
    x: torch.Tensor, y: torch.Tensor, block: int, chain: list[Step]
) -> tuple[torch.Tensor, ...]:
    rows, columns = x.shape
    dtype = str(x.dtype).removeprefix("torch.")
    module = from_text(kernel(rows, columns, block, dtype, chain))
    stamp(module, mode="Expert", target="npuir", out_idx=(), pass_configs={})
    outputs = tuple(torch.zeros_like(x) for _ in BUFFERS)
    result = run(generate(module, {}), [x, y, *outputs], symbols={})
    assert result.findings == ()
    return outputs


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    st.integers(1, 40),
    st.integers(1, 20),
    st.sampled_from([1, 3, 16]),
    st.sampled_from(list(ELEMENTS)),
    st.lists(steps(), min_size=1, max_size=8),
    st.integers(0, 2**16),
)
def test_chains(
    rows: int, columns: int, block: int, dtype: str, chain: list[Step], seed: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    kind = getattr(torch, dtype)
    x, y = (torch.randint(-9, 10, (rows, columns), generator=generator).to(kind) for _ in "xy")
    found = run_chain(x, y, block, chain)
    wanted = expected(x, y, chain)
    for name, tensor in zip(BUFFERS, found, strict=True):
        torch.testing.assert_close(tensor, wanted[name], rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize(
    ("mnemonic", "dtype"),
    [
        (name, dtype)
        for name, row in VECTOR_OPS.items()
        for dtype in ELEMENTS
        if dtype in row.dtypes
    ],
)
def test_each_op_of_the_table(mnemonic: str, dtype: str) -> None:
    generator = torch.Generator().manual_seed(3)
    kind = getattr(torch, dtype)
    x, y = ((torch.rand(21, 10, generator=generator) * 3 + 1).to(kind) for _ in "xy")
    sources = ("x", "y")[: VECTOR_OPS[mnemonic].arity]
    chain = [Step(mnemonic=mnemonic, sources=sources, destination="z")]
    *_, z = run_chain(x, y, 16, chain)
    limit = tolerance(dtype)
    wanted = expected(x, y, chain)["z"]
    # The bits of two floats together may be NaN.
    torch.testing.assert_close(z, wanted, rtol=limit, atol=limit, equal_nan=True)
