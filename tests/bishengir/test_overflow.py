"""An overflow that the real compiler reports in bits names the tiles, their bytes and lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.functional.test_differential import read
from tlcourse.bishengir.failures import refused
from tlcourse.bishengir.overflow import Overflow, tiles_of
from tlcourse.diagnostics import SourceFile
from tlcourse.pipeline import PassFailure, compile_module
from tlcourse.records import Mode

_TEXT = """def k(A, B):
    a = T.alloc_ub((256, 128), "float32")
    b: T.Tile = T.alloc_ub((256, 64), "float32")
    T.vexp(a, b)
"""
_SOURCES = {"cell:1": SourceFile(id="cell:1", text=_TEXT, title="this cell")}
_UB = "#hivm.address_space<ub>"
_STDERR = f"""cell:1:1:1: error: ub overflow, requires 1581056 bits while 1572864 bits available!
// -----// IR Dump After PlanMemory Failed (hivm-plan-memory) //----- //
"func.func"() <{{function_type = () -> (), sym_name = "k"}}> ({{
  %0 = "memref.alloc"() <{{operandSegmentSizes = array<i32: 0, 0>}}> : () -> memref<256x128xf32, \
{_UB}> loc("cell:1":2:9)
  %1 = "memref.alloc"() <{{operandSegmentSizes = array<i32: 0, 0>}}> : () -> memref<256x64xf32, \
{_UB}> loc("cell:1":3:17)
  %2 = "memref.alloc"() <{{operandSegmentSizes = array<i32: 0, 0>}}> : () -> memref<8xf32, \
{_UB}> loc("<stdin>":3:17)
  "hivm.hir.vexp"(%0, %1) <{{operandSegmentSizes = array<i32: 1, 1, 0>}}> : (memref<256x128xf32, \
{_UB}>, memref<256x64xf32, {_UB}>) -> () loc("cell:1":4:5)
  "hivm.hir.vexp"(%2, %2) <{{operandSegmentSizes = array<i32: 1, 1, 0>}}> : (memref<8xf32, {_UB}>, \
memref<8xf32, {_UB}>) -> () loc("cell:1":4:5)
  "func.return"() : () -> () loc("cell:1":1:1)
}}) {{hivm.func_core_type = #hivm.func_core_type<AIV>}} : () -> () loc("cell:1":1:1)
"""
_FOUND = Overflow(space="ub", needed_bytes=197_632, capacity_bytes=196_608)


def test_tiles_have_names_bytes_and_lines() -> None:
    error = refused(_STDERR, "func.func @k_mix_aiv(%a: i64) {}", _SOURCES)
    assert error.diagnostic.what == "The tiles of k need 197,632 B of UB, which holds 196,608 B"
    text = str(error)
    assert "a  256 x 128 f32  131,072 B  line 4" in text
    assert "b  256 x 64 f32    65,536 B  line 4" in text
    assert 'a = T.alloc_ub((256, 128), "float32")' in text
    assert "bishengir-opt says: ub overflow, requires 1581056 bits" in text
    (label,) = error.diagnostic.labels
    assert (label.span.line, label.span.column, label.span.end_column) == (2, 9, 42)


@pytest.mark.parametrize(
    "stderr",
    [
        "",
        _STDERR.split("// ---")[0],
        _STDERR.replace('"func.return"', '"func.return'),
        _STDERR.replace("<ub>", "<cbuf>"),
        _STDERR.replace("256x128xf32", "?x128xf32"),
    ],
    ids=["silent", "no dump", "not to be read", "another memory", "a size of the launch"],
)
def test_what_cannot_be_read_is_left_out(stderr: str) -> None:
    assert tiles_of(stderr, _FOUND, _SOURCES) is None
    error = refused(_STDERR.split("\n")[0] + "\n" + stderr, "", _SOURCES)
    assert error.code == "TL301"
    assert "MEMORY MAP" not in error.diagnostic.why


def test_another_chip_has_other_memories() -> None:
    other = Overflow(space="ub", needed_bytes=300_000, capacity_bytes=262_144)
    assert tiles_of(_STDERR, other, _SOURCES) is None


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("    a = T.alloc_ub((256, 128), dtype)", "a"),
        ("    T.copy(A[0:4, :], tile)", "tile"),
        ("    T.reduce_max(s[0:4], most[0:4, :], dim=1)", "most"),
        ("    a, b = two()", "the buffer of line 2"),
        ("    T.vbrc(", "the buffer of line 2"),
        ("    for k in T.serial(4):", "the buffer of line 2"),
        ("    T.vadd(a, b, f(c))", "the buffer of line 2"),
    ],
)
def test_the_name_is_what_the_statement_writes(line: str, name: str) -> None:
    text = _TEXT.replace('    a = T.alloc_ub((256, 128), "float32")', line)
    sources = {"cell:1": SourceFile(id="cell:1", text=text, title="this cell")}
    found = tiles_of(_STDERR, _FOUND, sources)
    assert found is not None
    assert f"    {name}  " in found.why


_KERNELS: list[tuple[Mode, str, str, list[str]]] = [
    (
        "Expert",
        "alloc_ub",
        "UB",
        ["a  16 x 1024 f32  65,536 B x 2 copies", "b  16 x 1024 f32  65,536 B x 2 copies"],
    ),
    ("Developer", "alloc_shared", "UB", ["b  16 x 1024 f32  65,536 B x 2 copies"]),
]


@pytest.mark.bishengir
@pytest.mark.parametrize(("mode", "alloc", "memory", "rows"), _KERNELS)
def test_the_real_compiler(
    bishengir_opt: Path, mode: Mode, alloc: str, memory: str, rows: list[str]
) -> None:
    kernel = read(f"""@T.prim_func
def k(A: T.Tensor((64, 4096), "float32"), B: T.Tensor((64, 4096), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, _):
        a = T.{alloc}((16, 1024), "float32")
        b = T.{alloc}((16, 1024), "float32")
        c = T.{alloc}((16, 1024), "float32")
        for i in T.serial(4):
            T.copy(A[i * 16, 0], a)
            T.copy(A[i * 16, 1024], b)
            T.vadd(a, b, c)
            T.vmul(a, c, c)
            T.copy(c, B[i * 16, 0])
""")
    with pytest.raises(PassFailure, match="TL301") as caught:
        compile_module(kernel.module, kernel.sources, mode=mode, backend="bishengir")
    assert caught.value.pass_name == "hivm-plan-memory"
    text = str(caught.value)
    assert "B of UB, which holds 196,608 B" in text
    assert all(row in text for row in rows), text
    assert "bishengir-opt says: ub overflow" in text
