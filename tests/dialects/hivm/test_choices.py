"""Text of comparison, choice, shift and bitcast, as the real compiler reads it; meanings."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import torch

from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.text import from_text, to_text
from tlcourse.simulator import numeric

INTS = "memref<4x6xi32, strided<[6, 1]>, #hivm.address_space<ub>>"
F = "memref<4x6xf32, strided<[6, 1]>, #hivm.address_space<ub>>"
R = "memref<1x6xi32, strided<[6, 1]>, #hivm.address_space<ub>>"
M = "memref<4x6xi1, strided<[6, 1]>, #hivm.address_space<ub>>"
X = "tensor<4x6xf32>"
N = "tensor<4x6xi1>"
LINES = [
    f"hivm.hir.vcmp ins(%a, %b : {INTS}, {INTS}) outs(%m : {M})",
    f"hivm.hir.vcmp ins(%a, %k : {INTS}, i32) outs(%m : {M}) compare_mode = <ge>",
    f"%r = hivm.hir.vcmp ins(%x, %x : {X}, {X}) outs(%n : {N}) compare_mode = <ne> -> {N}",
    f"hivm.hir.vsel ins(%m, %f, %f : {M}, {F}, {F}) outs(%f : {F})",
    f"%r = hivm.hir.vsel ins(%n, %x, %x : {N}, {X}, {X}) outs(%x : {X}) -> {X}",
    f"hivm.hir.vshr ins(%a, %b : {INTS}, {INTS}) outs(%a : {INTS}) round : true",
    f"hivm.hir.vshr ins(%a, %k : {INTS}, i32) outs(%b : {INTS}) round : false",
    f"hivm.hir.vshr ins(%a, %k : {INTS}, i32) outs(%b : {INTS}) round : true",
    f"hivm.hir.vshr ins(%a, %row : {INTS}, {R}) outs(%b : {INTS}) round : true broadcast = [0]",
    f"hivm.hir.vand ins(%m, %m : {M}, {M}) outs(%m : {M})",
    f"hivm.hir.vxor ins(%a, %b : {INTS}, {INTS}) outs(%b : {INTS})",
    f"hivm.hir.vpow ins(%a, %b : {INTS}, {INTS}) outs(%b : {INTS})",
    f"hivm.hir.vshl ins(%a, %k : {INTS}, i32) outs(%b : {INTS})",
    f"hivm.hir.vnot ins(%f : {F}) outs(%f : {F})",
    f"%r = hivm.hir.bitcast %f : {F} -> {INTS}",
    f"%r = hivm.hir.bitcast %x : {X} -> tensor<4x6xi32>",
]
IDS = [f"{number}-{line.split('hir.')[1].split()[0]}" for number, line in enumerate(LINES)]
MODULE = f"""module {{
  func.func @f(%a: {INTS}, %b: {INTS}, %row: {R}, %f: {F}, %m: {M}, %x: {X}, %n: {N}, %k: i32) {{
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


def _run(line: str, *sources: torch.Tensor | int, out: torch.Tensor) -> torch.Tensor:
    op = _op(line)
    assert (op.pipe, op.core, op.cost.kind) == ("PIPE_V", "VECTOR", "vector")
    assert len(op.sources()) == len(sources)
    assert len(op.destinations()) == 1
    names = [f"x{i}" for i in range(len(sources))]
    values: dict[str, object] = dict(zip(names, sources, strict=True)) | {"o": out}
    like = values[op.scalars_like().format(*names, o="o")]
    for name, value in zip(names, sources, strict=True):
        if isinstance(value, int):
            assert isinstance(like, torch.Tensor)
            values[name] = numeric.scalar(value, like)
    scope = {"torch": torch, "numeric": numeric, **values}
    exec(op.meaning().format(*names, o="o"), scope)
    return out


def test_meanings_against_torch() -> None:
    a = torch.tensor([[-7, -6, -1, 0, 5, 2**31 - 1]], dtype=torch.int32)
    b = torch.tensor([[-7, 6, 1, 0, 7, 3]], dtype=torch.int32)
    mask = torch.empty(1, 6, dtype=torch.bool)
    assert torch.equal(_run(LINES[0], a, b, out=mask), a == b)
    assert torch.equal(_run(LINES[1], a, 5, out=mask), a >= 5)
    x = a.float()
    assert torch.equal(_run(LINES[3], mask, x, -x, out=torch.empty(1, 6)), torch.where(mask, x, -x))
    assert torch.equal(_run(LINES[5], a, b.abs(), out=torch.empty_like(a)), a >> b.abs())
    assert torch.equal(_run(LINES[6], a, 1, out=torch.empty_like(a)), a >> 1)


def test_a_scalar_shift_rounds_halves_up_without_overflow() -> None:
    a = torch.tensor([-7, -6, -5, -1, 0, 5, 6, 2**31 - 1], dtype=torch.int32)
    found = _run(LINES[7], a, 2, out=torch.empty_like(a))
    assert found.tolist() == [-2, -1, -1, 0, 0, 1, 2, 2**29]
    assert torch.equal(_run(LINES[7], a, 0, out=torch.empty_like(a)), a)
    assert not _run(LINES[7], a, 40, out=torch.empty_like(a)).any()


def test_bits_of_floats() -> None:
    x = torch.tensor([1.5, -2.0, 0.0])
    found = _run(LINES[13], x, out=torch.empty(3))
    assert torch.equal(found.view(torch.int32), ~x.view(torch.int32))
