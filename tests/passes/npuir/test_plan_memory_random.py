"""hivm-plan-memory on random programs: the numbers stay, and memory is never wasted.

A program runs twice, once with every allocation a new piece of memory and once at the planned
addresses. If two tiles that are both still needed shared bytes, the numbers would differ.
"""

from __future__ import annotations

import torch
from hypothesis import assume, given, note, settings
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp

from tests.passes.npuir.plan_programs import CELLS, programs
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.diagnostics import TLError
from tlcourse.dialects.hivm.core import PointerCastOp
from tlcourse.dialects.text import context, from_text, to_text
from tlcourse.passes.npuir.buffers import kind_of, size_bytes
from tlcourse.passes.npuir.hivm_enable_multi_buffer import HivmEnableMultiBufferPass
from tlcourse.passes.npuir.hivm_plan_memory import HivmPlanMemoryPass
from tlcourse.records import Parameter, Signature
from tlcourse.stages.run import load

_GM = [
    Parameter(name=name, dtype="float32", kind="tensor", extents=(str(CELLS * 8192),))
    for name in ("a", "b")
]
_LAUNCH = Signature(kernel="k", mode="Expert", target="npuir", parameters=tuple(_GM), grid=("1",))


def _numbers(module: ModuleOp) -> torch.Tensor:
    given_values = torch.arange(CELLS * 8192, dtype=torch.float32) % 251
    result = torch.full((CELLS * 8192,), -1.0)
    load(module, _LAUNCH, {}).run([given_values, result])
    return result


def _bytes(module: ModuleOp) -> tuple[int, int]:
    """The end of the last tile, and the bytes of all tiles."""
    granule = DEFAULT_CHIP.align_bytes["ub"]
    peak = total = 0
    for op in module.walk():
        if isinstance(op, PointerCastOp):
            size = -(-size_bytes(kind_of(op.result)) // granule) * granule
            total += size * len(op.addrs)
            peak = max(peak, *(_number(address) + size for address in op.addrs))
    return peak, total


def _number(address) -> int:
    assert isinstance(address.owner, arith.ConstantOp)
    assert isinstance(address.owner.value, IntegerAttr)
    return address.owner.value.value.data


@settings(max_examples=100, deadline=None, derandomize=True)
@given(programs)
def test_no_live_tiles_overlap_and_the_sum_is_enough(text: str) -> None:
    module = from_text(text)
    wanted = _numbers(module)
    problems: list[str] = []
    try:
        HivmPlanMemoryPass().apply(context(), module)
    except TLError as problem:
        problems.append(problem.diagnostic.code)
    assert problems in ([], ["TL301"])
    assume(not problems)
    note(to_text(module))
    peak, total = _bytes(module)
    assert peak <= min(total, DEFAULT_CHIP.sizes_bytes["ub"])
    assert torch.equal(_numbers(module), wanted)
    HivmEnableMultiBufferPass().apply(context(), module)
    assert torch.equal(_numbers(module), wanted)
