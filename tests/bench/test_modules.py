"""A module from a file: its launch is read off it, and both back halves give its numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tlcourse.bench.modules import Half, Module, Pair, compare, modules_in, read, run_half
from tlcourse.bench.passes_page import module_lines
from tlcourse.dialects.signature import stamp
from tlcourse.dialects.text import to_text
from tlcourse.examples.course import COURSE
from tlcourse.pipeline import lower_to_mlir

KERNELS = {kernel.name: kernel for kernel in COURSE}


def _module(folder: Path, name: str) -> Module:
    kernel = KERNELS[name]
    tile = kernel.func.module.clone()
    stamp(tile, mode=kernel.mode, target="npuir", out_idx=(), pass_configs={})
    path = folder / f"{name}.mlir"
    path.write_text(to_text(lower_to_mlir(tile, kernel.func.sources)), encoding="utf-8")
    return read(path)


@pytest.mark.parametrize(
    ("name", "tensors", "blocks", "outputs"),
    [
        ("vector_add_expert", [("4096",)] * 3, "16", (2,)),
        (
            "minicv_developer",
            [("256", "128"), ("128", "512"), ("256", "512"), ("256", "512")],
            "16",
            (2, 3),
        ),
    ],
)
def test_the_launch_is_read_off_the_kernel(tmp_path, name, tensors, blocks, outputs):
    module = _module(tmp_path, name)
    assert [one.name for one in modules_in(tmp_path)] == [name]
    assert module.mode == KERNELS[name].mode
    assert [one.extents for one in module.signature.parameters] == tensors
    assert (module.signature.grid, module.signature.out_idx) == ((blocks,), outputs)
    inputs = module.inputs()
    assert [bool(one.isnan().all()) for one in inputs] == [
        place in outputs for place in range(len(inputs))
    ]


def test_the_embedded_passes_give_the_modules_numbers(tmp_path):
    module = _module(tmp_path, "vector_add_expert")
    half = run_half(module, "embedded")
    a, b, c = half.tensors
    assert half.findings == ()
    assert torch.equal(c, a + b)


@pytest.mark.bishengir
def test_both_back_halves_are_compared(tmp_path, bishengir_opt):
    pair = compare(_module(tmp_path, "softmax_developer"))
    assert pair.passed
    assert module_lines([pair])[2].startswith("| `softmax_developer` | ")
    assert not _changed(pair, tensors=tuple(one + 1 for one in pair.embedded.tensors)).passed
    assert not _changed(pair, findings=("TL521",)).passed
    more = replace(pair.embedded.figures, peak_bytes={"ub": 10**6})
    assert not _changed(pair, figures=more).passed


def _changed(pair: Pair, **fields: object) -> Pair:
    embedded: Half = replace(pair.embedded, **fields)
    return replace(pair, embedded=embedded)
