"""From tosa to llvm: the trace, the numbers, and the real compiler on the same way."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import torch
from xdsl.dialects import arith, func

import tlcourse
from tlcourse.diagnostics import TLError
from tlcourse.dialects import tosa
from tlcourse.dialects.foreign import with_foreign_dialects
from tlcourse.dialects.text import context, from_text
from tlcourse.passes.mlir import tosa_to_linalg
from tlcourse.pipeline.pipeline_text import parse_pipeline
from tlcourse.pipeline.progressive import LOWERING, RELU_ADD, lower
from tlcourse.pipeline.registry import passes
from tlcourse.stages.mlir.run import border_of, call
from tlcourse.widgets.labels import label
from tlcourse.widgets.show import show_passes

NAMES = [one.name for one in parse_pipeline(LOWERING)]
WRONG_SHAPE = """func.func @f(%a: tensor<4xf32>, %b: tensor<3xf32>) -> tensor<4xf32> {
  %s = tosa.add %a, %b : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
"""
DENSE = """func.func @dense(%a: tensor<1x4x8xf32>, %w: tensor<1x8x3xf32>, %b: tensor<1x1x3xf32>)
    -> tensor<1x4x3xf32> {
  %p = tosa.matmul %a, %w : (tensor<1x4x8xf32>, tensor<1x8x3xf32>) -> tensor<1x4x3xf32>
  %s = tosa.add %p, %b : (tensor<1x4x3xf32>, tensor<1x1x3xf32>) -> tensor<1x4x3xf32>
  %z = "tosa.const"() <{value = dense<0.0> : tensor<1x4x3xf32>}> : () -> tensor<1x4x3xf32>
  %r = tosa.maximum %s, %z : (tensor<1x4x3xf32>, tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
  return %r : tensor<1x4x3xf32>
}
"""
# What each level is known by, and the first pass after which only levels below are left.
LEVELS = {
    "tosa.": "tosa-to-arith",
    "tensor<": "one-shot-bufferize",
    "linalg.": "convert-linalg-to-loops",
    "scf.": "convert-scf-to-cf",
    "memref": "convert-to-llvm",
    "cf.": "convert-to-llvm",
}


def _before(level: str) -> str:
    """The pass that stands before the one which takes a level down."""
    return NAMES[NAMES.index(LEVELS[level]) - 1]


def _inputs() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    a, b = (torch.randn(4, 8, generator=generator) for _ in range(2))
    a[0, 0] = float("nan")
    return a, b


def test_the_example_gives_torchs_numbers_after_every_pass() -> None:
    way, (a, b) = lower(), _inputs()
    for name in ["input", *NAMES]:
        (made,) = way.run(a, b, after=name)
        torch.testing.assert_close(made, torch.relu(a + b), equal_nan=True, rtol=0, atol=0)
    assert torch.equal(way.run(a, b)[0].nan_to_num(7), torch.relu(a + b).nan_to_num(7))


def test_the_check_says_what_each_pass_did_to_the_numbers() -> None:
    checks = lower().check(*_inputs())
    assert [one.pass_name for one in checks] == NAMES
    assert {one.state for one in checks} == {"same", "unchanged"}
    assert checks[0].state == "unchanged"


def test_a_pass_that_spoils_the_numbers_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    table: dict[object, object] = getattr(tosa_to_linalg, "_SCALARS")
    monkeypatch.setitem(table, tosa.MaximumOp, arith.MinimumfOp)
    states = {one.pass_name: one.state for one in lower().check(*_inputs())}
    assert states["tosa-to-linalg"] == "differs"
    assert states["convert-to-llvm"] == "same"


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_is_gone_where_its_pass_has_run(level: str) -> None:
    texts = {one.pass_name: one for one in lower().trace().snapshots}
    assert [texts[name].phase for name in texts] == ["mlir"] * (len(NAMES) + 1)
    gone = re.compile(rf"(?<![\w.]){re.escape(level)}")
    assert gone.search(lower().after(_before(level)))
    assert not gone.search(lower().after(LEVELS[level]))


def test_the_trace_fits_the_pass_explorer() -> None:
    trace = lower().trace()
    assert (trace.kernel, trace.mode, trace.target) == ("relu_add", "MLIR", "llvm")
    changed = sum(one.status == "changed" for one in trace.snapshots[1:])
    said = f"PassExplorer(relu_add, MLIR: {changed} of {len(NAMES)} passes changed the IR)"
    assert repr(show_passes(lower())) == said
    assert label("mlir", "en") == "progressive lowering"
    assert "逐级下降" in label("mlir", "zh")
    assert "tosa.add" in next(iter(trace.sources.values())).text


def test_the_page_lists_the_passes_in_their_order() -> None:
    page = (Path(__file__).parents[2] / "docs" / "lowering.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| (ours|xDSL)", page, re.MULTILINE)
    assert [name for name, _ in rows] == NAMES
    assert {name for name, whose in rows if whose == "ours"} == set(NAMES) & set(passes())


def test_the_name_is_offered_to_notebooks() -> None:
    assert tlcourse.lower is lower
    assert "lower" in dir(tlcourse)


@pytest.mark.bishengir
def test_the_real_compiler_goes_the_same_way(bishengir_opt: Path) -> None:
    assert bishengir_opt
    ours, real = lower().trace(), lower().trace("bishengir")
    assert {one.origin for one in real.snapshots} == {"real"}
    pairs = list(zip(ours.snapshots, real.snapshots, strict=True))
    for one, other in pairs[:-1]:
        assert one.pass_name == other.pass_name
        assert one.op_counts == other.op_counts, one.pass_name
    words = ("llvm.fadd", "llvm.intr.maximum", "llvm.load", "llvm.cond_br", "llvm.icmp")
    for word in words:
        assert pairs[-1][0].op_counts[word] == pairs[-1][1].op_counts[word]


@pytest.mark.bishengir
def test_a_matrix_product_ends_in_as_many_jumps_as_the_real_compilers(bishengir_opt: Path) -> None:
    assert bishengir_opt
    way = lower(DENSE)
    pairs = zip(way.trace().snapshots, way.trace("bishengir").snapshots, strict=True)
    counts = {one.pass_name: (one.op_counts, other.op_counts) for one, other in pairs}
    for name in ("tosa-to-arith", "cse", "convert-scf-to-cf"):
        assert counts[name][0] == counts[name][1], name


@pytest.mark.bishengir
def test_the_real_compiler_reads_every_text_of_ours(bishengir_opt: Path, tmp_path: Path) -> None:
    trace = lower().trace()
    for index, one in enumerate(trace.snapshots):
        path = tmp_path / f"{index}.mlir"
        path.write_text(trace.texts[one.text_id], encoding="utf-8")
        done = subprocess.run(
            [str(bishengir_opt), str(path)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{one.pass_name}: {done.stderr}"


@pytest.mark.bishengir
def test_texts_of_the_real_compiler_give_torchs_numbers(bishengir_opt: Path) -> None:
    assert bishengir_opt
    real, (a, b) = lower().trace("bishengir"), _inputs()
    first, *modules = (
        from_text(real.texts[one.text_id], ctx=with_foreign_dialects(context()))
        for one in real.snapshots[:-1]
    )
    function = next(op for op in first.walk() if isinstance(op, func.FuncOp))
    for one, module in zip(real.snapshots[1:-1], modules, strict=True):
        (made,) = call(module, border_of(function), (a, b))
        assert torch.equal(made.nan_to_num(7), torch.relu(a + b).nan_to_num(7)), one.pass_name


@pytest.mark.parametrize(
    ("text", "pipeline", "code"),
    [
        ("module {}", LOWERING, "TL366"),
        ("func.func @f(", LOWERING, "TL322"),
        (WRONG_SHAPE, LOWERING, "TL323"),
        (RELU_ADD, "tosa-to-linalgg", "TL320"),
        (RELU_ADD, "cse{", "TL321"),
    ],
)
def test_what_cannot_be_lowered(text: str, pipeline: str, code: str) -> None:
    with pytest.raises(TLError) as caught:
        lower(text, pipeline)
    assert caught.value.code == code


def test_a_pass_that_is_not_on_the_way() -> None:
    with pytest.raises(TLError, match="tosa-to-linalg-named") as caught:
        lower().after("hivm-plan-memory")
    assert caught.value.code == "TL367"
