"""What the pictures show besides widgets of MiniCV: faulty kernels, a verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import tilelang.language as T
import torch

from tests.grading.hand_ins import MUTANTS, mutated
from tlcourse.device import install, wrap
from tlcourse.grading import notebook
from tlcourse.grading.child import Result
from tlcourse.grading.report import as_html
from tlcourse.grading.resident import shared
from tlcourse.grading.spec import load
from tlcourse.grading.tracing import attempt_all, order_of
from tlcourse.grading.words import Language
from tlcourse.jit import Kernel
from tlcourse.jit import compile as compile_kernel
from tlcourse.widgets import svg

ROWS, SIZE = 32, 64


@T.prim_func
def racy(
    A: T.Tensor((SIZE, SIZE), "float16"),
    C: T.Tensor((SIZE, SIZE), "float32"),
    D: T.Tensor((SIZE, SIZE), "float32"),
):
    """The vector cores load C while the cube core may still store it."""
    with T.Kernel(1, is_npu=True) as (_, vid):
        with T.Scope("Cube"):
            a = T.alloc_L1((SIZE, SIZE), "float16")
            c = T.alloc_L0C((SIZE, SIZE), "float32")
            T.copy(A, a)
            T.gemm(a, a, c, initC=True)
            T.copy(c, C)
        with T.Scope("Vector"):
            c_ub = T.alloc_ub((ROWS, SIZE), "float32")
            T.copy(C[vid * ROWS : (vid + 1) * ROWS, :], c_ub)
            T.vexp(c_ub, c_ub)
            T.copy(c_ub, D[vid * ROWS : (vid + 1) * ROWS, :])


@T.prim_func
def stuck(
    A: T.Tensor((SIZE, SIZE), "float16"),
    C: T.Tensor((SIZE, SIZE), "float32"),
    D: T.Tensor((SIZE, SIZE), "float32"),
):
    """Vector core 1 never says that its half of the slot is free."""
    with T.Kernel(1, is_npu=True) as (_, vid):
        with T.Scope("Cube"):
            a = T.alloc_L1((SIZE, SIZE), "float16")
            c = T.alloc_L0C((SIZE, SIZE), "float32")
            T.copy(A, a)
            for k in T.serial(2):
                T.gemm(a, a, c, initC=True)
                with T.rs("PIPE_FIX"):
                    if k > 0:
                        T.sync_block_wait(1)
                    T.copy(c, C)
                    T.sync_block_set(0)
        with T.Scope("Vector"):
            c_ub = T.alloc_ub((ROWS, SIZE), "float32")
            for k in T.serial(2):
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(0)
                    T.copy(C[vid * ROWS : (vid + 1) * ROWS, :], c_ub)
                    if vid == 0:
                        T.sync_block_set(1)
                T.vexp(c_ub, c_ub)
                T.copy(c_ub, D[vid * ROWS : (vid + 1) * ROWS, :])


def launched(func: object) -> Kernel:
    """One of the two, launched on the simulator."""
    kernel = compile_kernel(func, mode="Expert")
    install()
    square = (SIZE, SIZE)
    tensors = [torch.ones(square, dtype=torch.float16), torch.zeros(square), torch.zeros(square)]
    kernel.launch(*[wrap(tensor) for tensor in tensors], execution="simulator")
    return kernel


@dataclass(frozen=True)
class Page:
    """Something that writes itself as a page."""

    text: Callable[[Path], object]

    def export_html(self, path: Path) -> Path:
        self.text(path)
        return path


def verdict(language: Language) -> Page:
    """What a notebook shows of a hand-in of d2.minicv that lacks its wait."""
    wrong = mutated(next(mutant for mutant in MUTANTS if mutant.name == "wait_removed"))
    spec = load("d2.minicv")
    attempts = attempt_all(order_of(spec, spec.public_cases), made(wrong))
    judged = shared().judge(spec, Result(attempts=attempts), public_only=True, language=language)
    sources = notebook._sources(attempts)
    body = as_html(judged, language, sources)
    return Page(lambda path: svg.write_page(path, "d2.minicv", body, language))


def made(source: str) -> object:
    """The factory of a hand-in, as the cell of a notebook makes it."""
    import linecache

    text = "import os\nimport tilelang\nimport tilelang.language as T\n" + source
    name = "<cell of the picture>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile(text, name, "exec"), names)
    return names["minicv"]
