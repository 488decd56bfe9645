"""A pass of one back half in the other's pipeline: the kernel still gives torch's numbers."""

from __future__ import annotations

import pytest
import torch

import tlcourse.language as T
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.diagnostics import TLError
from tlcourse.dialects.signature import signature
from tlcourse.examples.course import COURSE
from tlcourse.pipeline import PassOptions, compile_module
from tlcourse.pipeline.exchange import EXCHANGE_POINTS
from tlcourse.simulator.generate import generate
from tlcourse.simulator.run import run
from tlcourse.tolerance import tolerance

KERNELS = {kernel.name: kernel for kernel in COURSE}
SWAPPED = (
    "softmax_developer",
    "minicv_developer",
    "minicv_expert",
    "minicv_tails_developer",
    "flash_attention_developer",
)
_DEVELOPER_ONLY = ("hivm-mark-real-core-type", "hivm-split-mix-kernel")


def _compiled(name: str, point: str, backend: str, *, trace: bool = False):
    kernel = KERNELS[name]
    options = PassOptions(swap=(point,), graph_sync_solver=point != "hivm-inject-sync")
    return compile_module(
        kernel.func.module,
        kernel.func.sources,
        mode=kernel.mode,
        backend=backend,
        options=options,
        trace=trace,
    )


def _check_numbers(name: str, done) -> None:
    kernel = KERNELS[name]
    launch = signature(done.tile, kernel.func.sources)
    program = generate(done.executable, launch, kernel.func.sources, DEFAULT_CHIP)
    arguments, outputs = kernel.arguments()
    ran = run(program, arguments, symbols={}, checks="all", chip=DEFAULT_CHIP)
    assert [finding.diagnostic.what for finding in ran.findings] == []
    for got, wanted in zip(outputs, kernel.wanted(kernel.inputs()), strict=True):
        limit = tolerance(str(wanted.dtype).removeprefix("torch."))
        torch.testing.assert_close(got, wanted, rtol=limit, atol=limit)


@pytest.mark.bishengir
@pytest.mark.parametrize("backend", ["embedded", "bishengir"])
@pytest.mark.parametrize("point", EXCHANGE_POINTS)
@pytest.mark.parametrize("name", SWAPPED)
def test_the_numbers_stay(name, point, backend, bishengir_opt):
    if KERNELS[name].mode == "Expert" and point in _DEVELOPER_ONLY:
        pytest.skip("the pass does not run in Expert mode")
    _check_numbers(name, _compiled(name, point, backend))


@T.prim_func
def two_carried(A: T.Tensor((4, 64), "float32"), B: T.Tensor((64,), "float32")):
    """Each trip renews one of two tiles; both are read after the loop."""
    with T.Kernel(1, is_npu=True):
        a = T.alloc_shared((64,), "float32")
        b = T.alloc_shared((64,), "float32")
        c = T.alloc_shared((64,), "float32")
        T.vbrc(0.5, a)
        T.vbrc(1.0, b)
        for i in T.serial(4):
            T.copy(A[i, :], c)
            if i % 2 == 0:
                T.vadd(a, c, b)
            else:
                T.vmul(b, c, a)
        T.vadd(a, b, c)
        T.copy(c, B)


@pytest.mark.bishengir
@pytest.mark.parametrize("backend", ["embedded", "bishengir"])
@pytest.mark.parametrize(
    "point", ["hivm-infer-mem-scope", "hivm-plan-memory", "hivm-graph-sync-solver"]
)
def test_two_buffers_that_trips_hand_on(backend, point, bishengir_opt):
    """Between them lie views whose strides only the run tells, and their parts one by one."""
    done = compile_module(
        two_carried.module,
        two_carried.sources,
        mode="Developer",
        backend=backend,
        options=PassOptions(swap=(point,)),
    )
    launch = signature(done.tile, two_carried.sources)
    program = generate(done.executable, launch, two_carried.sources, DEFAULT_CHIP)
    given = torch.randn(4, 64, generator=torch.Generator().manual_seed(0))
    got = torch.full((64,), float("nan"))
    ran = run(program, [given, got], symbols={}, checks="all", chip=DEFAULT_CHIP)
    assert [finding.diagnostic.what for finding in ran.findings] == []
    a, b = torch.full((64,), 0.5), torch.ones(64)
    for trip, row in enumerate(given):
        a, b = (a, a + row) if trip % 2 == 0 else (b * row, b)
    torch.testing.assert_close(got, a + b, rtol=1e-4, atol=1e-4)


@pytest.mark.bishengir
@pytest.mark.parametrize(
    ("backend", "origins"), [("embedded", {"real"}), ("bishengir", {"embedded"})]
)
def test_the_trace_says_whose_pass_it_was(backend, origins, bishengir_opt):
    done = _compiled("minicv_developer", "hivm-plan-memory", backend, trace=True)
    steps = [step for step in done.trace.snapshots if step.phase == "npuir"]
    mine = [step for step in steps if step.pass_name == "hivm-plan-memory"]
    assert len(mine) == 2
    assert {step.origin for step in mine} == origins
    assert {step.origin for step in steps if step not in mine} == {"embedded", "real"} - origins
    if backend == "embedded":
        assert [one.options["mem-plan-mode"] for one in mine] == [
            "global-work-space-plan",
            "local-mem-plan",
        ]


def test_other_passes_are_refused():
    with pytest.raises(TLError, match="cse cannot be exchanged") as caught:
        _compiled("vector_add_expert", "cse", "embedded")
    assert caught.value.code == "TL325"
