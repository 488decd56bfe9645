"""The result of a compile: what it holds, its numbers, and that of the real back half."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp

import tlcourse  # noqa: F401  serves `import tilelang`
from tests.pipeline.minicv import MODES, Kernel, check_numbers, count
from tlcourse.bishengir import BishengPass
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects.hivm.base import PipeOp, space_of
from tlcourse.dialects.hivm.core import PointerCastOp
from tlcourse.dialects.hivm.sync import SetFlagOp, WaitFlagOp
from tlcourse.dialects.locations import located
from tlcourse.dialects.text import from_text, to_text
from tlcourse.passes.npuir.buffers import kind_of, size_bytes
from tlcourse.passes.npuir.folding import constant_of
from tlcourse.passes.npuir.functions import device_functions
from tlcourse.passes.npuir.hivm_plan_memory import GLOBAL
from tlcourse.pipeline import (
    NPUIR_PASSES,
    PassOptions,
    Setting,
    Step,
)
from tlcourse.records import Mode


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
    assert count(done.mlir, SetFlagOp) == 0
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
    check_numbers(kernel, kernel.compile())


@pytest.mark.bishengir
@pytest.mark.parametrize("mode", MODES)
def test_the_real_back_half_gives_the_same_numbers(mode: Mode, bishengir_opt: Path) -> None:
    kernel = Kernel(mode)
    check_numbers(kernel, kernel.compile(backend="bishengir"))


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
        assert count(ours, kind) == count(real, kind), kind.__name__
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
        if own.name == name and getattr(own, "mem_plan_mode", "") != GLOBAL:
            real = BishengPass(name, EXCHANGE[name])
            steps += [Step(make=lambda _: spec), Step(make=lambda _, real=real: real)]
        else:
            steps.append(step)
    monkeypatch.setattr("tlcourse.pipeline.exchange.NPUIR_PASSES", tuple(steps))
    kernel = Kernel(mode)
    check_numbers(kernel, kernel.compile())
