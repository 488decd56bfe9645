"""The course's kernels: no finding and torch's numbers in every way of compiling and running."""

from __future__ import annotations

import pytest
import torch
import torch_npu  # noqa: F401 - adds `.npu()`

from tlcourse.examples.course import COURSE, CourseKernel
from tlcourse.jit import Kernel
from tlcourse.jit import compile as compile_kernel
from tlcourse.tolerance import tolerance

WAYS = {
    "functional": {"execution": "functional"},
    "simulator": {"execution": "simulator"},
    "simulator, all blocks": {"execution": "simulator", "checks": "all"},
    "simulator, another order": {"execution": "simulator", "seed": 7},
    "simulator, real compiler": {"execution": "simulator", "backend": "bishengir"},
}
KERNELS: dict[str, CourseKernel] = {kernel.name: kernel for kernel in COURSE}


@pytest.fixture(scope="module")
def compiled() -> dict[str, Kernel]:
    return {}


def _kernel(course: CourseKernel, compiled: dict[str, Kernel]) -> Kernel:
    """Compiled once for all ways; the launch allocates the outputs, so that holes are seen."""
    found = compiled.get(course.name)
    if found is None:
        first = len(course.inputs())
        outputs = len(course.wanted(course.inputs()))
        places = list(range(first, first + outputs))
        found = compile_kernel(course.func, out_idx=places, mode=course.mode)
        compiled[course.name] = found
    return found


def _launch(course: CourseKernel, kernel: Kernel, way: str):
    workspaces = [torch.full(shape, float("nan"), dtype=kind) for shape, kind in course.workspaces]
    tensors = [one.npu() for one in (*course.inputs(), *workspaces)]
    return kernel.launch(*tensors, **WAYS[way])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", KERNELS)
def test_no_finding_and_torch_s_numbers(
    name: str, way: str, compiled: dict[str, Kernel], request: pytest.FixtureRequest
) -> None:
    if "real compiler" in way:
        request.getfixturevalue("bishengir_opt")
    course = KERNELS[name]
    launch = _launch(course, _kernel(course, compiled), way)
    assert launch.findings == ()
    for got, want in zip(launch.outputs, course.wanted(course.inputs()), strict=True):
        assert got.dtype == want.dtype
        limit = tolerance(str(want.dtype).removeprefix("torch."))
        torch.testing.assert_close(got.cpu(), want, rtol=limit, atol=limit)


@pytest.mark.parametrize("name", KERNELS)
def test_executors_differ_by_rounding_alone(name: str, compiled: dict[str, Kernel]) -> None:
    """They use the same sums on the same tiles: what is left is the last digit, if anything."""
    course = KERNELS[name]
    kernel = _kernel(course, compiled)
    functional, simulator = (
        _launch(course, kernel, way).outputs for way in ("functional", "simulator")
    )
    for one, other in zip(functional, simulator, strict=True):
        limit = tolerance(str(one.dtype).removeprefix("torch."))
        torch.testing.assert_close(one.cpu(), other.cpu(), rtol=limit, atol=limit / 10)
