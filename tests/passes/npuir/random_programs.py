"""Random programs of one core in HIVM, without flags: straight lines, loops and ifs.

What a program computes is bounded and every buffer is filled first, so that a finding of the
simulator can only be about order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tests.simulator.conftest import expand, function, signature, tensor
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.diagnostics import SourceFile
from tlcourse.dialects.text import from_text
from tlcourse.passes.npuir.hivm_enable_multi_buffer import HivmEnableMultiBufferPass
from tlcourse.simulator.generate import generate
from tlcourse.simulator.run import SimulatorRun, run

_SLOT_BYTES = 2048  # of L1, UB and L0C alike: each buffer fits into one


@dataclass(frozen=True, kw_only=True)
class Buffer:
    """A buffer and the slots that its copies lie in."""

    space: str
    slots: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Work:
    """One instruction; its numbers choose among the buffers and tensors in reach."""

    kind: str
    picks: tuple[int, int, int]


@dataclass(frozen=True, kw_only=True)
class Loop:
    """A loop with buffers of its own, which each turn fills again."""

    trips: int
    buffers: tuple[Buffer, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, kw_only=True)
class Branch:
    """An if on the parity of the loop around it; without a loop its condition is constant."""

    body: tuple[Statement, ...]
    other: tuple[Statement, ...]


Statement = Work | Loop | Branch


@dataclass(frozen=True, kw_only=True)
class Program:
    """A function of a vector or cube core."""

    cube: bool
    buffers: tuple[Buffer, ...]
    body: tuple[Statement, ...]


def programs(*, cube: bool, straight: bool = False) -> st.SearchStrategy[Program]:
    """Programs with three buffers outside all loops, or six on a cube core."""
    outside = st.tuples(*[_buffers(space, 1) for space in _spaces(cube) for _ in range(3)])
    body = _bodies(cube, depth=0 if straight else 2)
    return st.builds(Program, cube=st.just(cube), buffers=outside, body=body)


def _spaces(cube: bool) -> tuple[str, ...]:
    return ("L1", "L0C") if cube else ("UB",)


def _buffers(space: str, most_copies: int) -> st.SearchStrategy[Buffer]:
    slots = st.lists(st.integers(0, 4), min_size=1, max_size=most_copies, unique=True).map(tuple)
    return st.builds(Buffer, space=st.just(space), slots=slots)


def _bodies(cube: bool, depth: int) -> st.SearchStrategy[tuple[Statement, ...]]:
    kinds = ("fill", "multiply", "drain") if cube else ("fill", "drain", "abs", "max")
    pick = st.integers(0, 9)
    statement: st.SearchStrategy[Statement] = st.builds(
        Work, kind=st.sampled_from(kinds), picks=st.tuples(pick, pick, pick)
    )
    if depth:
        inner = _bodies(cube, depth - 1)
        own = st.tuples(*[_buffers(space, 3) for space in _spaces(cube)])
        loop = st.builds(Loop, trips=st.integers(1, 5), buffers=own, body=inner)
        branch = st.builds(Branch, body=inner, other=st.one_of(st.just(()), inner))
        statement = st.one_of(statement, loop, branch)
    return st.lists(statement, min_size=1, max_size=6).map(tuple)


def text_of(program: Program) -> str:
    """The program as a module; line n of the function's body is the location of its op."""
    lines = _Writer(program).lines
    core = "AIC" if program.cube else "AIV"
    made = function(core, "\n".join(lines), _parameters(program), mix=False)
    return expand(f"module {{\n{made}\n}}")


def _parameters(program: Program) -> list:
    if program.cube:
        return [tensor("A", "float16", 16, 16), tensor("C", "float32", 16, 16)]
    return [tensor(name, "float32", 64) for name in "AB"]


