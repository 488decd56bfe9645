"""cv-pipelining: work items and their order, numbers and races of whole kernels, refusals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
import torch
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

import tlcourse.language as T
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects.hivm.sync import SyncBlockSetOp, SyncBlockWaitOp
from tlcourse.dialects.signature import signature
from tlcourse.examples.flash_attention import flash_attention
from tlcourse.pipeline import PassOptions, compile_module
from tlcourse.records import Backend, Timeline
from tlcourse.simulator.generate import generate
from tlcourse.simulator.run import SimulatorRun, run
from tlcourse.tolerance import tolerance

WITHOUT = PassOptions(cv_pipelining=False)
SIDE, TURNS = 32, 6
TILES = T.Tensor((TURNS, SIDE, SIDE), "float16")
SUMS = T.Tensor((TURNS, SIDE, SIDE), "float32")
ONE = T.Tensor((SIDE, SIDE), "float32")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A launch: what it left, its cycles, and the module that ran."""

    module: ModuleOp
    launched: SimulatorRun

    @property
    def timeline(self) -> Timeline:
        return self.launched.timeline

    @property
    def peaks(self) -> dict[str, int]:
        return {
            memory.space: max(b.offset_bytes + b.size_bytes * b.copies for b in memory.buffers)
            for memory in self.launched.memory
            if memory.buffers
        }


def _launch(
    func: T.PrimFunc,
    buffers: Sequence[torch.Tensor],
    options: PassOptions | None = None,
    backend: Backend = "embedded",
    symbols: dict[str, int] | None = None,
) -> Outcome:
    done = compile_module(
        func.module,
        func.sources,
        mode="Developer",
        backend=backend,
        options=options or PassOptions(),
    )
    program = generate(
        done.executable, signature(done.tile, func.sources), func.sources, DEFAULT_CHIP
    )
    found = run(program, buffers, symbols=symbols or {}, checks="all", chip=DEFAULT_CHIP)
    assert [finding.diagnostic.what for finding in found.findings] == []
    return Outcome(module=done.executable, launched=found)


def _attention(
    S: int, options: PassOptions | None = None, backend: Backend = "embedded"
) -> Outcome:
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, S, 64).half() for _ in range(3))
    o = torch.full_like(q, float("nan"))
    outcome = _launch(flash_attention(heads=1, S=S), [q, k, v, o], options, backend)
    scores = q.float() @ k.float().transpose(1, 2) * 64**-0.5
    expected = (torch.softmax(scores, -1) @ v.float()).half()
    allowed = tolerance("float16")
    torch.testing.assert_close(o, expected, rtol=allowed, atol=allowed)
    return outcome


def _pipelined(func: T.PrimFunc, options: PassOptions | None = None) -> list[str]:
    """The cores of the item loops after the pass, in order."""
    done = compile_module(
        func.module,
        func.sources,
        mode="Developer",
        options=options or PassOptions(),
        trace=True,
    )
    assert done.trace is not None
    text = next(
        done.trace.texts[s.text_id]
        for s in done.trace.snapshots
        if s.pass_name == "hivm-mark-real-core-type"
    )
    lines = [line for line in text.splitlines() if "multibuffer_unroll_factor" in line]
    return ["CUBE" if "<CUBE>" in line else "VECTOR" for line in lines]


@pytest.mark.parametrize("S", [64, 192, 256, 320])
def test_flash_attention_in_whole_rounds_and_with_a_rest(S: int) -> None:
    """1, 3, 4 and 5 iterations: no round, one shorter round, one round, a round and a rest."""
    _attention(S)


def test_flash_attention_has_four_work_items() -> None:
    func = flash_attention(heads=1, S=512)
    assert _pipelined(func) == ["CUBE", "VECTOR", "CUBE", "VECTOR"]
    assert _pipelined(func, WITHOUT) == []
    assert _pipelined(func, PassOptions(auto_multi_buffer=False)) == []


def test_cube_and_vector_overlap() -> None:
    """With eight blocks of keys the kernel takes less than 0.8 of its cycles, in little more UB."""
    with_it, without = _attention(512), _attention(512, WITHOUT)
    assert with_it.timeline.cycles < 0.8 * without.timeline.cycles
    assert with_it.peaks["ub"] <= 1.1 * without.peaks["ub"]
    assert with_it.peaks["cbuf"] == without.peaks["cbuf"]


@pytest.mark.usefixtures("bishengir_opt")
def test_the_real_compiler_needs_as_many_flags_and_no_less_memory() -> None:
    ours, real = _attention(512), _attention(512, backend="bishengir")
    for kind in (SyncBlockSetOp, SyncBlockWaitOp):
        counts = [sum(isinstance(op, kind) for op in one.module.walk()) for one in (ours, real)]
        assert counts[0] == counts[1]
    assert all(size <= 1.1 * real.peaks[space] for space, size in ours.peaks.items())
    assert ours.timeline.cycles <= 1.1 * real.timeline.cycles


@T.prim_func
def weighted(A: TILES, B: TILES, P: SUMS, C: ONE):
    """A vector op on what is loaded, a product, and a store of each turn's result."""
    with T.Kernel(1, is_npu=True):
        a = T.alloc_shared((SIDE, SIDE), "float16")
        b = T.alloc_shared((SIDE, SIDE), "float16")
        c = T.alloc_fragment((SIDE, SIDE), "float32")
        total = T.alloc_fragment((SIDE, SIDE), "float32")
        T.vbrc(0.0, total)
        for i in T.serial(TURNS):
            T.copy(A[i, :, :], a)
            T.vadd(a, a, a)
            T.copy(B[i, :, :], b)
            T.gemm(a, b, c, initC=True)
            T.vexp(c, c)
            T.vadd(total, c, total)
            T.copy(c, P[i, :, :])
        T.copy(total, C)


