"""Every pass keeps the numbers of random kernels."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import Phase, assume, given, note, settings
from hypothesis import strategies as st
from xdsl.dialects import func

from tests.functional import random_kernels as kernels
from tests.functional import random_mixed as mixed
from tests.functional import random_products as products
from tests.functional.test_differential import read
from tlcourse.diagnostics import TLError
from tlcourse.dialects import rewriting
from tlcourse.dialects.hivm import vector
from tlcourse.dialects.signature import stamp
from tlcourse.passes.npuir.functions import DevicePass
from tlcourse.pipeline import checking
from tlcourse.pipeline.checking import check_passes
from tlcourse.pipeline.options import PassOptions
from tlcourse.pipeline.order import Step
from tlcourse.records import Mode

# One example runs twenty stages: shrinking a failing one would take minutes.
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
_TOO_LARGE = "TL301"  # a kernel may ask for more memory than the chip has


def _in_whole_blocks(case: products.Product) -> products.Product:
    """The same product with tiles that start where blocks of L1 do.

    A corner moves the columns of one tile at least, which TL303 refuses.
    """
    return replace(case, corner=(0, 0))


def _check(
    text: str, mode: Mode, *tensors: torch.Tensor, options: PassOptions | None = None
) -> list[checking.PassCheck]:
    kernel = read(text)
    stamp(kernel.module, mode=mode, target="npuir", out_idx=(), pass_configs={})
    try:
        return list(check_passes(kernel.module, kernel.sources, tensors, options=options))
    except TLError as problem:
        assume(problem.code != _TOO_LARGE)
        raise


@pytest.mark.parametrize("mode", ["Expert", "Developer"])
@settings(deadline=None, max_examples=15, phases=_PHASES)
@given(case=kernels.cases())
def test_passes_keep_the_numbers_of_vector_kernels(mode: Mode, case: kernels.Case) -> None:
    a, b = kernels.inputs(case)
    outputs = [torch.zeros_like(tensor) for tensor in kernels.expected(case, a, b)]
    note(text := kernels.source(case, mode))
    checks = _check(text, mode, a, b, *outputs)
    assert [check for check in checks if check.state == "differs"] == []
    assert sum(check.state == "same" for check in checks) > 5


@pytest.mark.parametrize("mode", ["Expert", "Developer"])
@settings(deadline=None, max_examples=8, phases=_PHASES)
@given(case=products.products().map(_in_whole_blocks))
def test_passes_keep_the_numbers_of_products(mode: Mode, case: products.Product) -> None:
    a, b = products.inputs(case)
    outputs = [torch.zeros_like(tensor) for tensor in products.expected(case, a, b)]
    note(text := products.source(case, mode))
    checks = _check(text, mode, a, b, *outputs)
    assert [check for check in checks if check.state == "differs"] == []
    assert sum(check.state == "same" for check in checks) > 5


_OPTIONS = st.builds(
    PassOptions,
    auto_multi_buffer=st.booleans(),
    cv_pipelining=st.booleans(),
    bind_sub_block=st.booleans(),
    graph_sync_solver=st.booleans(),
    workspace_multibuffer=st.sampled_from((1, 2, 4)),
    auto_blockify_loop=st.booleans(),
)


@pytest.mark.parametrize("mode", ["Expert", "Developer"])
@settings(deadline=None, max_examples=8, phases=_PHASES)
@given(case=mixed.mixed(), options=_OPTIONS)
def test_passes_keep_the_numbers_of_mixed_kernels(
    mode: Mode, case: mixed.Mixed, options: PassOptions
) -> None:
    tensors = mixed.inputs(case)
    outputs = torch.zeros(case.rows, case.N), *mixed.workspaces(case, mode)
    note(text := mixed.source(case, mode))
    checks = _check(text, mode, *tensors, *outputs, options=options)
    assert [check for check in checks if check.state == "differs"] == []
    assert sum(check.state == "same" for check in checks) > 5


_ADD = """@T.prim_func
def k(A: T.Tensor((8, 16), "float32"), B: T.Tensor((8, 16), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, _):
        a = T.alloc_shared((8, 16), "float32")
        T.copy(A, a)
        T.vadd(a, a, a)
        T.copy(a, B)
"""


class _WrongPass(DevicePass):
    """Turns sums into products."""

    name = "wrong"

    def run(self, function: func.FuncOp) -> None:
        for op in list(function.walk()):
            if op.name == "hivm.hir.vadd":
                rewriting.replace(
                    op, [vector.ELEMENTWISE["vmul"](list(op.operands[:2]), op.operands[2])]
                )


def test_a_pass_that_changes_a_number_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = (Step(make=lambda setting: _WrongPass()), *checking.NPUIR_PASSES)
    monkeypatch.setattr(checking, "NPUIR_PASSES", steps)
    a = torch.arange(128.0).reshape(8, 16)
    checks = _check(_ADD, "Developer", a, torch.zeros_like(a))
    (wrong,) = [check for check in checks if check.state == "differs"]
    assert wrong.pass_name == "wrong"
    assert wrong.worst == 127 * 127 - 127 * 2
