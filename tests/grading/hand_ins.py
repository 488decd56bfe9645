"""Hand-ins for tests: the course's solution, edited into each fault that grading must name."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tlcourse.grading.report import as_text
from tlcourse.grading.spec import load
from tlcourse.records import Verdict, to_json

ROOT = Path(__file__).parents[2]
SOLUTION = ROOT / "solutions" / "day2" / "minicv.ipynb"
UNTOUCHED = ROOT / "exercises" / "day2" / "minicv.ipynb"

EXPERT = """
os.environ["TILELANG_ASCEND_MODE"] = "Expert"

@tilelang.jit(out_idx=[2, 3], target="npuir")
def minicv(M, N, K, block_M=64, block_N=64, block_K=64):
    n_num = T.ceildiv(N, block_N)
    half_M = block_M // 2

    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
        D: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(M, block_M) * n_num, is_npu=True) as (cid, vid):
            bx = cid // n_num * block_M
            by = cid % n_num * block_N
            columns = T.min(block_N, N - by)
            with T.Scope("Cube"):
                rows = T.min(block_M, M - bx)
                A_l1 = T.alloc_L1((block_M, block_K), "float16")
                B_l1 = T.alloc_L1((block_K, block_N), "float16")
                C_l0 = T.alloc_L0C((block_M, block_N), "float32")
                for k in T.serial(K // block_K):
                    ko = k * block_K
                    T.copy(A[bx : bx + rows, ko : ko + block_K], A_l1[0:rows, :])
                    T.copy(B[ko : ko + block_K, by : by + columns], B_l1[:, 0:columns])
                    T.gemm(A_l1, B_l1, C_l0, initC=(k == 0))
                with T.rs("PIPE_FIX"):
                    T.copy(C_l0[0:rows, 0:columns], C[bx : bx + rows, by : by + columns])
                    T.sync_block_set(0)
            with T.Scope("Vector"):
                C_ub = T.alloc_ub((half_M, block_N), "float32")
                D_ub = T.alloc_ub((half_M, block_N), "float32")
                row = T.min(bx + vid * half_M, M)
                rows = T.min(half_M, M - row)
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(0)
                    T.copy(C[row : row + rows, by : by + columns], C_ub[0:rows, 0:columns])
                T.vexp(C_ub, D_ub)
                T.copy(D_ub[0:rows, 0:columns], D[row : row + rows, by : by + columns])

    return kernel
"""


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A wrong kernel and what grading must say of it.

    Args:
        name: as the spec lists it.
        edits: pairs of old and new text in the source.
        state: of the verdict.
        said: words of the report.
        source: what is edited; without it, the course's solution.
    """

    name: str
    edits: tuple[tuple[str, str], ...]
    state: str
    said: str
    source: str = ""


_GEMM = "T.gemm(A_sh, B_sh, C_fr, initC=(k == 0))"
_STORE_C = "T.copy(C_fr[0:rows, 0:columns], C[bx : bx + rows, by : by + columns])"
_STORE_D = "T.copy(D_fr[0:rows, 0:columns], D[bx : bx + rows, by : by + columns])"

MUTANTS = (
    Mutant(
        name="zeros",
        edits=((_GEMM, "T.clear(C_fr)"),),
        state="FAIL",
        said="every element is 0",
    ),
    Mutant(
        name="no_exp",
        edits=((_STORE_D, _STORE_D.replace("D_fr", "C_fr")),),
        state="FAIL",
        said="exp was left out",
    ),
    Mutant(
        name="last_k_block_missing",
        edits=(("T.serial(K // block_K)", "T.serial(K // block_K - 1)"),),
        state="FAIL",
        said="the last block of K is missing from the sum",
    ),
    Mutant(
        name="only_last_k_block",
        edits=(("initC=(k == 0)", "initC=True"),),
        state="FAIL",
        said="initC is true on every trip",
    ),
    Mutant(
        name="exp_per_k_block",
        edits=(
            (
                "            for k in T.serial",
                '            P_fr = T.alloc_fragment((block_M, block_N), "float32")\n'
                '            E_fr = T.alloc_fragment((block_M, block_N), "float32")\n'
                "            T.clear(D_fr)\n"
                "            for k in T.serial",
            ),
            (
                _GEMM,
                f"{_GEMM}\n"
                "                T.gemm(A_sh, B_sh, P_fr, initC=True)\n"
                "                T.vexp(P_fr, E_fr)\n"
                "                T.vadd(D_fr, E_fr, D_fr)",
            ),
            ("            T.vexp(C_fr, D_fr)\n", ""),
        ),
        state="FAIL",
        said="exp was taken for each block of K",
    ),
    Mutant(
        name="floor_grid",
        edits=(
            ("T.ceildiv(M, block_M)", "(M // block_M)"),
            ("T.ceildiv(N, block_N)", "(N // block_N)"),
        ),
        state="PARTIAL",
        said="was never written",
    ),
    Mutant(
        name="wait_removed",
        edits=(("                    T.sync_block_wait(0)\n", ""),),
        state="FAIL",
        said="reads C while fixpipe of the cube core may still be writing it",
        source=EXPERT,
    ),
    Mutant(
        name="stored_every_trip",
        edits=(
            (
                "B_l1, C_l0, initC=(k == 0))\n",
                "B_l1, C_l0, initC=(k == 0))\n"
                '                    with T.rs("PIPE_FIX"):\n'
                "                        T.copy(C_l0[0:rows, 0:columns], "
                "C[bx : bx + rows, by : by + columns])\n",
            ),
        ),
        state="PARTIAL",
        said="times the bytes of its outputs",
        source=EXPERT,
    ),
    Mutant(
        name="one_vector_core",
        edits=(
            ("half_M = block_M // 2", "half_M = block_M"),
            ("vid * half_M", "vid * M"),
        ),
        state="PARTIAL",
        said="one vector core does all the vector work",
        source=EXPERT,
    ),
)


def leaked(verdict: Verdict) -> list[str]:
    """Sizes of hidden cases alone that a verdict tells, in its record or in its report."""
    cases = load(verdict.exercise).cases
    public = {size for case in cases if case.public for size in case.binding.values()}
    hidden = {size for case in cases for size in case.binding.values()} - public
    text = to_json(replace(verdict, sealed_sha256="")) + as_text(verdict)
    # 64 is also the size of a tile: only sizes that stand nowhere else give something away.
    return [str(size) for size in sorted(hidden - {64}) if str(size) in text]


def solution_source() -> str:
    """Source of the course's solution cell."""
    notebook = json.loads(SOLUTION.read_text(encoding="utf-8"))
    return "".join(next(cell for cell in notebook["cells"] if _is_solution(cell))["source"])


def mutated(mutant: Mutant) -> str:
    """The mutant's source; each edit must apply."""
    text = mutant.source or solution_source()
    for old, new in mutant.edits:
        assert old in text, f"{mutant.name}: {old} is not in the source"
        text = text.replace(old, new)
    return text


def write(path: Path, *sources: str) -> Path:
    """Writes the exercise with other solution cells."""
    notebook: dict[str, Any] = json.loads(UNTOUCHED.read_text(encoding="utf-8"))
    cells: list[dict[str, Any]] = []
    for cell in notebook["cells"]:
        copies = sources if _is_solution(cell) else (cell["source"],)
        cells += [{**cell, "source": source} for source in copies]
    path.write_text(json.dumps({**notebook, "cells": cells}), encoding="utf-8")
    return path


def _is_solution(cell: dict[str, Any]) -> bool:
    return bool(cell["metadata"].get("nbgrader", {}).get("solution"))
