"""A chain of passes on one kernel, one of them with a fault, for a search by halves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import cast

import tilelang.language as T
import torch
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import OpResult, SSAValue
from xdsl.passes import ModulePass

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects import tl
from tlcourse.dialects.signature import stamp
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.launch import launch_program
from tlcourse.jit.settings import Settings
from tlcourse.language import PrimFunc
from tlcourse.passes.tir.npu_loop_vectorize import NpuLoopVectorizePass
from tlcourse.passes.tir.remove_no_op import RemoveNoOpPass
from tlcourse.passes.tir.simplify import SimplifyPass

_BINARY = frozenset({"tl.vadd", "tl.vmul", "tl.vmax", "tl.vmin", "tl.vsub", "tl.vdiv"})


@dataclass(frozen=True)
class OrderOperandsPass(ModulePass):
    """Sorts the two operands of an op by the order of their allocations: equal ops look equal.

    It does so for each of `kinds`, and there lies its fault: not all of them may be turned.
    """

    name = "OrderOperands"

    kinds: frozenset[str] = _BINARY

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        tiles = [one for one in op.walk() if isinstance(one, tl.AllocOp)]
        places = {tile: number for number, tile in enumerate(tiles)}

        def place(value: SSAValue) -> int:
            owner = value.owner if isinstance(value, OpResult) else None
            return places[owner] if isinstance(owner, tl.AllocOp) else len(places)

        for one in op.walk():
            if one.name in self.kinds and place(one.operands[0]) > place(one.operands[1]):
                one.operands[0], one.operands[1] = one.operands[1], one.operands[0]


@dataclass(frozen=True)
class DropSelfCopiesPass(ModulePass):
    """Removes a copy of a tile to itself."""

    name = "DropSelfCopies"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        same = [one for one in op.walk() if one.name == "tl.copy" and _is_to_itself(one.operands)]
        for one in same:
            one.detach()
            one.erase()


def _is_to_itself(operands: object) -> bool:
    first, second = cast("tuple[SSAValue, SSAValue]", operands)
    return first is second


CHAIN: tuple[ModulePass, ...] = (
    SimplifyPass(),
    NpuLoopVectorizePass(),
    DropSelfCopiesPass(),
    OrderOperandsPass(),
    SimplifyPass(),
    RemoveNoOpPass(),
)
NAMES = (
    "Simplify",
    "NpuLoopVectorize",
    "DropSelfCopies",
    "OrderOperands",
    "Simplify again",
    "RemoveNoOp",
)
"""The passes in their order, by the names that answers use."""


def steps():
    """max(3 (b - a), a) + b on one tile."""

    @T.prim_func
    def kernel(
        A: T.Tensor((16, 64), "float32"),
        B: T.Tensor((16, 64), "float32"),
        C: T.Tensor((16, 64), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a = T.alloc_shared((16, 64), "float32")
            b = T.alloc_shared((16, 64), "float32")
            c = T.alloc_shared((16, 64), "float32")
            unused = cid * 3  # noqa: F841
            T.copy(A, a)
            T.copy(B, b)
            T.copy(b, b)
            for i, j in T.Parallel(16, 64):
                c[i, j] = b[i, j] - a[i, j]
            T.vmul(c, 3.0, c)
            T.vmax(c, a, c)
            T.vadd(c, b, c)
            T.copy(c, C)

    return kernel


def _made(chain: tuple[ModulePass, ...]) -> tuple[ModuleOp, PrimFunc]:
    function = cast("PrimFunc", steps())
    module = function.module.clone()
    stamp(module, mode="Developer", target="npuir", out_idx=(2,), pass_configs={})
    for one in chain:
        one.apply(Context(), module)
    module.verify()
    return module, function


def text_after(count: int) -> str:
    """The kernel's body after the first `count` passes, without the types of its tiles."""
    lines = str(_made(CHAIN[:count])[0]).splitlines()
    first = next(number for number, line in enumerate(lines) if "tl.kernel" in line)
    return "\n".join(re.sub(r" : [^()]*", "", line[4:]) for line in lines[first:-2])


def error_after(count: int) -> float:
    """The largest error of the numbers after the first `count` passes, against torch."""
    return _error(CHAIN[:count])


def _error(chain: tuple[ModulePass, ...]) -> float:
    module, function = _made(chain)
    settings = Settings(
        mode="Developer",
        target="npuir",
        pass_configs={},
        chip=DEFAULT_CHIP,
        backend="embedded",
        execution="functional",
        checks="class",
        cache_folder=None,
    )
    program = Kernel(module, function.sources, settings).program("functional")
    generator = torch.Generator().manual_seed(0)
    A, B = (torch.rand(16, 64, generator=generator) for _ in range(2))
    launch = launch_program(program, [A, B], chip=DEFAULT_CHIP, checks="class", allow_cpu=True)
    return (launch.outputs[0] - (torch.maximum(3 * (B - A), A) + B)).abs().max().item()


@cache
def guilty() -> str:
    """The pass after which the numbers are wrong for the first time."""
    return next(n for count, n in enumerate(NAMES, 1) if error_after(count) > 1e-4)


@cache
def spoilt() -> str:
    """The kind of op that may not be turned: the pass is wrong where it turns this kind alone."""
    before = CHAIN[: NAMES.index(guilty())]
    kinds = sorted(_BINARY)
    return next(
        k for k in kinds if _error((*before, OrderOperandsPass(kinds=frozenset({k})))) > 1e-4
    )
