"""Ways round by conversions that no instruction does: the number of one conversion."""

from __future__ import annotations

import itertools

import pytest
import torch

import tlcourse.language as T
from tlcourse.dialects import tl
from tlcourse.dialects.conversions import BETWEEN, COMPARED, DIRECT, steps
from tlcourse.dialects.dtypes import DTYPES, dtype_of
from tlcourse.dialects.expansion import expanded
from tlcourse.tile_casts import converted

SIGNED = ("bool", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")
PAIRS = list(itertools.product(SIGNED, SIGNED))
MODES = ("rint", "round", "floor", "ceil", "trunc")


def values(dtype: str) -> torch.Tensor:
    """Numbers of a dtype at which a step could go wrong: ties, limits, small and large ones."""
    kind = getattr(torch, dtype)
    if dtype == "bool":
        return torch.tensor([False, True])
    if "int" in dtype:
        limits = torch.iinfo(kind)
        near = [p + d for p in (127, 255, 2048, 32767, 65519, 2**24) for d in (-1, 0, 1, 2)]
        kept = [n for n in near if n <= limits.max]
        return torch.tensor([0, limits.min, limits.max, *kept, *(-n for n in kept)], dtype=kind)
    halves = torch.arange(-300, 300).double() / 2
    special = [0.3, 0.49999997, 1e-7, 127.4, 127.6, 2049.0, 32767.6, 65519.0, 3e38, torch.nan]
    special += [torch.inf, 2.0**31, 2.0**63]
    numbers = torch.cat([halves, torch.tensor(special).double()])
    return torch.cat([numbers, -numbers]).to(kind)


def by_steps(src: torch.Tensor, source: str, target: str, mode: str) -> torch.Tensor:
    for step in steps(DTYPES[source].mlir, DTYPES[target].mlir, mode):
        dtype = getattr(torch, dtype_of(step.element).torch)
        src = converted(src, dtype, step.round_mode) if step.round_mode else src != 0
    return src


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_steps_give_the_number_of_one_conversion(source: str, target: str) -> None:
    src = values(source)
    modes = MODES if "float" in source else ("rint",)
    for mode in modes:
        one = converted(src, getattr(torch, target), mode)
        got = by_steps(src, source, target, mode)
        torch.testing.assert_close(got, one, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_each_step_is_an_instruction(source: str, target: str) -> None:
    if source == target and "float" not in source:
        assert steps(DTYPES[source].mlir, DTYPES[target].mlir) == []
        return
    for mode in MODES:
        here = source
        for step in steps(DTYPES[source].mlir, DTYPES[target].mlir, mode):
            pair = here, dtype_of(step.element).name
            assert step.round_mode in DIRECT[pair] if step.round_mode else pair in COMPARED
            here = pair[1]
        assert here == target


def test_only_what_has_no_instruction_goes_round() -> None:
    assert not set(BETWEEN) & {pair for pair in DIRECT if pair[0] != pair[1]}
    assert len(steps(DTYPES["int8"].mlir, DTYPES["float32"].mlir)) == 2


def test_a_cast_becomes_its_steps_on_tiles_beside_its_source() -> None:
    @T.prim_func
    def k(A: T.Tensor((8, 24), "int8")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((8, 24), "int8")
            c = T.alloc_ub((8, 24), "float32")
            m = T.alloc_ub((8, 24), "bool")
            T.copy(A, a)
            T.vcast(a[0:1, :], c)
            T.vcast(c[0:1, :], m)

    module = expanded(k.module)
    module.verify()
    casts = [op for op in module.walk() if isinstance(op, tl.CastOp)]
    assert ["f16" in str(op.destination.type) for op in casts] == [True, False]
    assert tl.memref_of(casts[0].destination).get_shape() == (1, 24)
    # A comparison repeats nothing: the row is repeated before.
    (compare,) = [op for op in module.walk() if isinstance(op, tl.VcmpOp)]
    assert tl.memref_of(compare.sources[0]).get_shape() == (8, 24)
    assert len([op for op in module.walk() if isinstance(op, tl.BroadcastOp)]) == 1
