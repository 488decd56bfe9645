"""Where a finding of the simulator points, after all passes have moved the statement about."""

from __future__ import annotations

import torch

import tlcourse.language as T
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects.signature import signature
from tlcourse.pipeline import compile_module
from tlcourse.records import Finding, Mode
from tlcourse.simulator.generate import generate
from tlcourse.simulator.run import run

TENSOR = T.Tensor((32, 64), "float32")


def _outside(func: T.PrimFunc, mode: Mode) -> list[tuple[str, ...]]:
    """The learner's text beside each label of each TL501."""
    done = compile_module(func.module, func.sources, mode=mode)
    launch = signature(done.tile, func.sources)
    program = generate(done.executable, launch, func.sources, DEFAULT_CHIP)
    tensors = [torch.ones(32, 64), torch.zeros(32, 64)]
    found = run(program, tensors, symbols={}, chip=DEFAULT_CHIP).findings
    return [_texts(one, func) for one in found if one.diagnostic.code == "TL501"]


def _texts(finding: Finding, func: T.PrimFunc) -> tuple[str, ...]:
    spans = [label.span for label in finding.diagnostic.labels]
    lines = [func.sources[span.source].text.splitlines()[span.line - 1] for span in spans]
    return tuple(
        line[span.column - 1 : span.end_column - 1] for line, span in zip(lines, spans, strict=True)
    )


def test_a_part_that_is_only_named_is_shown_before_its_reader() -> None:
    """`v = u[i + 1, j]` makes no instruction: the store reads that part of u itself."""

    @T.prim_func
    def shifted(A: TENSOR, B: TENSOR):
        with T.Kernel(1, is_npu=True):
            u = T.alloc_shared((32, 64), "float32")
            v = T.alloc_shared((32, 64), "float32")
            T.copy(A, u)
            for i, j in T.Parallel(32, 64):
                v[i, j] = u[i + 1, j]
            T.copy(v, B)

    assert _outside(shifted, "Developer") == [("u[i + 1, j]", "T.copy(v, B)")]


def test_a_part_with_an_instruction_of_its_own_is_shown_alone() -> None:
    @T.prim_func
    def shifted(A: TENSOR, B: TENSOR):
        with T.Kernel(1, is_npu=True):
            u = T.alloc_shared((32, 64), "float32")
            v = T.alloc_shared((32, 64), "float32")
            T.copy(A, u)
            for i, j in T.Parallel(32, 64):
                v[i, j] = u[i + 1, j] * 2.0
            T.copy(v, B)

    assert _outside(shifted, "Developer") == [("u[i + 1, j] * 2.0",)]


def test_two_statements_with_the_same_part_are_shown_each() -> None:
    @T.prim_func
    def twice(A: TENSOR, B: TENSOR):
        with T.Kernel(1, is_npu=True) as (cid, _):
            row = cid * 32 + 16
            u = T.alloc_ub((32, 64), "float32")
            T.copy(A[row : row + 32, 0:64], u)
            T.vexp(u, u)
            T.copy(A[row : row + 32, 0:64], u)
            T.copy(u, B)

    copy = "T.copy(A[row : row + 32, 0:64], u)"
    assert _outside(twice, "Expert") == [(copy, copy)]