class _Writer:
    def __init__(self, program: Program) -> None:
        self.cube = program.cube
        self.lines: list[str] = ["%true = arith.constant true"]
        self.count = 0
        if self.cube:
            self.lines += [_matrix("A", "f16"), _matrix("C", "f32")]
        self._body(self._fresh(program.buffers, {"L1": [], "L0C": [], "UB": []}), program.body, "")

    def _fresh(
        self, buffers: Sequence[Buffer], known: dict[str, list[str]]
    ) -> dict[str, list[str]]:
        """The buffers in reach with new ones among them, which are filled."""
        reach = {space: list(names) for space, names in known.items()}
        for buffer in buffers:
            name = self._name()
            addresses = ", ".join(f"%c{_SLOT_BYTES * slot}" for slot in buffer.slots)
            self.lines.append(
                f"{name} = hivm.hir.pointer_cast({addresses}) : {_KINDS[buffer.space]}"
            )
            reach[buffer.space].append(name)
            kind = "multiply" if buffer.space == "L0C" else "fill"
            self._work(Work(kind=kind, picks=(-1, -1, -1)), reach)
        return reach

    def _name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def _body(self, reach: dict[str, list[str]], body: Sequence[Statement], turn: str) -> None:
        for statement in body:
            if isinstance(statement, Work):
                self._work(statement, reach)
            elif isinstance(statement, Loop):
                variable = self._name()
                self.lines.append(
                    f"scf.for {variable} = %w0 to %w{statement.trips} step %w1 : i32 {{"
                )
                self._body(self._fresh(statement.buffers, reach), statement.body, variable)
                self.lines.append("}")
            else:
                self._branch(statement, reach, turn)

    def _branch(self, branch: Branch, reach: dict[str, list[str]], turn: str) -> None:
        rest, flag = self._name(), self._name()
        self.lines.append(f"{rest} = arith.remsi {turn or '%w1'}, %w2 : i32")
        self.lines.append(f"{flag} = arith.cmpi eq, {rest}, %w0 : i32")
        self.lines.append(f"scf.if {flag} {{")
        self._body(reach, branch.body, turn)
        if branch.other:
            self.lines.append("} else {")
            self._body(reach, branch.other, turn)
        self.lines.append("}")

    def _work(self, work: Work, reach: dict[str, list[str]]) -> None:
        tiles = reach["L1" if self.cube else "UB"]
        a, b, c = (tiles[pick if pick < 0 else pick % len(tiles)] for pick in work.picks)
        sums = reach["L0C"] or [""]
        total = sums[work.picks[2] if work.picks[2] < 0 else work.picks[2] % len(sums)]
        gm = "%A1" if work.picks[1] % 2 else "%B1"
        texts = _CUBE if self.cube else _VECTOR
        self.lines.append(texts[work.kind].format(a=a, b=b, c=c, gm=gm, total=total, **_KINDS))


def _matrix(name: str, dtype: str) -> str:
    return (
        f"%{name}2 = memref.reinterpret_cast %{name} to offset: [0], sizes: [16, 16], "
        f"strides: [16, 1] : GM(?x{dtype}) to GM(16x16x{dtype})"
    )


_KINDS = {
    "UB": "UB(64xf32)",
    "L1": "L1(1x1x16x16xf16)",
    "L0C": "L0C(1x1x16x16xf32)",
    "GM": "GM(64xf32)",
}
_VECTOR = {
    "fill": "hivm.hir.load ins({gm} : {GM}) outs({a} : {UB})",
    "drain": "hivm.hir.store ins({a} : {UB}) outs({gm} : {GM})",
    "abs": "hivm.hir.vabs ins({a} : {UB}) outs({b} : {UB})",
    "max": "hivm.hir.vmax ins({a}, {b} : {UB}, {UB}) outs({c} : {UB})",
}
_CUBE = {
    "fill": "hivm.hir.nd2nz {{dst_continuous}} ins(%A2 : GM(16x16xf16)) outs({a} : {L1}) "
    "init_out_buffer = false",
    "multiply": "hivm.hir.mmadL1 ins({a}, {b}, %true, %i16, %i16, %i16 : {L1}, {L1}, i1, index, "
    "index, index) outs({total} : {L0C})",
    "drain": "hivm.hir.fixpipe {{enable_nz2nd}} ins({total} : {L0C}) outs(%C2 : GM(16x16xf32))",
}


def ordered(program: Program, *passes: ModulePass) -> ModuleOp:
    """The module after passes."""
    module = from_text(text_of(program))
    for one in passes:
        one.apply(Context(), module)
        module.verify()
    return module


def launched(
    program: Program, module: ModuleOp, seed: int = 0
) -> tuple[SimulatorRun, list[torch.Tensor]]:
    """Runs a module with ids of flags chosen, on small numbers, with all checks.

    Returns:
        the run, and what it left in the tensors.
    """
    executable = module.clone()
    HivmEnableMultiBufferPass().apply(Context(), executable)
    sources = {"k": SourceFile(id="k", text=text_of(program), title="program")}
    made = generate(executable, signature(_parameters(program)), sources, DEFAULT_CHIP)
    tensors = [
        torch.arange(256.0).reshape(16, 16).remainder(7).half() - 3 if program.cube else values
        for values in (torch.arange(64.0) - 32, 20 - torch.arange(64.0))
    ]
    if program.cube:
        tensors[1] = torch.zeros(16, 16)
    return run(made, tensors, symbols={}, checks="all", seed=seed), tensors
