"""Kernels as Tile IR text, and one call that generates, runs and checks the layer's promises."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pytest
import torch

from tlcourse.diagnostics import SourceFile
from tlcourse.dialects.signature import stamp
from tlcourse.dialects.text import from_text
from tlcourse.functional.generate import generate
from tlcourse.functional.run import FunctionalRun, run
from tlcourse.records import Mode, Program, from_json, to_json

MLIR = {
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "bool": "i1",
}
# Each line of a source starts a word at every column that the kernels below point to.
SOURCE = SourceFile(
    id="kernel.py",
    text="\n".join(f"line{number}(A, B)" for number in range(1, 40)),
    title="kernel.py",
)


def mem(dtype: str, *shape: int | str, scope: str = "global") -> str:
    """The MLIR type of a buffer."""
    dims = "x".join(map(str, shape))
    return f'memref<{dims}x{MLIR[dtype]}, #tl.scope<"{scope}">>'


def at(line: int) -> str:
    """The location of a line of SOURCE."""
    return f'loc("{SOURCE.id}":{line}:1)'


@dataclass(frozen=True, kw_only=True)
class Param:
    """A parameter of a kernel: a tensor with extents, a scalar without, or a symbol."""

    name: str
    dtype: str = "int32"
    shape: tuple[int | str, ...] = ()
    kind: str = "tensor"

    @property
    def text(self) -> str:
        dims = ["?" if isinstance(extent, str) else extent for extent in self.shape]
        kind = mem(self.dtype, *dims) if self.shape else MLIR[self.dtype]
        extents = ", ".join(f'"{extent}"' for extent in self.shape)
        return (
            f'%{self.name} : {kind} {{tl.name = "{self.name}", tl.dtype = "{self.dtype}", '
            f'tl.kind = "{self.kind if self.shape == () else "tensor"}", tl.extents = [{extents}]}}'
        )


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """A kernel: parameters, what stands before `tl.kernel`, grid values, body."""

    params: tuple[Param, ...]
    before: str = ""
    grid: tuple[str, ...] = ("%one",)
    body: str
    mode: Mode = "Expert"

    def text(self) -> str:
        params = ", ".join(param.text for param in self.params)
        names = ("%cid", "%by", "%vid") if len(self.grid) == 2 else ("%cid", "%vid")
        blocks = ", ".join(f"{name} : i32" for name in names)
        return f"""builtin.module {{
func.func @k({params}) {{
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %true = arith.constant true
  {self.before}
  tl.kernel({", ".join(self.grid)}) {{
  ^bb0({blocks}):
{self.body}
  }}
  func.return
}}
}}"""

    def program(self) -> Program:
        module = from_text(self.text())
        stamp(module, mode=self.mode, target="npuir", out_idx=(), pass_configs={})
        return generate(module, {SOURCE.id: SOURCE})


Runner = Callable[..., FunctionalRun]


@pytest.fixture
def launch() -> Runner:
    """Runs a kernel from the JSON of its Program, as a precompiled package does."""

    def start(
        kernel: Kernel,
        *buffers: torch.Tensor | int | float,
        symbols: Mapping[str, int] | None = None,
        step_limit: int = 10**8,
    ) -> FunctionalRun:
        program = from_json(Program, to_json(kernel.program()))
        return run(program, buffers, symbols=symbols or {}, step_limit=step_limit)

    return start


def codes(result: FunctionalRun) -> Sequence[str]:
    """The codes of a run's findings."""
    return [finding.diagnostic.code for finding in result.findings]