@T.prim_func
def kept(A: TILES, B: TILES, P: SUMS, C: ONE):
    """A vector tile of the first item is read again two borders later."""
    with T.Kernel(1, is_npu=True):
        a = T.alloc_shared((SIDE, SIDE), "float16")
        b = T.alloc_shared((SIDE, SIDE), "float16")
        p = T.alloc_shared((SIDE, SIDE), "float16")
        c = T.alloc_fragment((SIDE, SIDE), "float32")
        e = T.alloc_fragment((SIDE, SIDE), "float32")
        d = T.alloc_fragment((SIDE, SIDE), "float32")
        for i in T.serial(TURNS):
            T.copy(A[i, :, :], a)
            T.copy(B[i, :, :], b)
            T.gemm(a, b, c, initC=True)
            T.vabs(c, e)
            T.vcast(e, p, round_mode="rint")
            T.copy(B[i, :, :], b)
            T.gemm(p, b, d, initC=True)
            T.vadd(d, e, d)
            T.copy(d, P[i, :, :])
        T.copy(d, C)


@T.prim_func
def summed(A: TILES, B: TILES, P: SUMS, C: ONE):
    """The sum stays in L0C over all turns and is read in each of them."""
    with T.Kernel(1, is_npu=True):
        a = T.alloc_shared((SIDE, SIDE), "float16")
        b = T.alloc_shared((SIDE, SIDE), "float16")
        c = T.alloc_fragment((SIDE, SIDE), "float32")
        d = T.alloc_fragment((SIDE, SIDE), "float32")
        for i in T.serial(TURNS):
            T.copy(A[i, :, :], a)
            T.copy(B[i, :, :], b)
            T.gemm(a, b, c, initC=(i == 0))
            T.vadd(c, c, d)
            T.copy(d, P[i, :, :])
        T.copy(c, C)


def _weighted(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    each = ((a + a).float() @ b.float()).exp()
    return each, each.sum(0)


def _kept(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    size = (a.float() @ b.float()).abs()
    each = size.half().float() @ b.float() + size
    return each, each[-1]


def _summed(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    sums = (a.float() @ b.float()).cumsum(0)
    return 2 * sums, sums[-1]


Reference = Callable[[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]
KERNELS: list[tuple[T.PrimFunc, Reference, list[str]]] = [
    (weighted, _weighted, ["VECTOR", "CUBE", "VECTOR"]),
    (kept, _kept, ["CUBE", "VECTOR", "CUBE", "VECTOR"]),
    (summed, _summed, []),
]


@pytest.mark.parametrize(
    ("func", "reference", "items"), KERNELS, ids=lambda value: getattr(value, "name", "")
)
def test_small_kernels(func: T.PrimFunc, reference: Reference, items: list[str]) -> None:
    """Right numbers with the pass and without, and cut where that is possible only."""
    torch.manual_seed(0)
    a, b = (torch.randn(TURNS, SIDE, SIDE) * 0.2 for _ in range(2))
    a, b = a.half(), b.half()
    expected = reference(a, b)
    for options in (PassOptions(), WITHOUT):
        p = torch.full((TURNS, SIDE, SIDE), float("nan"))
        c = torch.full((SIDE, SIDE), float("nan"))
        _launch(func, [a, b, p, c], options)
        allowed = 1e-3  # a tile in between is rounded to float16
        torch.testing.assert_close(p, expected[0], rtol=allowed, atol=allowed)
        torch.testing.assert_close(c, expected[1], rtol=allowed, atol=allowed)
    assert _pipelined(func) == items


def test_a_loop_of_unknown_length() -> None:
    """The last round takes what is left, 3 of 4."""
    n = T.symbolic("n")

    @T.prim_func
    def exps(A: T.Tensor((SIDE, SIDE), "float16"), B: T.Tensor((n, SIDE, SIDE), "float16"),
             P: T.Tensor((n, SIDE, SIDE), "float32")):  # fmt: skip
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((SIDE, SIDE), "float16")
            b = T.alloc_shared((SIDE, SIDE), "float16")
            c = T.alloc_fragment((SIDE, SIDE), "float32")
            T.copy(A, a)
            for i in T.serial(n):
                T.copy(B[i, :, :], b)
                T.gemm(a, b, c, initC=True)
                T.vexp(c, c)
                T.copy(c, P[i, :, :])

    torch.manual_seed(0)
    a, b = (torch.randn(SIDE, SIDE) * 0.2).half(), (torch.randn(7, SIDE, SIDE) * 0.2).half()
    p = torch.full((7, SIDE, SIDE), float("nan"))
    outcome = _launch(exps, [a, b, p], symbols={"n": 7})
    torch.testing.assert_close(p, (a.float() @ b.float()).exp(), rtol=1e-4, atol=1e-4)
    assert sum(isinstance(op, scf.ForOp) for op in outcome.module.walk()) == 4


@pytest.mark.usefixtures("bishengir_opt")
def test_the_real_compiler_without_copies_does_not_pipeline() -> None:
    real = _attention(256, WITHOUT, backend="bishengir")
    assert sum(isinstance(op, SyncBlockSetOp) for op in real.module.walk()) < 12
