"""A tool that behaves as a test wants, in place of the real compiler."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def fake_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Puts a shell script where `bishengir-opt` is looked for."""

    def install(script: str) -> Path:
        path = tmp_path / "bishengir-opt"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv("TLCOURSE_BISHENGIR_OPT", str(path))
        return path

    return install


@pytest.fixture
def vadd_text() -> str:
    """An Expert vector add as code generation writes it, with the learner's lines."""
    gm, ub = "#hivm.address_space<gm>", "#hivm.address_space<ub>"
    flat, tile = f"memref<?xf16, {gm}>", f"memref<ROWSx128xf16, strided<[128, 1]>, {ub}>"
    shaped = f"memref<ROWSx128xf16, strided<[128, 1]>, {gm}>"
    grid = ", ".join(f"%g{i}: i32" for i in range(6))
    views = "\n".join(
        f"    %{name}2 = memref.reinterpret_cast %{name} to offset: [0], sizes: [ROWS, 128], "
        f'strides: [128, 1] : {flat} to {shaped} loc("cell:abcd0123":2:5)'
        for name in "ab"
    )
    return f"""
module attributes {{hivm.module_core_type = #hivm.module_core_type<AIV>, memref.memref_as_ptr}} {{
  func.func @vadd(%ffts: i64 {{hacc.arg_type = #hacc.arg_type<ffts_base_address>}},
                  %lock: memref<?xi8>, %ws: memref<?xi8>, %a: {flat}, %b: {flat}, {grid})
      attributes {{SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, hacc.entry,
                  hacc.function_kind = #hacc.function_kind<DEVICE>,
                  hivm.func_core_type = #hivm.func_core_type<AIV>, mix_mode = "aiv"}} {{
    hivm.hir.set_ffts_base_addr %ffts
{views}
    %u = memref.alloc() : {tile} loc("cell:abcd0123":3:9)
    memref.copy %a2, %u : {shaped} to {tile} loc("cell:abcd0123":4:9)
    hivm.hir.vadd ins(%u, %u : {tile}, {tile}) outs(%u : {tile}) loc("cell:abcd0123":5:9)
    memref.copy %u, %b2 : {tile} to {shaped} loc("cell:abcd0123":6:9)
    return
  }} loc("cell:abcd0123":1:1)
}}
""".replace("ROWS", "64")
