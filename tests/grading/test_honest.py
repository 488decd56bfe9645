"""Right kernels that are not the course's: slower, other tiles, another algorithm, other names.

Each was written by hand as an edit of a solution and must earn every point for its numbers.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.grading.hand_ins import EXPERT
from tlcourse.grading.authoring.mutants import solution_of, solution_source, write_with
from tlcourse.grading.hand_in import Runner, graded
from tlcourse.grading.protection import parent_here, protection_of, runner_of
from tlcourse.grading.report import as_text
from tlcourse.grading.spec import load

Edits = tuple[tuple[str, str], ...]

_ELEMENT_BY_ELEMENT = """            for i in T.serial(n):
                b[i] = a[i] + 3.0 * b[i]
"""
_ONE_BLOCK = """        with T.Kernel(1, is_npu=True) as (core, _):
          for cid in T.serial(T.ceildiv(N, block)):
"""
_TILE_OPS = """            T.vsub(a, m, a)
            T.vexp(a, a)
"""
_PARALLEL_EXP = """            for i, j in T.Parallel(rows, N):
                a[i, j] = T.exp(a[i, j] - m[i, 0])
"""
_PARALLEL_DIVIDE = """            for i, j in T.Parallel(rows, N):
                a[i, j] = a[i, j] / s[i, 0]
"""
_BY_RECIPROCAL = """            T.vrec(s, s)
            T.vmul(a, s, a)
"""
_MAXIMUM_FIRST = """            for k in T.serial(T.ceildiv(N, block)):
                width = T.min(block, N - k * block)
                T.vbrc(-T.infinity("float32"), x)
                T.copy(X[first : first + here, k * block : k * block + width], x[0:here, 0:width])
                T.reduce_max(x, new_max, dim=1)
                T.vmax(m, new_max, m)
            for k in T.serial(T.ceildiv(N, block)):
"""

VARIANTS: dict[str, tuple[str, Edits]] = {
    "tiles of 32 elements": ("d1.change_vadd", (("block=256", "block=32"),)),
    "tiles of 4,096 elements": ("d1.change_vadd", (("block=256", "block=4096"),)),
    "three additions for a product": (
        "d1.change_vadd",
        (("T.vmul(b, 3.0, b)", "T.vadd(a, b, a)\n            T.vadd(a, b, a)"),),
    ),
    "element by element": (
        "d1.change_vadd",
        (("            T.vmul(b, 3.0, b)\n            T.vadd(a, b, b)\n", _ELEMENT_BY_ELEMENT),),
    ),
    "one block for all tiles": (
        "d1.change_vadd",
        (("        with T.Kernel(T.ceildiv(N, block), is_npu=True) as (cid, _):\n", _ONE_BLOCK),),
    ),
    "other names": (
        "d1.change_vadd",
        (
            ("def kernel(", "def added("),
            ("return kernel", "return added"),
            ("start", "von"),
            ("block", "breite"),
            ("A: T", "erster: T"),
            ("B: T", "zweiter: T"),
            ("C: T", "summe: T"),
            ("A[", "erster["),
            ("B[", "zweiter["),
            ("C[", "summe["),
        ),
    ),
    "a row a block": ("d2.softmax", (("rows = 8", "rows = 1"),)),
    "tile operations for a parallel loop": ("d2.softmax", ((_PARALLEL_EXP, _TILE_OPS),)),
    "the reciprocal of the sum": ("d2.softmax", ((_PARALLEL_DIVIDE, _BY_RECIPROCAL),)),
    "narrow tiles of a product": (
        "d2.gemm",
        (("block_M=64, block_N=64, block_K=64", "block_M=16, block_N=128, block_K=32"),),
    ),
    "the blocks of K from the last to the first": (
        "d2.gemm",
        (("ko = k * block_K", "ko = (T.ceildiv(K, block_K) - 1 - k) * block_K"),),
    ),
    "two passes over the row": (
        "d3.online_softmax",
        (("            for k in T.serial(T.ceildiv(N, block)):\n", _MAXIMUM_FIRST),),
    ),
    "divided once, at the end": (
        "d3.naive_attention",
        (
            ("            T.vdiv(s, x, s)\n", ""),
            (
                "initC=True)\n            T.copy(o",
                "initC=True)\n            T.vdiv(o, x, o)\n            T.copy(o",
            ),
        ),
    ),
    "half the rows a block": (
        "d3.naive_attention",
        (("block=64", "block=32"),),
    ),
    "Expert with tiles of half the size": (
        "d2.minicv",
        ((EXPERT, EXPERT.replace("block_M=64, block_N=64", "block_M=32, block_N=32")),),
    ),
}


@pytest.fixture(scope="module")
def runner() -> Generator[Runner]:
    parent = parent_here()
    yield runner_of(parent, protection_of(parent))
    if parent is not None:
        parent.stop()


def variant(name: str) -> tuple[str, str]:
    """Exercise and source; every edit must apply and change something."""
    exercise, edits = VARIANTS[name]
    text = EXPERT if exercise == "d2.minicv" else solution_source(solution_of(exercise))
    before = text
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    assert text != before
    return exercise, text


@pytest.mark.parametrize("name", VARIANTS)
def test_every_point_for_numbers_is_earned(name: str, tmp_path: Path, runner: Runner) -> None:
    exercise, source = variant(name)
    path = write_with(solution_of(exercise), source, tmp_path / "x.ipynb")
    verdict = graded(path, runner=runner).verdict
    spec = load(exercise)
    numbers = [check for check in verdict.checks if check.name.startswith("numbers")]
    assert len(numbers) == len(spec.cases), as_text(verdict)
    assert all(check.state == "PASS" for check in numbers), as_text(verdict)
    earned = sum(check.points for check in numbers)
    assert earned == pytest.approx(spec.points * spec.weights.numbers / 100)
