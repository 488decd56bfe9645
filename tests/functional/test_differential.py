"""Random kernels, written as their authors would, against a plain torch evaluation."""

from __future__ import annotations

import itertools
import linecache

import pytest
import torch
from hypothesis import given, note, settings

import tlcourse.language as T
from tests.functional import random_kernels as kernels
from tests.functional import random_mixed as mixed
from tests.functional import random_products as products
from tlcourse.dialects.signature import stamp
from tlcourse.functional.generate import generate
from tlcourse.functional.run import run
from tlcourse.pipeline import lower_tile
from tlcourse.records import Mode
from tlcourse.tolerance import tolerance

_NUMBERS = itertools.count()


def read(text: str) -> T.PrimFunc:
    """The kernel of a text."""
    file = f"<random kernel {next(_NUMBERS)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict[str, object] = {"T": T}
    exec(compile(text, file, "exec"), scope)
    del linecache.cache[file]
    kernel = scope["k"]
    assert isinstance(kernel, T.PrimFunc)
    return kernel


def computed(func: T.PrimFunc, mode: Mode, *buffers: torch.Tensor) -> None:
    """Compiles as a launch does, and runs in place."""
    stamp(func.module, mode=mode, target="npuir", out_idx=(), pass_configs={})
    tile = lower_tile(func.module, func.sources)
    assert run(generate(tile, func.sources), buffers, symbols={}).findings == ()


@pytest.mark.parametrize("mode", ["Expert", "Developer"])
@settings(deadline=None, max_examples=150)
@given(case=kernels.cases())
def test_random_kernels(mode: Mode, case: kernels.Case) -> None:
    text = kernels.source(case, mode)
    note(text)
    a, b = kernels.inputs(case)
    wanted = kernels.expected(case, a, b)
    outputs = tuple(torch.zeros_like(tensor) for tensor in wanted)
    computed(read(text), mode, a, b, *outputs)
    limit = tolerance(case.dtype)
    for found, tensor in zip(outputs, wanted, strict=True):
        torch.testing.assert_close(found, tensor, rtol=limit, atol=limit, equal_nan=True)


@pytest.mark.parametrize("mode", ["Expert", "Developer"])
@settings(deadline=None, max_examples=40)
@given(case=products.products())
def test_random_products(mode: Mode, case: products.Product) -> None:
    text = products.source(case, mode)
    note(text)
    a, b = products.inputs(case)
    wanted = products.expected(case, a, b)
    outputs = tuple(torch.zeros_like(tensor) for tensor in wanted)
    computed(read(text), mode, a, b, *outputs)
    limit = tolerance(case.sum_dtype)
    for found, tensor in zip(outputs, wanted, strict=True):
        torch.testing.assert_close(found, tensor, rtol=limit, atol=limit)


@pytest.mark.parametrize("mode", ["Expert", "Developer"])
@settings(deadline=None, max_examples=40)
@given(case=mixed.mixed())
def test_random_kernels_of_both_kinds_of_core(mode: Mode, case: mixed.Mixed) -> None:
    text = mixed.source(case, mode)
    note(text)
    tensors = mixed.inputs(case)
    wanted = mixed.expected(case, *tensors)
    found = torch.zeros_like(wanted)
    computed(read(text), mode, *tensors, found, *mixed.workspaces(case, mode))
    limit = tolerance("float16" if case.again else "float32")
    torch.testing.assert_close(found, wanted, rtol=limit, atol=limit)
