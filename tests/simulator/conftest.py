"""Tiny kernels written in executable HIVM, and what the real compiler made of larger ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.diagnostics import SourceFile
from tlcourse.dialects.text import from_text
from tlcourse.records import Finding, Parameter, Program, Signature, from_json, to_json
from tlcourse.simulator.generate import generate
from tlcourse.simulator.run import SimulatorRun, run

DATA = Path(__file__).parent / "data"
SPACES = {"UB": "ub", "GM": "gm", "L1": "cbuf", "L0C": "cc"}
CONSTANTS = {"c": "i64", "i": "index", "w": "i32"}
PIPES = re.compile(r"\b(set|wait) (\w+) (\w+) (\S+)")


def tensor(name: str, dtype: str, *extents: int | str) -> Parameter:
    """A tensor parameter."""
    texts = tuple(str(extent) for extent in extents)
    return Parameter(name=name, dtype=dtype, kind="tensor", extents=texts)


def symbol(name: str) -> Parameter:
    """A symbol of a shape."""
    return Parameter(name=name, dtype="int32", kind="symbol")


def signature(
    parameters: Sequence[Parameter], blocks: int | str = 1, out_idx: tuple[int, ...] = ()
) -> Signature:
    """How a test kernel is launched."""
    return Signature(
        kernel="tiny",
        mode="Expert",
        target="npuir",
        parameters=tuple(parameters),
        out_idx=out_idx,
        grid=(str(blocks),),
    )


def real_text(name: str) -> str:
    """Executable HIVM that the real compiler made."""
    return (DATA / f"{name}.mlir").read_text()


def program_of(text: str, launch: Signature, source: str = "") -> Program:
    """The Program of a module, written to JSON and read back."""
    sources = {"k": SourceFile(id="k", text=source, title="this cell")}
    made = generate(from_text(text), launch, sources, DEFAULT_CHIP)
    return from_json(Program, to_json(made))


def function(core: str, body: str, parameters: Sequence[Parameter], *, mix: bool) -> str:
    """A device function around lines of HIVM.

    In the lines `UB(64xf32)` is a memref type, `%c8`, `%i8` and `%w8` are constants of i64,
    index and i32, `set V MTE3 0` and `wait V MTE3 0` are flags, `%A1` is tensor A as one row.
    Line n of the text is the location of what stands on it.
    """
    arguments = ["%ffts: i64", "%lock: GM(?xi8)", "%ws: GM(?xi8)"]
    rows: list[str] = []
    for p in parameters:
        if p.kind != "tensor":
            arguments.append(f"%{p.name}: i32")
            continue
        kind = {"float16": "f16", "float32": "f32", "int32": "i32"}[p.dtype]
        count = eval("*".join(p.extents))
        arguments.append(f"%{p.name}: GM(?x{kind})")
        rows.append(
            f"%{p.name}1 = memref.reinterpret_cast %{p.name} to offset: [0], sizes: [{count}], "
            f"strides: [1] : GM(?x{kind}) to GM({count}x{kind})"
        )
    arguments += [f"%g{i}: i32" for i in range(3)]
    for prefix, number in sorted(set(re.findall(r"%([ciw])(\d+)\b", body))):
        kind = CONSTANTS[prefix]
        rows.append(f"%{prefix}{number} = arith.constant {number} : {kind}")
    name = f"tiny_mix_{core.lower()}" if mix else "tiny"
    head = (
        f"func.func @{name}({', '.join(arguments)}) attributes {{"
        "hacc.function_kind = #hacc.function_kind<DEVICE>, "
        f"hivm.func_core_type = #hivm.func_core_type<{core}>}} {{"
    )
    return "\n".join([head, *rows, *_located(body), "return", "}"])


def _located(body: str) -> list[str]:
    lines: list[str] = []
    opened: list[int] = []
    for number, line in enumerate(body.splitlines(), 1):
        text = line.strip()
        place = number
        if text.startswith("}"):
            place = opened.pop()
        if text.endswith("{"):
            opened.append(number)
            lines.append(text)
        elif text:
            lines.append(f'{text} loc("k":{place}:1)')
    return lines


def expand(text: str) -> str:
    """Replaces the short forms by MLIR."""

    def flag(match: re.Match[str]) -> str:
        action, first, second, event = match.groups()
        number = event if event.startswith("%") else f"<EVENT_ID{event}>"
        return f"hivm.hir.{action}_flag[<PIPE_{first}>, <PIPE_{second}>, {number}]"

    def kind(match: re.Match[str]) -> str:
        return f"memref<{match[2]}, #hivm.address_space<{SPACES[match[1]]}>>"

    return re.sub(r"\b(UB|GM|L1|L0C)\(([^()]*)\)", kind, PIPES.sub(flag, text))


class Tiny:
    """Builds and runs tiny kernels."""

    def program(
        self,
        parameters: Sequence[Parameter],
        *,
        vector: str = "",
        cube: str = "",
        blocks: int | str = 1,
        out_idx: tuple[int, ...] = (),
        workspace: int = 0,
    ) -> Program:
        """A Program of the lines for each kind of core."""
        mix = bool(vector and cube)
        parts = ["module {"]
        if workspace:
            parts.append(
                "func.func @tiny_ws() -> index attributes {hacc.function_kind = "
                "#hacc.function_kind<HOST>, hacc.host_func_type = "
                "#hacc.host_func_type<infer_workspace_shape_function>} {\n"
                f"%0 = arith.constant {workspace} : index\nreturn %0 : index\n}}"
            )
        if cube:
            parts.append(function("AIC", cube, parameters, mix=mix))
        if vector:
            parts.append(function("AIV", vector, parameters, mix=mix))
        text = expand("\n".join([*parts, "}"]))
        return program_of(text, signature(parameters, blocks, out_idx), vector or cube)

    def run(
        self,
        parameters: Sequence[Parameter],
        buffers: Sequence[torch.Tensor | int | float],
        **options: object,
    ) -> SimulatorRun:
        """Builds a kernel and launches it."""
        build = {"vector", "cube", "blocks", "out_idx", "workspace"}
        made = self.program(parameters, **{k: v for k, v in options.items() if k in build})
        rest = {k: v for k, v in options.items() if k not in build}
        return run(made, buffers, **{"symbols": {}, **rest})


@pytest.fixture
def tiny() -> Tiny:
    """Builds and runs tiny kernels."""
    return Tiny()


def codes(result: SimulatorRun) -> list[str]:
    """The codes of all findings."""
    return [finding.diagnostic.code for finding in result.findings]


def lines(finding: Finding) -> list[int]:
    """The lines that a finding points at."""
    return [label.span.line for label in finding.diagnostic.labels]


@pytest.fixture
def helpers() -> type[Helpers]:
    """Functions that tests share."""
    return Helpers


class Helpers:
    """Functions that tests share; a namespace, because tests import nothing from each other."""

    tensor = staticmethod(tensor)
    symbol = staticmethod(symbol)
    signature = staticmethod(signature)
    real_text = staticmethod(real_text)
    program_of = staticmethod(program_of)
    codes = staticmethod(codes)
    lines = staticmethod(lines)


# c = a + b on 64 floats; line 5 is the flag behind the loads, line 8 the one behind the sum.
VADD = """%a = hivm.hir.pointer_cast(%c0) : UB(64xf32)
%b = hivm.hir.pointer_cast(%c256) : UB(64xf32)
hivm.hir.load ins(%A1 : GM(64xf32)) outs(%a : UB(64xf32))
hivm.hir.load ins(%B1 : GM(64xf32)) outs(%b : UB(64xf32))
set MTE2 V 0
wait MTE2 V 0
hivm.hir.vadd ins(%a, %b : UB(64xf32), UB(64xf32)) outs(%a : UB(64xf32))
set V MTE3 0
wait V MTE3 0
hivm.hir.store ins(%a : UB(64xf32)) outs(%C1 : GM(64xf32))"""


@pytest.fixture
def vadd_lines() -> str:
    """The lines of a vector add."""
    return VADD


@pytest.fixture
def vadd_launch(tiny: Tiny) -> Callable[..., tuple[SimulatorRun, torch.Tensor, torch.Tensor]]:
    """Launches a changed vector add and gives the run, the result and the sum."""

    def start(vector: str, **options: object) -> tuple[SimulatorRun, torch.Tensor, torch.Tensor]:
        a, b = torch.arange(64.0), torch.arange(64.0) * 2
        c = torch.full((64,), torch.nan)
        names = [tensor(name, "float32", 64) for name in "ABC"]
        result = tiny.run(names, [a, b, c], vector=vector, out_idx=(2,), **options)
        return result, c, a + b

    return start
