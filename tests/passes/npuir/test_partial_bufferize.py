"""one-shot-bufferize of some dialects only, and of functions whose tensors stay tensors."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tlcourse.dialects.text import from_text, to_text
from tlcourse.passes.npuir.one_shot_bufferize import OneShotBufferizePass

T = "tensor<4x8xf32>"
B = "memref<4x8xf32>"
LOOSE = "memref<4x8xf32, strided<[?, ?], offset: ?>>"
COPY = f"hivm.hir.copy ins(%x : {T}) outs(%y : {T}) -> {T}"
EXP = f"hivm.hir.vexp ins(%x : {T}) outs(%y : {T}) -> {T}"
SELF = f"hivm.hir.vexp ins(%x : {T}) outs(%x : {T}) -> {T}"
OPTIONS = (
    "dialect-filter=hivm,bufferization copy-before-write "
    "unknown-type-conversion=identity-layout-map"
)


def _module(op: str) -> str:
    return f"""module {{
  func.func @k(%x: {T}, %y: {T}) -> {T} {{
    %r = {op}
    return %r : {T}
  }}
}}
"""


def _partly(run_passes, text: str, *dialects: str) -> str:
    return run_passes(text, OneShotBufferizePass(dialect_filter=dialects, copy_before_write=True))


def test_only_the_named_dialect_changes(run_passes) -> None:
    body = f"{EXP} %z = hfusion.elemwise_unary ins(%r : {T}) outs(%y : {T}) -> {T}"
    text = _partly(run_passes, _module(body), "hivm")
    assert f"hivm.hir.vexp ins(%0 : {B}) outs(%1 : {B})" in text
    assert f"= bufferization.to_tensor %1 : {B}" in text
    assert "hfusion.elemwise_unary" in text
    assert f"outs(%y : {T}) -> {T}" in text


@pytest.mark.parametrize(("op", "copies"), [(EXP, 0), (SELF, 0), (COPY, 1)])
def test_old_contents_are_copied_for_ops_that_may_keep_some(
    run_passes, op: str, copies: int
) -> None:
    text = _partly(run_passes, _module(op), "hivm")
    assert text.count("memref.copy") == copies
    assert text.count("memref.alloc() {alignment = 64 : i64}") == 1


def test_a_tile_that_is_read_and_written_is_written_elsewhere(run_passes) -> None:
    text = _partly(run_passes, _module(SELF), "hivm")
    line = next(line for line in text.splitlines() if "vexp" in line)
    source, place = line.split("ins(")[1].split()[0], line.split("outs(")[1].split()[0]
    assert f"{source} = bufferization.to_memref %x" in text
    assert f"{place} = memref.alloc" in text


def test_marks_and_prints_look_at_the_buffer(run_passes) -> None:
    body = f"""{EXP}
    annotation.mark %x keys = ["k"] values = [%y : {T}] : {T}"""
    text = _partly(run_passes, _module(body), "annotation")
    assert f'keys = ["k"] values = [%0 : {B}] : {B}' in text
    assert f"hivm.hir.vexp ins(%x : {T})" in text


def test_unknown_extents_are_asked_for(run_passes) -> None:
    text = _module(EXP).replace("4x8", "?x8")
    out = _partly(run_passes, text, "hivm")
    assert "= tensor.dim %y, " in out
    assert "= memref.alloc(%" in out


def test_tensors_of_the_caller_are_read_where_they_lie(run_passes) -> None:
    text = run_passes(_module(EXP), OneShotBufferizePass())
    assert f"bufferization.to_memref %x : {LOOSE}" in text
    assert f"hivm.hir.vexp ins(%0 : {LOOSE}) outs(%" in text
    assert "bufferization.to_tensor" in text.split("return")[0]


def test_tensors_of_the_caller_are_not_written(run_passes) -> None:
    text = run_passes(_module(SELF), OneShotBufferizePass())
    line = next(line for line in text.splitlines() if "vexp" in line)
    assert "outs(%" in line
    assert line.split("outs(")[1].split()[0] not in line.split("outs(")[0]
    assert line.rstrip().endswith(f": {B})")


def test_a_caller_s_tensor_is_split_without_a_copy(run_passes) -> None:
    text = """func.func @k(%x: tensor<8xf32>, %o: memref<2x4xf32>) {
      %s = tensor.expand_shape %x [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
      hivm.hir.store ins(%s : tensor<2x4xf32>) outs(%o : memref<2x4xf32>)
      return
    }"""
    out = run_passes(text, OneShotBufferizePass())
    assert "hir.copy" not in out
    assert "into memref<2x4xf32, strided<[?, ?], offset: ?>>" in out


def test_a_scope_hands_out_buffers(run_passes) -> None:
    body = f"""scope.scope : () -> {T} {{
      %v = {EXP}
      scope.return %v : {T}
    }}"""
    text = run_passes(_module(body), OneShotBufferizePass())
    assert f"= scope.scope : () -> {B} {{" in text
    assert f"scope.return %1 : {B}" in text or f": {B}\n    }}" in text


@pytest.mark.bishengir
@pytest.mark.parametrize(
    ("op", "options"),
    [(EXP, ""), (SELF, ""), (EXP, OPTIONS), (SELF, OPTIONS), (COPY, OPTIONS)],
)
def test_real_pass_gives_the_same(op: str, options: str, bishengir_opt: Path) -> None:
    flag = f"--one-shot-bufferize={options}" if options else "--one-shot-bufferize"
    done = subprocess.run(
        [bishengir_opt, "-", flag], input=_module(op), capture_output=True, text=True, check=True
    )
    module = from_text(_module(op))
    values = {"dialect_filter": ("hivm", "bufferization")} if options else {}
    OneShotBufferizePass(**values).apply(None, module)
    assert _unnamed(to_text(module)) == _unnamed(to_text(from_text(done.stdout)))


def _unnamed(text: str) -> list[str]:
    """The lines without the names of values, in an order of their own for those at the top."""
    lines = [re.sub(r"%\w+", "%", line).strip() for line in text.splitlines()]
    border = [line for line in lines if "to_memref" in line]
    return sorted(border) + [line for line in lines if line not in border]
