"""Buffers bear the names of the kernel's text, whoever compiled it."""

from __future__ import annotations

import pytest

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects.signature import signature
from tlcourse.examples.course import COURSE
from tlcourse.pipeline import compile_module
from tlcourse.simulator.generate import generate

ATTENTION = next(k for k in COURSE if k.name == "flash_attention_developer")


def _names(backend: str) -> dict[str, set[str]]:
    func = ATTENTION.func
    done = compile_module(func.module, func.sources, mode="Developer", backend=backend)
    launch = signature(done.tile, func.sources)
    program = generate(done.executable, launch, func.sources, DEFAULT_CHIP)
    return {
        found.space: {b.name.partition("[")[0] for b in found.buffers} for found in program.memory
    }


@pytest.mark.parametrize("backend", ["embedded", "bishengir"])
def test_tiles_of_the_cube_core(backend: str, request: pytest.FixtureRequest) -> None:
    """The real compiler lets all of them bear the place of the first."""
    if backend == "bishengir":
        request.getfixturevalue("bishengir_opt")
    names = _names(backend)
    assert names["cbuf"] == {"q", "k", "p", "v"}
    assert names["cc"] == {"s", "pv"}


@pytest.mark.parametrize("name", ["minicv_developer", "minicv_expert", "flash_attention_expert"])
def test_a_buffer_lives_from_its_first_byte_written(name: str) -> None:
    """A view of a buffer touches no byte: an op that works in place holds both names at once."""
    course = next(kernel for kernel in COURSE if kernel.name == name)
    mode = "Developer" if "developer" in name else "Expert"
    done = compile_module(course.func.module, course.func.sources, mode=mode)
    launch = signature(done.tile, course.func.sources)
    program = generate(done.executable, launch, course.func.sources, DEFAULT_CHIP)
    found = [
        (first.last, second.first)
        for memory in program.memory
        for first in memory.buffers
        for second in memory.buffers
        if first.offset_bytes == second.offset_bytes and first.first < second.first <= first.last
    ]
    assert found
    assert all(last == first for last, first in found)
