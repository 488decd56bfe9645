"""Small records that the widget tests draw."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.widgets.browsed import Book, serving, write_book
from tlcourse.build.labclient import LabClient
from tlcourse.diagnostics import SourceFile, Span
from tlcourse.records import (
    Bubble,
    Instruction,
    Lane,
    MemoryMap,
    PassTrace,
    PlannedBuffer,
    Snapshot,
    Timeline,
)

FOLDER = Path(__file__).parents[2] / "docs" / "widgets"
INPUT = """module {
  func.func @k(%arg0: memref<64xf16>) {
    %c0 = arith.constant 0 : index
    %0 = memref.alloc() : memref<64xf16> loc("cell:1":3:5)
    memref.copy %arg0, %0 : memref<64xf16> to memref<64xf16> loc("cell:1":4:5)
    return
  }
}"""
LOADED = """module {
  func.func @k(%arg0: memref<64xf16>) {
    %c0 = arith.constant 0 : index
    %0 = memref.alloc() : memref<64xf16> loc("cell:1":3:5)
    hivm.hir.load ins(%arg0 : memref<64xf16>) outs(%0 : memref<64xf16>) loc("cell:1":4:5)
    return
  }
}"""
SPACED = LOADED.replace(
    "= memref.alloc() : memref<64xf16>", "= memref.alloc() : memref<64xf16, ub>"
)
SOURCE = "@T.prim_func\ndef k(A):\n    tile = T.alloc_ub((64,))\n    T.copy(A, tile)\n"


def _make_trace(*passes: tuple[str, str, str, str], kernel: str = "k") -> PassTrace:
    """A trace of (phase, pass name, status, text); an empty text means none was left."""
    texts: dict[str, str] = {}
    snapshots: list[Snapshot] = []
    for index, (phase, name, status, text) in enumerate(passes):
        text_id = hashlib.sha256(text.encode()).hexdigest()[:12] if text else "none"
        texts |= {text_id: text} if text else {}
        counts = {"memref.copy": text.count("memref.copy"), "load": text.count("hir.load")}
        snapshots.append(
            Snapshot(
                index=index,
                phase=phase,
                pass_name=name,
                status=status,
                text_id=text_id,
                op_counts={op: n for op, n in counts.items() if n},
                notes=("gave up at %0",) if status == "failed" else (),
            )
        )
    return PassTrace(
        kernel=kernel,
        mode="Expert",
        target="npuir",
        texts=texts,
        snapshots=tuple(snapshots),
        sources={"cell:1": SourceFile(id="cell:1", text=SOURCE, title="this cell")},
    )


@pytest.fixture
def pictures(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Where pictures go: docs/widgets/ with `--pictures`, else a folder that is thrown away."""
    if not request.config.getoption("--pictures"):
        return tmp_path
    FOLDER.mkdir(exist_ok=True)
    return FOLDER


@pytest.fixture
def ir() -> dict[str, str]:
    """The texts of the trace: `input`, `loaded`, `spaced`."""
    return {"input": INPUT, "loaded": LOADED, "spaced": SPACED}


@pytest.fixture
def make_trace() -> Callable[..., PassTrace]:
    """Makes a trace of (phase, pass name, status, text) tuples."""
    return _make_trace


@pytest.fixture
def make_instruction() -> Callable[..., Instruction]:
    """Makes an instruction of (number, pipe, start, end)."""
    return _instruction


@pytest.fixture
def trace() -> PassTrace:
    """Input, one changed pass, one unchanged, one changed, one failed."""
    return _make_trace(
        ("codegen", "input", "changed", INPUT),
        ("npuir", "convert-to-hivm-op", "changed", LOADED),
        ("npuir", "cse", "unchanged", LOADED),
        ("npuir", "hivm-infer-mem-scope", "changed", SPACED),
        ("npuir", "hivm-plan-memory", "failed", ""),
    )


def _instruction(number: int, pipe: str, start: int, end: int, **more: object) -> Instruction:
    """An instruction of block 0 on the cube core unless told otherwise."""
    fields: dict[str, object] = {"block": 0, "agent": "aic", "op": "nd2nz", "bytes": 0} | more
    return Instruction(id=number, pipe=pipe, start_cycle=start, end_cycle=end, **fields)


@pytest.fixture
def timeline() -> Timeline:
    """Two loads, a matmul that waits for them, a fixpipe; block 1 repeats one load."""
    span = Span(source="cell:1", line=4, column=5, end_line=4, end_column=20)
    work = (
        _instruction(0, "MTE2", 1000, 1400, bytes=8192, span=span),
        _instruction(1, "MTE2", 1400, 2000, bytes=16384),
        _instruction(2, "M", 2000, 2900, op="mmadL1"),
        _instruction(3, "FIX", 2900, 3400, op="fixpipe", bytes=32768),
        _instruction(4, "MTE2", 3400, 3600, block=1),
    )
    busy = {"MTE2": 1200, "M": 900, "FIX": 500, "S": 0}
    lanes = tuple(
        Lane(name=f"core0.{pipe}", agent="aic", pipe=pipe, core=0, busy_cycles=cycles)
        for pipe, cycles in busy.items()
    )
    gap = Bubble(lane="core0.M", start_cycle=1000, end_cycle=2000, cause="nd2nz on MTE2, line 4")
    return Timeline(
        kernel="minicv",
        chip="Ascend910B1",
        clock_mhz=1850,
        cycles=4000,
        launch_cycles=1000,
        lanes=lanes,
        instructions=work,
        bubbles=(gap,),
        replicated_blocks=23,
    )


@pytest.fixture
def memory() -> tuple[MemoryMap, ...]:
    """A double-buffered tile in L1, and a buffer that passes the end of UB."""
    a_sh = PlannedBuffer(name="a_sh", offset_bytes=0, size_bytes=16384, copies=2, first=1, last=6)
    c_ub = PlannedBuffer(name="c_ub", offset_bytes=0, size_bytes=131072, first=7, last=9)
    d_ub = PlannedBuffer(name="d_ub", offset_bytes=131072, size_bytes=131072, first=8, last=9)
    return (
        MemoryMap(space="cbuf", capacity_bytes=524288, buffers=(a_sh,)),
        MemoryMap(space="ub", capacity_bytes=196608, buffers=(c_ub, d_ub)),
    )


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a Jupyter server; its notebooks lie in books/."""
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="module")
def client(work: Path) -> Generator[LabClient, None, None]:
    """A client of a Jupyter server on that folder."""
    with serving(work) as client:
        yield client


@pytest.fixture
def open_book(chromium: Any, client: LabClient, work: Path) -> Iterator[Callable[..., Book]]:
    """Opens a notebook of the folder, made of one cell if need be; it may complain of nothing."""
    books: list[Book] = []

    def opened(name: str, code: str = "", app: str = "lab") -> Book:
        path = work / "books" / name
        write_book(path, code)
        books.append(Book(chromium, client, path, app))
        return books[-1]

    yield opened
    for book in books:
        assert book.strangers == []
        assert book.complaints == []
        book.page.close()
