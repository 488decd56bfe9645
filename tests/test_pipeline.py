"""The whole compiler on MiniCV: order of passes, traces, switches, failures, both back halves."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pytest
import torch
from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

import tlcourse  # noqa: F401  serves `import tilelang`
from tlcourse.bishengir import BishengPass
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.diagnostics import TLError
from tlcourse.dialects.hivm.base import PipeOp, space_of
from tlcourse.dialects.hivm.core import PointerCastOp
from tlcourse.dialects.hivm.sync import SetFlagOp, WaitFlagOp
from tlcourse.dialects.locations import located
from tlcourse.dialects.signature import signature, stamp
from tlcourse.dialects.text import from_text, to_text
from tlcourse.examples.minicv import minicv_developer, minicv_expert
from tlcourse.passes.npuir.buffers import kind_of, size_bytes
from tlcourse.passes.npuir.folding import constant_of
from tlcourse.passes.npuir.functions import device_functions
from tlcourse.passes.npuir.plan_workspace import PlanWorkspacePass
from tlcourse.pipeline import (
    NPUIR_PASSES,
    TIR_PASSES,
    Compilation,
    PassFailure,
    PassOptions,
    Setting,
    Step,
    compile_module,
)
from tlcourse.pipeline.trace import Recorder, op_counts
from tlcourse.records import Mode, from_json, to_json
from tlcourse.simulator.generate import generate
from tlcourse.simulator.run import run

MODES: tuple[Mode, ...] = get_args(Mode)
FACTORY = {"Developer": minicv_developer, "Expert": minicv_expert}
SIZES = (256, 512, 256, 128, 256, 64)
TOLERANCE = 1e-4  # float32, the dtype of C and D


@dataclass
class Kernel:
    """MiniCV in one mode."""

    mode: Mode

    def __post_init__(self) -> None:
        self.func = FACTORY[self.mode](*SIZES)

    def compile(self, **how) -> Compilation:
        return compile_module(self.func.module, self.func.sources, mode=self.mode, **how)


@pytest.fixture(params=MODES)
def kernel(request: pytest.FixtureRequest) -> Kernel:
    return Kernel(request.param)


def _count(module: ModuleOp, *kinds: type) -> int:
    return sum(isinstance(op, kinds) for op in module.walk())


def test_the_result_is_executable_hivm(kernel: Kernel) -> None:
    done = kernel.compile()
    names = {op.name for op in done.executable.walk()}
    assert not any(name.startswith(("tl.", "tensor.", "bufferization.")) for name in names)
    assert not names & {"memref.alloc", "memref.copy", "annotation.mark"}
    assert names >= {"hivm.hir.pointer_cast", "hivm.hir.mmadL1", "hivm.hir.set_flag"}
    functions = [f.sym_name.data for f in device_functions(done.executable)]
    assert functions == ["minicv_mix_aic", "minicv_mix_aiv"]
    done.executable.verify()


def test_the_given_module_is_not_changed(kernel: Kernel) -> None:
    before = to_text(kernel.func.module, locations=True)
    kernel.compile()
    assert to_text(kernel.func.module, locations=True) == before


def test_stages_are_three_modules(kernel: Kernel) -> None:
    done = kernel.compile()
    assert any(op.name == "tl.kernel" for op in done.tile.walk())
    assert any(op.name.startswith("hivm.hir.") for op in done.mlir.walk())
    assert _count(done.mlir, SetFlagOp) == 0
    assert done.trace is None


def test_every_op_knows_its_line(kernel: Kernel) -> None:
    """Constants belong to no line; host functions and their bodies to none either."""
    for function in device_functions(kernel.compile().executable):
        lost = [
            op.name
            for op in function.walk()
            if not located(op) and not isinstance(op, arith.ConstantOp)
        ]
        assert [name for name in lost if name.startswith(("hivm.", "memref.", "scf."))] == []


@pytest.mark.parametrize("mode", MODES)
def test_the_numbers_are_right_and_nothing_is_found(mode: Mode) -> None:
    kernel = Kernel(mode)
    _check_numbers(kernel, kernel.compile())


@pytest.mark.bishengir
@pytest.mark.parametrize("mode", MODES)
def test_the_real_back_half_gives_the_same_numbers(mode: Mode, bishengir_opt: Path) -> None:
    kernel = Kernel(mode)
    _check_numbers(kernel, kernel.compile(backend="bishengir"))


def _check_numbers(kernel: Kernel, done: Compilation) -> None:
    m, n, k = SIZES[:3]
    torch.manual_seed(0)
    a = (torch.randn(m, k) / k**0.5).half()
    b = torch.randn(k, n).half()
    c, d = (torch.full((m, n), float("nan")) for _ in range(2))
    launch = signature(done.tile, kernel.func.sources)
    program = generate(done.executable, launch, kernel.func.sources, DEFAULT_CHIP)
    found = run(program, [a, b, c, d], symbols={}, checks="all", chip=DEFAULT_CHIP)
    assert [finding.diagnostic.what for finding in found.findings] == []
    expected = a.float() @ b.float()
    torch.testing.assert_close(c, expected, rtol=TOLERANCE, atol=TOLERANCE)
    torch.testing.assert_close(d, expected.exp(), rtol=TOLERANCE, atol=TOLERANCE)


def _peaks(module: ModuleOp) -> dict[tuple[str, str], int]:
    """Highest byte used, by kind of core and memory."""
    peaks: dict[tuple[str, str], int] = {}
    for function in device_functions(module):
        core = function.sym_name.data[-3:]
        for op in function.walk():
            if isinstance(op, PointerCastOp):
                address = constant_of(op.addrs[0])
                assert address is not None
                end = address + size_bytes(kind_of(op.result))
                place = core, space_of(op.result)
                peaks[place] = max(peaks.get(place, 0), end)
    return peaks


@pytest.mark.bishengir
@pytest.mark.parametrize("mode", MODES)
def test_flags_and_memory_match_the_real_back_half(mode: Mode, bishengir_opt: Path) -> None:
    kernel = Kernel(mode)
    ours = kernel.compile().executable
    real = kernel.compile(backend="bishengir").executable
    for kind in (SetFlagOp, WaitFlagOp, PipeOp):
        assert _count(ours, kind) == _count(real, kind), kind.__name__
    real_peaks = _peaks(real)
    assert _peaks(ours).keys() == real_peaks.keys()
    assert all(peak <= real_peaks[place] for place, peak in _peaks(ours).items())


@pytest.mark.bishengir
@pytest.mark.parametrize("mode", MODES)
def test_the_real_tool_reads_every_stage_back(mode: Mode, bishengir_opt: Path) -> None:
    trace = Kernel(mode).compile(trace=True).trace
    assert trace is not None
    texts = {s.text_id: s.pass_name for s in trace.snapshots if s.phase != "tir"}
    for text_id, name in texts.items():
        text = trace.texts[text_id]
        done = subprocess.run(
            [bishengir_opt, "--mlir-print-op-generic"],
            input=text,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, (name, done.stderr)
        assert _ops(from_text(done.stdout)) == _ops(from_text(text)), name


def _ops(module: ModuleOp) -> Counter[str]:
    return Counter(op.name for op in module.walk())


# Steps at which a real pass can stand in for ours, with the options of the real pipeline.
EXCHANGE = {
    "convert-to-hivm-op": {},
    "hivm-infer-mem-scope": {},
    "hivm-flatten-ops": {},
    "hivm-mark-multi-buffer": {
        "enable-auto": "true",
        "limit-auto-multi-buffer-of-local-buffer": "no-l0c",
        "limit-auto-multi-buffer-only-for-local-buffer": "true",
        "limit-mix-auto-multi-buffer-buffer": "only-cube",
    },
    "hivm-plan-memory": {},
    "hivm-graph-sync-solver": {},
    "hivm-enable-multi-buffer": {},
}


@pytest.mark.bishengir
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", EXCHANGE)
def test_a_real_pass_can_stand_in_for_ours(
    monkeypatch: pytest.MonkeyPatch, bishengir_opt: Path, name: str, mode: Mode
) -> None:
    setting = Setting(mode=mode, chip=DEFAULT_CHIP, options=PassOptions())
    spec = BishengPass("hacc-append-device-spec", {"target": DEFAULT_CHIP.name})
    steps: list[Step] = []
    for step in NPUIR_PASSES:
        own = step.make(setting)
        if own.name == name and not isinstance(own, PlanWorkspacePass):
            real = BishengPass(name, EXCHANGE[name])
            steps += [Step(make=lambda _: spec), Step(make=lambda _, real=real: real)]
        else:
            steps.append(step)
    monkeypatch.setattr("tlcourse.pipeline.compiling.NPUIR_PASSES", tuple(steps))
    kernel = Kernel(mode)
    _check_numbers(kernel, kernel.compile())


TIR = [
    "BindTarget",
    "Simplify",
    "RemoveNoOp",
    "NpuLoopVectorize",
    "LegalizeNpuirBF16",
    "PlanAndUpdateBufferAllocationLocation",
    "LowerOpaqueBlock",
    "LowerNpuirBlock",
    "RemoveNoOp",
]


def test_the_trace_names_the_passes_in_order(kernel: Kernel) -> None:
    trace = kernel.compile(trace=True).trace
    assert trace is not None
    names = [s.pass_name for s in trace.snapshots]
    assert names[:11] == ["input", *TIR, "codegen"]
    assert names[11] == "canonicalize-module"
    assert [s.index for s in trace.snapshots] == list(range(len(names)))
    assert {s.phase for s in trace.snapshots} == {"tir", "codegen", "npuir"}
    assert (trace.kernel, trace.mode, trace.target) == ("minicv", kernel.mode, "npuir")
    split = "hivm-split-mix-kernel" in names
    assert split is (kernel.mode == "Developer")
    # flags need addresses, and choosing a copy needs the flags' view of all copies
    order = [
        "hivm-plan-memory",
        "hivm-graph-sync-solver",
        "hivm-enable-multi-buffer",
        "annotation-lowering",
    ]
    places = [len(names) - 1 - names[::-1].index(name) for name in order]
    assert places == sorted(places)


def test_texts_are_kept_once_and_statuses_follow_them(kernel: Kernel) -> None:
    trace = kernel.compile(trace=True).trace
    assert trace is not None
    assert set(trace.texts) == {s.text_id for s in trace.snapshots}
    for before, after in zip(trace.snapshots, trace.snapshots[1:], strict=False):
        same = before.text_id == after.text_id
        assert after.status == ("unchanged" if same else "changed")
    statuses = {s.pass_name: s.status for s in trace.snapshots}
    assert statuses["hivm-alloc-extra-buffer"] == "unchanged"
    assert statuses["hivm-plan-memory"] == "changed"
    assert from_json(type(trace), to_json(trace)) == trace


def test_snapshots_say_chip_and_counts(kernel: Kernel) -> None:
    trace = kernel.compile(trace=True).trace
    assert trace is not None
    planned = next(s for s in reversed(trace.snapshots) if s.pass_name == "hivm-plan-memory")
    assert planned.options == {"chip": DEFAULT_CHIP.name}
    assert planned.op_counts["hivm.hir.mmadL1"] == 1
    assert planned.origin == "embedded"


def test_a_compile_with_trace_gives_the_same_result(kernel: Kernel) -> None:
    plain, traced = kernel.compile(), kernel.compile(trace=True)
    assert to_text(plain.executable, locations=True) == to_text(traced.executable, locations=True)
    assert traced.trace is not None
    last = traced.trace.snapshots[-1].text_id
    assert traced.trace.texts[last] == to_text(plain.executable, locations=True)


@pytest.mark.bishengir
def test_the_real_back_half_is_traced_too(bishengir_opt: Path) -> None:
    trace = Kernel("Expert").compile(backend="bishengir", trace=True).trace
    assert trace is not None
    real = [s for s in trace.snapshots if s.origin == "real"]
    assert {s.phase for s in real} == {"npuir"}
    names = [s.pass_name for s in real]
    assert names.index("hivm-plan-memory") < names.index("hivm-graph-sync-solver")
    assert {"changed", "unchanged"} <= {s.status for s in real}


def test_the_same_text_in_every_run(kernel: Kernel) -> None:
    texts = {to_text(kernel.compile().executable, locations=True) for _ in range(5)}
    assert len(texts) == 1


SCRIPT = """
import hashlib, sys, tlcourse
from tlcourse.examples.minicv import minicv_developer, minicv_expert
from tlcourse.pipeline import compile_module
from tlcourse.records import to_json
for mode, make in (("Developer", minicv_developer), ("Expert", minicv_expert)):
    func = make(256, 512, 256, 128, 256, 64)
    done = compile_module(func.module, func.sources, mode=mode, trace=True)
    print(hashlib.sha256(to_json(done.trace).encode()).hexdigest())
