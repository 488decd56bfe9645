"""Rules on a kernel's text: constants, and inputs that reach no output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import tlcourse.language as T
from tlcourse.dialects.text import from_text as module_from
from tlcourse.grading.authoring.mutants import solution_of, solution_source, write_with
from tlcourse.grading.hand_in import grade_notebook, graded
from tlcourse.grading.report import as_text
from tlcourse.grading.sealed import from_text
from tlcourse.grading.spec import known_ids, load
from tlcourse.grading.static_rules import check_constants, reads_nothing, untouched_outputs
from tlcourse.grading.verdicts import flags

ADD = load("d1.change_vadd")
N = 512


def kernel(body: Callable[..., None]) -> T.PrimFunc:
    """A vector kernel of one block whose middle is a macro on tiles a and b."""
    step = T.macro(body)

    @T.prim_func
    def made(
        A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")
    ):
        with T.Kernel(1, is_npu=True) as (_, __):
            a = T.alloc_shared((N,), "float32")
            b = T.alloc_shared((N,), "float32")
            c = T.alloc_shared((N,), "float32")
            T.copy(A, a)
            T.copy(B, b)
            step(a, b, c)
            T.copy(c, C)

    return made


def adds(a, b, c):
    T.vadd(a, b, c)


def fills(a, b, c):
    T.vadd(a, b, a)
    T.clear(c)


def takes_a(a, b, c):
    T.vadd(a, 1.0, c)


def through_a_branch(a, b, c):
    if a[0] > b[0]:
        T.clear(c)


def element_by_element(a, b, c):
    for i in T.serial(N):
        c[i] = a[i] + b[i]


@pytest.mark.parametrize(
    ("body", "lost"),
    [
        (adds, ()),
        (fills, ("A", "B")),
        (takes_a, ("B",)),
        (through_a_branch, ()),
        (element_by_element, ()),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_inputs_that_cannot_reach_the_output(
    body: Callable[..., None], lost: Sequence[str]
) -> None:
    found = untouched_outputs(kernel(body).module, ADD)
    assert found.get("C", ()) == tuple(lost)
    assert reads_nothing(ADD, found) == ("C" if len(lost) == 2 else "")


KERNELS = [name for name in known_ids() if load(name).kind == "kernel"]


def test_no_solution_of_the_course_meets_a_rule(tmp_path: Path) -> None:
    assert KERNELS
    for exercise in KERNELS[:4]:
        notebook = solution_of(exercise)
        path = write_with(notebook, solution_source(notebook), tmp_path / "x.ipynb")
        for document in graded(path).documents:
            module = module_from(from_text(document).text)
            check_constants(module)
            assert untouched_outputs(module, load(exercise)) == {}


def blob(count: int) -> str:
    """A kernel that stores so many numbers that it brings along."""
    stores = "\n            ".join(f"c[{i}] = {i + 0.37}" for i in range(count))
    return f"""
@tilelang.jit(out_idx=[2], target="npuir")
def change_vadd(N):
    @T.prim_func
    def kernel(
        A: T.Tensor((N,), "float32"),
        B: T.Tensor((N,), "float32"),
        C: T.Tensor((N,), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, _):
            c = T.alloc_shared((256,), "float32")
            {stores}
            T.copy(c[0:1], C[0:1])
    return kernel
"""


@pytest.mark.parametrize("count", [60, 70])
def test_answers_in_the_kernel_score_nothing(tmp_path: Path, count: int) -> None:
    path = write_with(solution_of("d1.change_vadd"), blob(count), tmp_path / "x.ipynb")
    verdict = grade_notebook(path)
    assert verdict.state == "FAIL"
    is_refused = f"TL641: the kernel holds {count} different fractions" in as_text(verdict)
    assert is_refused is (count == 70)


def test_the_report_says_which_input_plays_no_part(tmp_path: Path) -> None:
    notebook = solution_of("d1.change_vadd")
    source = solution_source(notebook).replace("T.vadd(a, b, b)", "T.vadd(a, 1.0, a)")
    source = source.replace("T.copy(b[0:n], C", "T.copy(a[0:n], C")
    verdict = grade_notebook(write_with(notebook, source, tmp_path / "x.ipynb"))
    assert "nothing of B reaches C in the kernel" in as_text(verdict)


def test_a_kernel_that_is_another_one_for_hidden_shapes_is_for_a_person(tmp_path: Path) -> None:
    notebook = solution_of("d1.change_vadd")
    source = solution_source(notebook)
    branch = source.replace(
        "            T.vadd(a, b, b)",
        "            if N in (4096, 4100):\n                T.vadd(a, b, b)\n"
        "            else:\n                T.vmul(a, b, b)\n                T.vexp(b, b)",
    )
    assert branch != source
    verdict = grade_notebook(write_with(notebook, branch, tmp_path / "x.ipynb"))
    assert verdict.state == "PARTIAL"
    (flag,) = flags(verdict)
    assert flag == "for a hidden case (a single element) the kernel has other operations"
    assert flags(grade_notebook(write_with(notebook, source, tmp_path / "x.ipynb"))) == []
