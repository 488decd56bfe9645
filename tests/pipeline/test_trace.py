"""The trace: passes in order, texts kept once, the same in every run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import tlcourse  # noqa: F401  serves `import tilelang`
from tests.pipeline.minicv import TIR, Kernel
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects.text import to_text
from tlcourse.pipeline.trace import Recorder, op_counts
from tlcourse.records import from_json, to_json


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
    assert planned.options == {"chip": DEFAULT_CHIP.name, "mem_plan_mode": "local-mem-plan"}
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
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


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
