"""From a kernel to generated MLIR, and on through the real compiler."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from tlcourse.bishengir import compile_text
from tlcourse.codegen import generate
from tlcourse.dialects.signature import stamp
from tlcourse.dialects.text import from_text, to_text
from tlcourse.language import PrimFunc
from tlcourse.records import Mode


@dataclass(frozen=True, kw_only=True)
class Generated:
    """Generated MLIR with the questions that tests ask of it."""

    module: ModuleOp

    @property
    def text(self) -> str:
        return to_text(self.module)

    @property
    def functions(self) -> list[FuncOp]:
        return [op for op in self.module.body.block.ops if isinstance(op, FuncOp)]

    @property
    def counts(self) -> Counter[str]:
        return Counter(op.name for op in self.module.walk())

    def lines(self, op_name: str) -> list[str]:
        """The lines of the text that hold an op, without indent and types."""
        found = [line.strip().split(" : ")[0] for line in self.text.splitlines()]
        return [line for line in found if re.search(rf"\b{re.escape(op_name)}\b", line)]


Lower = Callable[..., Generated]
Compiled = Callable[..., str]


def _generate(func: PrimFunc, mode: Mode) -> Generated:
    stamp(func.module, mode=mode, target="npuir", out_idx=(), pass_configs={})
    module = generate(func.module, func.sources)
    module.verify()
    return Generated(module=module)


@pytest.fixture
def lower() -> Lower:
    """Generates MLIR for a kernel in a mode."""
    return _generate


@pytest.fixture
def compiled(bishengir_opt: Path) -> Compiled:
    """Generates MLIR and compiles it with the real compiler; gives executable HIVM as text."""

    def run(func: PrimFunc, mode: Mode) -> str:
        text = to_text(_generate(func, mode).module, locations=True)
        return compile_text(text, mode=mode, sources=func.sources)

    return run


@pytest.fixture
def minicv() -> Callable[[Mode], PrimFunc]:
    """MiniCV at the size of the course: 1024 x 1024 x 512 in tiles of 128 x 256 x 64."""
    import tlcourse  # noqa: F401  (serves `tilelang`)
    from tlcourse.examples.minicv import minicv_developer, minicv_expert

    forms = {"Developer": minicv_developer, "Expert": minicv_expert}
    return lambda mode: forms[mode](1024, 1024, 512, 128, 256, 64)


@pytest.fixture
def readable() -> Callable[[str], ModuleOp]:
    """Reads MLIR text and checks it."""

    def read(text: str) -> ModuleOp:
        module = from_text(text)
        module.verify()
        return module

    return read
