"""What people who write kernels ran into elsewhere, each with the outcome it must have here."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import tlcourse
import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.jit import Kernel, compile
from tlcourse.jit.report import FindingWarning
from tlcourse.language import PrimFunc

Factory = Callable[..., PrimFunc]
PACKAGE = Path(tlcourse.__file__).parent

SCRIPT = """
import tlcourse, tilelang, torch
import tilelang.language as T

def add(size):
    @T.prim_func
    def add(A: T.Tensor((size,), "float32"), B: T.Tensor((size,), "float32")):
        with T.Kernel(size // 32, is_npu=True) as (cid, _):
            a = T.alloc_ub((32,), "float32")
            T.copy(A[cid * 32 : (cid + 1) * 32], a)
            T.vadd(a, a, a)
            T.copy(a, B[cid * 32 : (cid + 1) * 32])
    return add

for size in (32, 64, 96):
    kernel = tilelang.compile(add(size), out_idx=[1])
    assert (kernel(torch.ones(size).npu()) == 2).all()
"""


def ones(*shape: int) -> torch.Tensor:
    return torch.ones(shape).npu()


class TestArguments:
    @pytest.fixture
    def product(self) -> Kernel:
        @T.prim_func
        def scaled(A: T.Tensor((32, 16), "float32"), B: T.Tensor((32, 16), "float32")):
            with T.Kernel(1, is_npu=True) as (_cid, _):
                a = T.alloc_ub((32, 16), "float32")
                T.copy(A, a)
                T.vadd(a, a, a)
                T.copy(a, B)

        return compile(scaled)

    @pytest.mark.filterwarnings("ignore:.*TL447")
    @pytest.mark.parametrize(
        ("make", "code"),
        [
            (lambda: (ones(16, 32).t(), ones(32, 16)), "TL406"),
            (lambda: (ones(32, 16).double(), ones(32, 16)), "TL405"),
            (lambda: (ones(32, 15), ones(32, 16)), "TL407"),
            (lambda: (ones(32, 16),), "TL401"),
            (lambda: (torch.ones(32, 16), ones(32, 16)), "TL404"),
        ],
        ids=["transposed", "float64", "shape", "missing", "on the CPU"],
    )
    def test_misfit_is_an_error_and_never_zeros(
        self, product: Kernel, make: Callable[[], tuple[torch.Tensor, ...]], code: str
    ) -> None:
        with pytest.raises(TLError) as caught:
            product(*make())
        assert caught.value.code == code
        assert "T.Tensor((32, 16)" in str(caught.value)

    def test_grid_without_blocks(self, doubled: PrimFunc) -> None:
        with pytest.raises(TLError) as caught:
            compile(doubled, out_idx=[1])(ones(16))
        assert caught.value.code == "TL410"
        assert "ceildiv" in caught.value.diagnostic.fix

    @pytest.mark.parametrize("execution", ["functional", "simulator"])
    def test_sum_over_nothing_is_zero(self, execution: str) -> None:
        K = T.symbolic("K")

        @T.prim_func
        def rows(A: T.Tensor((16, K), "float32"), B: T.Tensor((16, 8), "float32")):
            with T.Kernel(1, is_npu=True) as (_cid, _):
                part = T.alloc_ub((16, 8), "float32")
                total = T.alloc_ub((16, 8), "float32")
                T.clear(total)
                for k in T.serial(K // 8):
                    T.copy(A[0:16, k * 8 : k * 8 + 8], part)
                    T.vadd(total, part, total)
                T.copy(total, B)

        launch = compile(rows, out_idx=[1]).launch(ones(16, 0), execution=execution)
        assert (launch.outputs[0] == 0).all()
        assert launch.findings == ()

    def test_shapes_that_disagree_about_a_symbol_name_both(self) -> None:
        N = T.symbolic("N")

        @T.prim_func
        def pair(A: T.Tensor((N + 1,), "float32"), B: T.Tensor((2 * N,), "float32")):
            with T.Kernel(1, is_npu=True) as (_cid, _):
                a = T.alloc_ub((8,), "float32")
                T.copy(A[0:8], a)
                T.copy(a, B[0:8])

        kernel = compile(pair)
        assert kernel(ones(9), ones(16)) is None
        with pytest.raises(TLError) as caught:
            kernel(ones(9), ones(18))
        assert caught.value.code == "TL408"
        said = caught.value.diagnostic.what + caught.value.diagnostic.why
        assert " A" in said
        assert "B" in said


def test_finding_is_one_short_warning_at_the_learner_s_line(add: Factory) -> None:
    @T.prim_func
    def half(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub((32,), "float32")
            T.copy(A[0:32], a)
            T.copy(a, B[0:32])

    with pytest.warns(FindingWarning) as caught:
        compile(half, out_idx=[1])(ones(64))
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert "Traceback" not in str(caught[0].message)
    assert str(PACKAGE) not in str(caught[0].message)


class TestCache:
    def test_processes_at_once_share_a_folder(self, tmp_path: Path) -> None:
        script = tmp_path / "script.py"
        script.write_text(SCRIPT)
        env = os.environ | {
            "TILELANG_CACHE_DIR": str(tmp_path / "shared"),
            "TLCOURSE_EXECUTION": "functional",
        }
        workers = [
            subprocess.Popen(
                [sys.executable, str(script)], env=env, stderr=subprocess.PIPE, text=True
            )
            for _ in range(3)
        ]
        errors = [worker.communicate()[1] for worker in workers]
        assert [worker.returncode for worker in workers] == [0, 0, 0], errors
        entries = [path for path in (tmp_path / "shared").rglob("*") if path.is_file()]
        assert [path.suffix for path in entries] == [".json"] * 3

    def test_key_does_not_depend_on_what_was_built_before(
        self, add: Factory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def entries(folder: str, sizes: tuple[int, ...]) -> set[str]:
            monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path / folder))
            for size in sizes:
                compile(add(size)).program("functional")
            return {path.name for path in (tmp_path / folder).rglob("*.json")}

        assert entries("up", (32, 64, 96)) == entries("down", (96, 64, 32))

    def test_captured_value_changes_the_kernel(self) -> None:
        def scaled(factor: float) -> PrimFunc:
            @T.prim_func
            def scaled(A: T.Tensor((32,), "float32"), B: T.Tensor((32,), "float32")):
                with T.Kernel(1, is_npu=True) as (_cid, _):
                    a = T.alloc_ub((32,), "float32")
                    T.copy(A, a)
                    T.vmul(a, factor, a)
                    T.copy(a, B)

            return scaled

        for factor in (2.0, 3.0):
            b = compile(scaled(factor), out_idx=[1])(ones(32))
            assert isinstance(b, torch.Tensor)
            assert b.tolist() == [factor] * 32


class TestSources:
    """Texts of kernels that are not in a file, or that change afterwards."""

    def run(self, text: str, name: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
        import linecache

        lines = text.splitlines(keepends=True)
        monkeypatch.setitem(linecache.cache, name, (len(text), None, lines, name))
        names: dict[str, object] = {"T": T}
        exec(builtins_compile(text, name), names)
        return names

    def test_exec_without_text_is_told(self) -> None:
        names: dict[str, object] = {"T": T}
        text = "@T.prim_func\ndef k(A: T.Tensor((8,), 'float32')):\n    pass\n"
        with pytest.raises(TLError) as caught:
            exec(builtins_compile(text, "<nowhere>"), names)
        assert caught.value.code == "TL101"

    def test_text_is_kept_from_when_the_kernel_was_made(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = self.run(kernel_text("vadd"), "<cell>", monkeypatch)["k"]
        self.run(kernel_text("vmul"), "<cell>", monkeypatch)
        assert isinstance(first, PrimFunc)
        assert "T.vadd" in next(iter(first.sources.values())).text
        assert "vadd" in compile(first).mlir_content

    def test_second_function_of_a_cell_and_one_inside_an_if(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        text = "def helper(x):\n    return x\n\nif True:\n" + "".join(
            f"    {line}\n" for line in kernel_text("vadd", wrong=True).splitlines()
        )
        with pytest.raises(TLError) as caught:
            self.run(text, "<cell>", monkeypatch)
        line = text.splitlines().index("        T.vadd(a, a)".replace("        ", " " * 12)) + 1
        assert caught.value.diagnostic.labels[0].span.line == line


def kernel_text(op: str, wrong: bool = False) -> str:
    arguments = "a, a" if wrong else "a, a, a"
    return (
        "@T.prim_func\n"
        "def k(A: T.Tensor((32,), 'float32'), B: T.Tensor((32,), 'float32')):\n"
        "    with T.Kernel(1, is_npu=True) as (c, _):\n"
        "        a = T.alloc_ub((32,), 'float32')\n"
        "        T.copy(A, a)\n"
        f"        T.{op}({arguments})\n"
        "        T.copy(a, B)\n"
    )


def builtins_compile(text: str, name: str) -> object:
    import builtins

    return builtins.compile(text, name, "exec")


def test_kernels_are_read_from_text_and_never_from_bytecode() -> None:
    """Bytecode changes with each release of Python."""
    for path in (PACKAGE / "language").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        modules = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        }
        assert not names & {"co_code", "co_consts", "co_names"}, path
        assert "dis" not in modules, path
