"""LowerOpaqueBlock and LowerNpuirBlock: Tile IR has no block shells, nothing changes."""

from __future__ import annotations

import pytest

from tlcourse.examples import minicv
from tlcourse.passes.tir.lower_npuir_block import LowerNpuirBlockPass
from tlcourse.passes.tir.lower_opaque_block import LowerOpaqueBlockPass


@pytest.mark.parametrize("step", [LowerOpaqueBlockPass(), LowerNpuirBlockPass()])
def test_nothing_changes(apply, step) -> None:
    kernel = minicv.minicv_expert(128, 256, 64, 128, 256, 64)
    assert str(apply(kernel, (step,))) == str(apply(kernel, ()))
