"""Code of artefacts: all that tlcourse makes passes, all that does more is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.examples.course import COURSE, CourseKernel
from tlcourse.jit import compile
from tlcourse.ops.code_check import check_program
from tlcourse.records import AgentCode, Program

GOOD = "    x = torch.empty((8, 4), dtype=torch.float32)\n    yield None\n"


@pytest.fixture(scope="module")
def program() -> Program:
    kernel = COURSE[0]
    return compile(kernel.func, mode=kernel.mode).program("functional")


@pytest.mark.parametrize("kernel", COURSE, ids=lambda kernel: kernel.name)
def test_what_tlcourse_makes_passes(kernel: CourseKernel) -> None:
    check_program(compile(kernel.func, mode=kernel.mode).program("functional"), "it")


def checked(program: Program, source: str) -> None:
    code = AgentCode(agent="vector", source=source)
    check_program(replace(program, agents=(code,), options={"batched": None}), "it")


def test_a_small_kernel_passes(program: Program) -> None:
    checked(program, f"def run(core, X, Y):\n{GOOD}")


@pytest.mark.parametrize(
    "line",
    [
        "import os",
        "from os import system",
        "open('x', 'w')",
        "eval('1')",
        "__import__('os')",
        "getattr(torch, 'load')('x')",
        "torch.load('x')",
        "torch.ops.load_library('x')",
        "torch.hub.load('x', 'y')",
        "X.numpy().tofile('x')",
        "X.__class__",
        "().__class__.__base__.__subclasses__()",
        "core.launch",
        "f = lambda: 1",
        "[y for y in range(3)]",
        "exec('1')",
        "X.copy_ = 1",
        "global torch",
        "del X",
        "try:\n        x = 1\n    except ValueError:\n        x = 2",
        "with X:\n        x = 1",
        "class A:\n        x = 1",
        "def run2():\n        x = 1",
        "print(f'{X}')",
        "numeric.torch",
        "math.floor(2.5)",
    ],
)
def test_more_than_tiles_is_refused(program: Program, line: str) -> None:
    with pytest.raises(TLError, match="TL482"):
        checked(program, f"def run(core, X, Y):\n    {line}\n{GOOD}")


@pytest.mark.parametrize(
    "head",
    [
        "x = 1\ndef run(core):\n",
        "@torch.compile\ndef run(core):\n",
        "def run(core, x=torch.empty(1)):\n",
        "def run(core, x: torch.empty(1)):\n",
        "def go(core):\n",
        "async def run(core):\n",
        "def run(core)\n",
        "def run(core, *, x=1):\n",
    ],
)
def test_more_than_one_plain_function_is_refused(program: Program, head: str) -> None:
    with pytest.raises(TLError, match="TL482"):
        checked(program, head + GOOD)


def test_the_code_for_groups_of_blocks_is_read_too(program: Program) -> None:
    hidden = {"batched": {"blocks": 2, "source": "def run(core):\n    open('x')\n"}}
    with pytest.raises(TLError, match="TL482"):
        check_program(replace(program, options=hidden), "it")
