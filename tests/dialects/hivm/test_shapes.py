"""Text of the moving vector ops, also as the real compiler reads it, and what they compute."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import torch

from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.text import from_text, to_text
from tlcourse.simulator import numeric

A = "memref<4x6xf32, strided<[6, 1]>, #hivm.address_space<ub>>"
T_ = "memref<6x4xf32, strided<[4, 1]>, #hivm.address_space<ub>>"
W = "memref<4x12xf32, strided<[12, 1]>, #hivm.address_space<ub>>"
H = "memref<8x6xf32, strided<[6, 1]>, #hivm.address_space<ub>>"
C = "memref<4x1xf32, strided<[1, 1]>, #hivm.address_space<ub>>"
IDX = "memref<4x6xi32, strided<[6, 1]>, #hivm.address_space<ub>>"
CI = "memref<4x1xi32, strided<[1, 1]>, #hivm.address_space<ub>>"
LINES = [
    f"hivm.hir.vcumsum ins(%a : {A}) outs(%b : {A}) cum_dims = [0] reverse = false",
    f"hivm.hir.vtranspose ins(%a : {A}) outs(%t : {T_}) permutation = [1, 0]",
    f"hivm.hir.vconcat dim(1) ins(%a, %b : {A}, {A}) outs(%w : {W})",
    f"hivm.hir.vpad ins(%a : {A}) outs(%h : {H}) low[1, 0] high[%i, 0] pad_value %s : f32",
    f"hivm.hir.vinterleave ins(%a, %b : {A}, {A}) outs(%w : {W}) interleave_channel_nums = 2",
    f"hivm.hir.vdeinterleave ins(%w : {W}) outs(%a, %b : {A}, {A}) channel_num = 2 "
    "index_mode = <ALL_CHANNELS>",
    f"hivm.hir.vdeinterleave ins(%w : {W}) outs(%b : {A}) channel_num = 2 index_mode = <CHANNEL_1>",
    f"hivm.hir.vflip ins(%a : {A}) outs(%b : {A}) flip_axis = 1",
    f"hivm.hir.vgather ins(%a : {A}) indices(%n : {IDX}) outs(%b : {A})",
    f"hivm.hir.varange offset[%i] strides[%j, %i] outs(%n : {IDX})",
    f"hivm.hir.vreduce <xori> ins(%n : {IDX}) outs(%cn : {CI}) reduce_dims = [1]",
    f"hivm.hir.vreduce <max_with_index_left> ins(%a : {A}) outs(%c, %cn : {C}, {CI}) "
    "reduce_dims = [1]",
    f"hivm.hir.vreduce <prod> ins(%a : {A}) outs(%c : {C}) reduce_dims = [1]",
]
IDS = [f"{line.split()[0]}{number}" for number, line in enumerate(LINES)]
MODULE = f"""module {{
  func.func @f(%a: {A}, %b: {A}, %t: {T_}, %w: {W}, %h: {H}, %c: {C}, %n: {IDX}, %cn: {CI},
      %i: index, %j: index, %s: f32) {{
    LINE
    return
  }}
}}
"""


def _op(line: str) -> PipeOp:
    module = from_text(MODULE.replace("LINE", line))
    module.verify()
    return next(op for op in module.walk() if isinstance(op, PipeOp))


@pytest.mark.parametrize("line", LINES, ids=IDS)
def test_round_trip_keeps_the_line(line: str) -> None:
    text = to_text(from_text(MODULE.replace("LINE", line)))
    assert text.splitlines()[-4].strip() == line
    generic = to_text(from_text(text), generic=True)
    assert to_text(from_text(generic)) == text


@pytest.mark.bishengir
@pytest.mark.parametrize("line", LINES, ids=IDS)
def test_real_compiler_reads_both_forms_alike(line: str, bishengir_opt: Path) -> None:
    module = from_text(MODULE.replace("LINE", line))
    texts = [MODULE.replace("LINE", line), to_text(module), to_text(module, generic=True)]
    outputs = [
        subprocess.run(
            [bishengir_opt, "-", "--mlir-print-op-generic"],
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        for text in texts
    ]
    assert [output.returncode for output in outputs] == [0, 0, 0], outputs[0].stderr
    assert outputs[0].stdout == outputs[1].stdout == outputs[2].stdout
    from_text(outputs[0].stdout).verify()


def _run(line: str, *sources: object, outputs: tuple[torch.Tensor, ...]) -> None:
    op = _op(line)
    names = [f"x{i}" for i in range(len(sources))]
    targets = dict(zip(("o", "o1"), outputs, strict=False))
    assert len(op.sources()) == len(sources)
    assert len(op.destinations()) == len(outputs)
    exec(
        op.meaning().format(*names, **{name: name for name in targets}),
        {"torch": torch, "numeric": numeric, **dict(zip(names, sources, strict=True)), **targets},
    )


def test_meanings_against_torch() -> None:
    generator = torch.Generator().manual_seed(5)
    a, b = (torch.randn(4, 6, generator=generator) for _ in range(2))
    out, wide = torch.zeros(4, 6), torch.zeros(4, 12)
    _run(LINES[0], a, outputs=(out,))
    torch.testing.assert_close(out, a.cumsum(0))
    turned = torch.zeros(6, 4)
    _run(LINES[1], a, outputs=(turned,))
    assert torch.equal(turned, a.t())
    _run(LINES[2], a, b, outputs=(wide,))
    assert torch.equal(wide, torch.cat((a, b), 1))
    high = torch.zeros(8, 6)
    _run(LINES[3], a, torch.tensor(7.0), 3, outputs=(high,))
    assert torch.equal(high, torch.nn.functional.pad(a, (0, 0, 1, 3), value=7.0))
    _run(LINES[4], a, b, outputs=(wide,))
    assert torch.equal(wide[:, 0::2], a)
    assert torch.equal(wide[:, 1::2], b)
    first, second = torch.zeros(4, 6), torch.zeros(4, 6)
    _run(LINES[5], wide, outputs=(first, second))
    assert torch.equal(first, a)
    assert torch.equal(second, b)
    _run(LINES[6], wide, outputs=(out,))
    assert torch.equal(out, b)
    _run(LINES[7], a, outputs=(out,))
    assert torch.equal(out, a.flip(1))
    indices = torch.randint(0, 6, (4, 6), generator=generator, dtype=torch.int32)
    _run(LINES[8], a, indices, outputs=(out,))
    assert torch.equal(out, a.gather(1, indices.long()))
    _run(LINES[9], 5, 10, 1, outputs=(indices,))
    assert indices[2].tolist() == [25, 26, 27, 28, 29, 30]


def test_meanings_of_reductions() -> None:
    a = torch.tensor([[1.0, 3.0, 3.0, -1.0, 2.0, 0.5]]).repeat(4, 1)
    value, place = torch.zeros(4, 1), torch.zeros(4, 1, dtype=torch.int32)
    _run(LINES[11], a, outputs=(value, place))
    assert value[0] == 3
    assert place[0] == 1
    _run(LINES[11].replace("left", "right"), a, outputs=(value, place))
    assert place[0] == 2
    _run(LINES[12], a, outputs=(value,))
    assert value[0] == -9
    _run(LINES[10], torch.tensor([[1, 2, 7, 8, 9, 4]] * 4, dtype=torch.int32), outputs=(place,))
    assert place[0] == 1 ^ 2 ^ 7 ^ 8 ^ 9 ^ 4


@pytest.mark.parametrize("line", LINES, ids=IDS)
def test_all_run_on_the_vector_pipe(line: str) -> None:
    op = _op(line)
    assert (op.pipe, op.core, op.cost.kind) == ("PIPE_V", "VECTOR", "vector")
    assert op.cost.cost_class in ("simple", "reduce", "scalar", "arange")