"""


def test_the_same_trace_under_another_hash_seed() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            cwd=Path(__file__).parents[1],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_without_multi_buffering_there_is_one_copy_of_each(kernel: Kernel) -> None:
    both = kernel.compile().executable
    one = kernel.compile(options=PassOptions(auto_multi_buffer=False)).executable
    assert _count(both, arith.SelectOp) == 2
    assert _count(one, arith.SelectOp) == 0
    assert _count(both, PointerCastOp) - _count(one, PointerCastOp) == 2
    assert _count(both, SetFlagOp) > _count(one, SetFlagOp)


def test_without_injected_sync_there_are_no_flags(kernel: Kernel) -> None:
    bare = kernel.compile(options=PassOptions(inject_sync=False)).executable
    assert _count(bare, SetFlagOp, WaitFlagOp) == 0


def test_without_moved_allocations_nothing_stands_in_the_loop() -> None:
    options = PassOptions(plan_buffer_location=False)
    done = Kernel("Expert").compile(options=options)
    loop = next(op for op in done.mlir.walk() if isinstance(op, scf.ForOp))
    assert not any(isinstance(op, memref.AllocOp) for op in loop.walk())


@pytest.mark.parametrize("value", [False, "False", "false", "0"])
def test_pass_configs_by_upstream_names(value: object) -> None:
    options = PassOptions().with_configs(
        {
            "npuir.enable_auto_multi_buffer": value,
            "npuir.disable_hivm_auto_inject_sync": "True",
            "tl.disable_tma_lower": True,
        }
    )
    assert options == PassOptions(auto_multi_buffer=False, inject_sync=False)
    assert PassOptions().with_configs({"npuir.disable_hivm_auto_inject_sync": value}) == (
        PassOptions()
    )


def test_a_stamped_module_brings_its_own_configs() -> None:
    kernel = Kernel("Expert")
    module = kernel.func.module.clone()
    stamp(
        module,
        mode="Expert",
        target="npuir",
        out_idx=(2,),
        pass_configs={"npuir.enable_auto_multi_buffer": "False"},
    )
    done = compile_module(module, kernel.func.sources, mode="Expert")
    assert _count(done.executable, arith.SelectOp) == 0
    assert signature(done.tile, kernel.func.sources).out_idx == (2,)


def test_real_options_follow_ours() -> None:
    ours = PassOptions(auto_multi_buffer=False, inject_block_sync=False, bind_sub_block=False)
    real = ours.for_real_compiler()
    assert (real.auto_multi_buffer, real.auto_inject_sync) == (False, True)
    assert (real.auto_inject_block_sync, real.bind_sub_block) == (False, False)


def _too_large() -> Kernel:
    kernel = Kernel("Expert")
    kernel.func = minicv_expert(512, 512, 256, 256, 256, 64)
    return kernel


def test_a_pass_that_refuses_gives_its_code_the_caret_and_the_trace() -> None:
    with pytest.raises(TLError) as caught:
        _too_large().compile(trace=True)
    failed = caught.value
    assert isinstance(failed, PassFailure)
    assert (failed.code, failed.pass_name) == ("TL301", "hivm-plan-memory")
    assert "memref.alloc" in failed.ir
    span = failed.diagnostic.labels[0].span
    assert span.end_column - span.column > 5
    assert "C_l0 = T.alloc_L0C" in str(failed)
    assert failed.trace is not None
    last = failed.trace.snapshots[-1]
    assert (last.pass_name, last.status) == ("hivm-plan-memory", "failed")
    assert failed.trace.texts[last.text_id] == failed.ir
    assert last.notes == (failed.diagnostic.what,)


def test_without_a_trace_the_error_is_the_same() -> None:
    with pytest.raises(PassFailure, match="TL301") as caught:
        _too_large().compile()
    assert caught.value.trace is None
    assert isinstance(caught.value.__cause__, TLError)


class _BrokenPass(ModulePass):
    name = "hivm-broken"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        op.body.block.erase_op(op.body.block.last_op)
        raise KeyError("no such buffer")


def test_a_pass_that_breaks_down_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = (*NPUIR_PASSES[:3], Step(make=lambda setting: _BrokenPass()))
    monkeypatch.setattr("tlcourse.pipeline.compiling.NPUIR_PASSES", steps)
    with pytest.raises(PassFailure) as caught:
        Kernel("Expert").compile(trace=True)
    failed = caught.value
    assert (failed.code, failed.pass_name) == ("TL310", "hivm-broken")
    assert "KeyError: 'no such buffer'" in failed.diagnostic.why
    # the module before the pass, not what it left behind
    assert failed.ir.count("func.func @") == 2
    assert failed.trace is not None
    assert failed.trace.snapshots[-1].status == "failed"


def test_the_tables_say_which_mode_needs_a_pass() -> None:
    def names(mode: Mode) -> list[str]:
        setting = Setting(mode=mode, chip=DEFAULT_CHIP, options=PassOptions())
        return [s.make(setting).name for s in NPUIR_PASSES if s.runs(setting)]

    expert, developer = names("Expert"), names("Developer")
    assert [name for name in developer if name in expert][-5:] == expert[-5:]
    assert "one-shot-bufferize" in developer
    assert "one-shot-bufferize" not in expert
    assert len(TIR_PASSES) == len(TIR)


def test_ops_are_counted_from_the_text() -> None:
    text = """builtin.module {
  func.func @k(%a: i32) {
    %0, %1 = "foreign.op"(%a) : (i32) -> (i32, i32)
    %2 = arith.addi %0, %1 : i32 loc("x.y":1:2)
    scf.for %i = %0 to %1 step %2 : i32 {
      hivm.hir.set_mask_norm
    }
  }
}
"""
    assert op_counts(text) == {
        "arith.addi": 1,
        "builtin.module": 1,
        "foreign.op": 1,
        "func.func": 1,
        "hivm.hir.set_mask_norm": 1,
        "scf.for": 1,
    }


def test_the_recorder_sees_no_change_where_there_is_none() -> None:
    recorder = Recorder(kernel="k", mode="Expert", target="npuir", sources={})
    for text in ("a", "b", "b", "a"):
        recorder.add("npuir", "p", text)
    trace = recorder.trace()
    assert [s.status for s in trace.snapshots] == ["changed", "changed", "unchanged", "changed"]
    assert len(trace.texts) == 2
    assert all(re.fullmatch(r"[0-9a-f]{12}", text_id) for text_id in trace.texts)
