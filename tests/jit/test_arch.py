"""Figures of the chip for templates."""

from __future__ import annotations

import pytest

from tlcourse.jit import arch


@pytest.mark.parametrize("name", [None, "Ascend910B", "Ascend910B1", "unknown"])
def test_sizes_are_those_of_the_simulated_chip(name: str | None) -> None:
    found = arch.AscendArch(name)
    assert (found.name, found.platform) == ("Ascend910B1", "ascend")
    assert (found.aicube_core_num, found.aivector_core_num) == (24, 48)
    assert found.mem_cap == {
        "UB": 196608,
        "L1": 524288,
        "L0A": 65536,
        "L0B": 65536,
        "L0C": 131072,
        "L2": 201326592,
    }


def test_shapes_of_the_matrix_unit() -> None:
    found = arch.get_arch()
    assert (found.cube_dim, found.cube_shape, found.fractal_shape) == (16, [16, 16, 16], (16, 16))


def test_questions() -> None:
    found = arch.get_arch_obj()
    assert arch.is_ascend_arch(found)
    assert not arch.is_ascend_arch("Ascend910B1")
    assert arch.is_cube_supported_precision("float16", "float32", found)
    assert not arch.is_cube_supported_precision("float32", "float32", found)
    assert not arch.is_tensorcore_supported_precision("float16", "float32")
    assert not arch.supports_native_bf16()
    assert arch.get_ascend_device_name() == "Ascend910B1"
