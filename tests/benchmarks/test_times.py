"""What the fitted constants say of FlashAttention's two forms, beside published times."""

from __future__ import annotations

import pytest

from tlcourse.chips import CHIPS
from tlcourse.jit import compile
from tlcourse.simulator.cycles import Recording, microseconds, pipe_cycles

CHIP = CHIPS["Ascend910B2C"]
D, BLOCK_N = 128, 256


def _record(function, *spaces: tuple[int, int]) -> Recording:
    S = spaces[0][0]
    kernel = compile(function, mode="Expert")
    return kernel.record(*[(S, D)] * 4, *spaces, chip=CHIP.name)


def _two_phase(kernels, S: int, block_M: int) -> Recording:
    function = kernels("flash_attention").two_phase(S, D, block_M, BLOCK_N)
    return _record(function, (S, S), (S, S), (S, S // BLOCK_N * D))


def test_the_second_form_is_about_twice_as_fast_and_keeps_the_cube_at_work(kernels) -> None:
    """Published: 44.9 us and 22.28 us, a ratio of 2.02."""
    S = 1536
    function = kernels("flash_attention").in_turn(S, D, 128, BLOCK_N)
    first = _record(function, (S, BLOCK_N), (S, BLOCK_N), (S, D))
    second = _two_phase(kernels, S, 128)
    times = [microseconds(recording, CHIP) for recording in (first, second)]
    assert 1.7 <= times[0] / times[1] <= 2.3
    loads = [pipe_cycles(r, CHIP)["aic.MTE2"] / CHIP.clock_mhz for r in (first, second)]
    assert loads[1] / times[1] > 1.5 * loads[0] / times[0]


@pytest.mark.parametrize(("S", "measured"), [(1024, 18.20), (2048, 32.41), (4096, 99.09)])
def test_the_second_form_at_published_sizes(kernels, S, measured) -> None:
    assert microseconds(_two_phase(kernels, S, 96), CHIP) == pytest.approx(measured, rel=0.15)
