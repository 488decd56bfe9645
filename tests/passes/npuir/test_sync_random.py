"""Random programs through both sync passes, run with every instruction as early as flags allow.

The checker below is a second model of the pipes, written apart from the solver: it executes
the IR, gives each instruction a start and an end, and asks of every two instructions that
touch the same bytes whether the end of the first must come before the start of the second.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import combinations

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.hivm.core import PointerCastOp
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.hivm.sync import PipeBarrierOp, SetFlagOp, WaitFlagOp
from tlcourse.dialects.text import from_text
from tlcourse.passes.npuir.buffers import kind_of, size_bytes
from tlcourse.passes.npuir.functions import DevicePass, device_functions
from tlcourse.passes.npuir.hivm_enable_multi_buffer import HivmEnableMultiBufferPass
from tlcourse.passes.npuir.hivm_graph_sync_solver import HivmGraphSyncSolverPass
from tlcourse.passes.npuir.hivm_inject_sync import HivmInjectSyncPass

IN_ORDER = ("PIPE_S", "PIPE_M", "PIPE_FIX", "PIPE_MTE1")
SOLVERS = (HivmGraphSyncSolverPass, HivmInjectSyncPass)
GM = "memref<64xf32, #hivm.address_space<gm>>"


@dataclass
class Node:
    pipe: str
    reads: list = field(default_factory=list)
    writes: list = field(default_factory=list)
    name: str = ""
    is_set: tuple | None = None
    is_wait: tuple | None = None
    is_barrier: bool = False


class Machine:
    """Executes a function and collects its instructions in program order."""

    def __init__(self, function: func.FuncOp, arguments: dict[SSAValue, object]) -> None:
        self.values: dict[SSAValue, object] = dict(arguments)
        self.nodes: list[Node] = []
        self.block(function.body.block)

    def block(self, block: Block) -> None:
        for op in block.ops:
            self.op(op)

    def op(self, op: Operation) -> None:
        value = lambda v: self.values[v]  # noqa: E731
        match op:
            case arith.ConstantOp():
                assert isinstance(op.value, IntegerAttr)
                self.values[op.result] = op.value.value.data
            case arith.ExtSIOp() | arith.IndexCastOp() | arith.TruncIOp():
                self.values[op.results[0]] = value(op.operands[0])
            case arith.RemSIOp():
                self.values[op.result] = value(op.lhs) % value(op.rhs)
            case arith.AddiOp():
                self.values[op.result] = value(op.lhs) + value(op.rhs)
            case arith.CmpiOp():
                assert op.predicate.value.data == 0
                self.values[op.result] = value(op.lhs) == value(op.rhs)
            case arith.SelectOp():
                self.values[op.result] = value(op.lhs if value(op.cond) else op.rhs)
            case PointerCastOp():
                start = value(op.addrs[0])
                end = start + size_bytes(kind_of(op.result))
                space = kind_of(op.result).memory_space
                self.values[op.result] = (str(space), start, end)
            case scf.ForOp():
                for number in range(value(op.lb), value(op.ub), value(op.step)):
                    self.values[op.body.block.args[0]] = number
                    self.block(op.body.block)
            case scf.IfOp():
                region = op.true_region if value(op.cond) else op.false_region
                if region.blocks:
                    self.block(region.block)
            case SetFlagOp() | WaitFlagOp():
                event = op.event if isinstance(op.event, int) else value(op.event)
                key = (op.set_pipe.data, op.wait_pipe.data, event)
                if isinstance(op, SetFlagOp):
                    self.nodes.append(Node(key[0], is_set=key, name="set"))
                else:
                    self.nodes.append(Node(key[1], is_wait=key, name="wait"))
            case PipeBarrierOp():
                self.nodes.append(Node(op.pipe.data, is_barrier=True, name="barrier"))
            case MmadL1Op():
                self.matrix(op)
            case PipeOp():
                reads = [value(v) for v in op.sources()]
                self.nodes.append(
                    Node(op.pipe, reads, [value(v) for v in op.destinations()], op.name)
                )
            case _:
                pass

    def matrix(self, op: MmadL1Op) -> None:
        sync = [self.values[v] for v in op.sync_related_args]
        for tile, ready, free in ((op.a, 0, 2), (op.b, 1, 3)):
            if sync[ready] != -1:
                key = ("PIPE_MTE2", "PIPE_MTE1", sync[ready])
                self.nodes.append(Node("PIPE_MTE1", is_wait=key, name="wait"))
            self.nodes.append(Node("PIPE_MTE1", [self.values[tile]], [], "l1 to l0"))
            if sync[free] != -1:
                key = ("PIPE_MTE1", "PIPE_MTE2", sync[free])
                self.nodes.append(Node("PIPE_MTE1", is_set=key, name="set"))
        c = self.values[op.c]
        self.nodes.append(Node("PIPE_M", [c], [c], "mmad"))


def problems(nodes: list[Node]) -> list[str]:
    """What is wrong: flags out of balance, a deadlock, or two accesses that may swap."""
    sets, waits = defaultdict(list), defaultdict(list)
    for index, node in enumerate(nodes):
        if node.is_set:
            sets[node.is_set].append(index)
        if node.is_wait:
            waits[node.is_wait].append(index)
    if {k: len(v) for k, v in sets.items()} != {k: len(v) for k, v in waits.items()}:
        return ["flags out of balance"]
    after = _edges(nodes, sets, waits)
    order = _topological(after)
    if order is None:
        return ["deadlock"]
    reach = [0] * len(after)
    for point in reversed(order):
        for following in after[point]:
            reach[point] |= reach[following] | 1 << following
    found = []
    for x, y in combinations(range(len(nodes)), 2):
        a, b = nodes[x], nodes[y]
        if (a.pipe == b.pipe and a.pipe in IN_ORDER) or not _conflict(a, b):
            continue
        if not reach[2 * x + 1] >> (2 * y) & 1:
            found.append(f"{x} {a.name} on {a.pipe} and {y} {b.name} on {b.pipe}")
    return found


def _edges(nodes, sets, waits) -> list[list[int]]:
    """Points 2i and 2i + 1 are start and end of instruction i."""
    after: list[list[int]] = [[] for _ in range(2 * len(nodes))]
    earlier: dict[str, list[int]] = defaultdict(list)
    held: dict[str, int] = {}
    everything: list[int] = []
    for index, node in enumerate(nodes):
        after[2 * index].append(2 * index + 1)
        before = everything if node.pipe == "PIPE_ALL" else earlier[node.pipe]
        if node.is_set or node.is_barrier:
            for other in before:
                after[2 * other + 1].append(2 * index)
        elif before:
            after[2 * before[-1]].append(2 * index)
        for holder in (held.get(node.pipe), held.get("PIPE_ALL")):
            if holder is not None:
                after[2 * holder + 1].append(2 * index)
        if node.is_wait or node.is_barrier:
            held["PIPE_ALL" if node.pipe == "PIPE_S" else node.pipe] = index
        earlier[node.pipe].append(index)
        everything.append(index)
    for key, raised in sets.items():
        for first, second in zip(raised, waits[key], strict=True):
            after[2 * first + 1].append(2 * second + 1)
    return after


def _topological(after: list[list[int]]) -> list[int] | None:
    missing = [0] * len(after)
    for targets in after:
        for target in targets:
            missing[target] += 1
    ready = [point for point, count in enumerate(missing) if not count]
    order = []
    while ready:
        point = ready.pop()
        order.append(point)
        for target in after[point]:
            missing[target] -= 1
            if not missing[target]:
                ready.append(target)
    return order if len(order) == len(after) else None


def _conflict(a: Node, b: Node) -> bool:
    pairs = [(w, o) for w in a.writes for o in b.reads + b.writes]
    pairs += [(r, w) for r in a.reads for w in b.writes]
    return any(_meet(x, y) for x, y in pairs)


def _meet(x, y) -> bool:
    if not isinstance(x, tuple) or not isinstance(y, tuple):
        return isinstance(x, str) and x == y
    return x[0] == y[0] and x[1] < y[2] and y[1] < x[2]


class Author:
    """Writes a random function: loops, ifs, buffers with one or two copies."""

    def __init__(self, seed: int, *, cube: bool) -> None:
        self.random = random.Random(seed)
        self.cube = cube
        self.lines: list[str] = []
        self.count = 0
        self.space = "cbuf" if cube else "ub"
        self.kind = self._type(self.space)

    def text(self) -> str:
        self.body([self.buffer(1) for _ in range(3)], None, depth=0)
        core = "AIC" if self.cube else "AIV"
        inner = "\n".join(self.lines)
        constants = "\n".join(
            [f"%a{n} = arith.constant {n} : i64" for n in range(0, 4096, 256)]
            + [f"%n{n} = arith.constant {n} : i32" for n in range(6)]
            + ["%true = arith.constant true", "%m = arith.constant 16 : index"]
        )
        return (
            f"func.func @f(%g: {GM}, %h: {GM}) attributes "
            f"{{hivm.func_core_type = #hivm.func_core_type<{core}>}} {{\n{constants}\n{inner}\n"
            "return }"
        )

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def _type(self, space: str) -> str:
        shape = "1x1x16x16xf16" if self.cube else "64xf32"
        return f"memref<{shape}, #hivm.address_space<{space}>>"

    def buffer(self, copies: int, space: str = "") -> str:
        name, space = self.fresh(), space or self.space
        addresses = self.random.sample(range(0, 1536, 256), copies)
        inner = ", ".join(f"%a{address}" for address in addresses)
        self.lines.append(f"{name} = hivm.hir.pointer_cast({inner}) : {self._type(space)}")
        return name

    def body(self, buffers: list[str], loop: str | None, depth: int) -> None:
        for _ in range(self.random.randint(2, 5)):
            choice = self.random.random()
            if depth < 2 and choice < 0.2:
                self.loop(buffers, depth)
            elif loop is not None and depth < 3 and choice < 0.35:
                self.branch(buffers, loop, depth)
            else:
                self.work(buffers)

    def loop(self, buffers: list[str], depth: int) -> None:
        variable = self.fresh()
        trips = self.random.choice([1, 2, 3, 4, 5])
        self.lines.append(f"scf.for {variable} = %n0 to %n{trips} step %n1 : i32 {{")
        own = [self.buffer(self.random.choice([1, 2, 2, 3]))]
        self.body(buffers + own, variable, depth + 1)
        self.lines.append("}")

    def branch(self, buffers: list[str], loop: str, depth: int) -> None:
        rest, flag = self.fresh(), self.fresh()
        self.lines.append(f"{rest} = arith.remsi {loop}, %n2 : i32")
        self.lines.append(f"{flag} = arith.cmpi eq, {rest}, %n0 : i32")
        self.lines.append(f"scf.if {flag} {{")
        self.body(buffers, None, depth + 1)
        if self.random.random() < 0.5:
            self.lines.append("} else {")
            self.body(buffers, None, depth + 1)
        self.lines.append("}")

    def work(self, buffers: list[str]) -> None:
        a, b, c = (self.random.choice(buffers) for _ in range(3))
        gm = self.random.choice(["%g", "%h"])
        if self.cube:
            self.matrix_work(a, b, gm)
            return
        t = self.kind
        self.lines.append(
            self.random.choice(
                [
                    f"hivm.hir.load ins({gm} : {GM}) outs({a} : {t})",
                    f"hivm.hir.store ins({a} : {t}) outs({gm} : {GM})",
                    f"hivm.hir.vexp ins({a} : {t}) outs({b} : {t})",
                    f"hivm.hir.vadd ins({a}, {b} : {t}, {t}) outs({c} : {t})",
                ]
            )
        )

    def matrix_work(self, a: str, b: str, gm: str) -> None:
        t, cc = self.kind, self._type("cc")
        move = f"hivm.hir.nd2nz {{dst_continuous}} ins({gm} : {GM}) outs({a} : {t})"
        if self.random.random() < 0.5:
            self.lines.append(move)
            return
        c = self.buffer(1, "cc")
        if self.random.random() < 0.3:
            self.lines.append(f"hivm.hir.fixpipe ins({c} : {cc}) outs({gm} : {GM})")
            return
        self.lines.append(
            f"hivm.hir.mmadL1 ins({a}, {b}, %true, %m, %m, %m : {t}, {t}, i1, index, index, index)"
            f" outs({c} : {cc})"
        )


def _run(seed: int, cube: bool, solver: type[DevicePass] | None) -> list[str]:
    module = from_text(Author(seed, cube=cube).text())
    if solver is not None:
        solver().apply(Context(), module)
    HivmEnableMultiBufferPass().apply(Context(), module)
    module.verify()
    function = next(iter(device_functions(module)))
    arguments = dict(zip(function.body.block.args, ("g", "h"), strict=True))
    return problems(Machine(function, arguments).nodes)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(40))
def test_no_two_accesses_of_a_random_vector_program_may_swap(
    seed: int, solver: type[DevicePass]
) -> None:
    assert _run(seed, False, solver) == []


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(40))
def test_no_two_accesses_of_a_random_cube_program_may_swap(
    seed: int, solver: type[DevicePass]
) -> None:
    assert _run(seed, True, solver) == []


def test_the_checker_sees_missing_flags() -> None:
    """Without a solver most random programs are wrong, and the checker says so."""
    wrong = sum(bool(_run(seed, False, None)) for seed in range(20))
    assert wrong >= 15
