"""What L2 does not hold."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.simulator.cycles.l2 import Touch, fits, kept_share, with_misses, with_walk
from tlcourse.simulator.cycles.stream import Recording, TensorUse
from tlcourse.simulator.tile import Layout

KIB = 1024
CHIP = replace(
    DEFAULT_CHIP,
    l2_bytes=1024 * KIB,
    timing=replace(DEFAULT_CHIP.timing, l2_usable_percent=100),
)


def _recording(*uses: TensorUse) -> Recording:
    return Recording(
        kernel="k",
        kind="vector",
        blocks=1,
        class_of=(0,),
        streams=(),
        shapes=(),
        sites=(),
        tensors=uses,
    )


def _read(size: int, times: int = 1) -> TensorUse:
    return TensorUse(name="A", size_bytes=size, read_bytes=size * times)


def _touch(start: int, size: int, *, loops: tuple[tuple[int, int], ...] = ()) -> Touch:
    layout = Layout(start_bytes=start, run_bytes=size, loops=loops)
    return Touch(tensor=0, layout=layout, size_bytes=size * layout.runs, writes=False)


class TestSizes:
    def test_tensors_that_fit(self) -> None:
        """Read three times: cold, each byte misses once; warm, none. Writes stay in L2."""
        out = TensorUse(name="B", size_bytes=200 * KIB, written_bytes=200 * KIB)
        recording = _recording(_read(300 * KIB, 3), out)
        assert fits(recording, CHIP)
        found = with_misses(recording, CHIP).tensors
        assert [use.missing_cold for use in found] == [300 * KIB, 0]
        assert [use.missing_warm for use in found] == [0, 0]

    def test_what_is_not_touched_misses_nothing(self) -> None:
        recording = _recording(TensorUse(name="A", size_bytes=4096 * KIB))
        assert fits(recording, CHIP)
        assert with_misses(recording, CHIP).tensors[0].missing_cold == 0

    @pytest.mark.parametrize("load", [1.1, 1.5, 2.0, 4.0])
    def test_kept_share_solves_its_equation(self, load: float) -> None:
        kept = kept_share(load)
        assert kept == pytest.approx(math.exp(-(1 - kept) * load), rel=1e-3)

    def test_kept_share_falls(self) -> None:
        shares = [kept_share(load) for load in (0.5, 1.0, 1.05, 1.5, 2.0, 8.0)]
        assert shares[:2] == [1.0, 1.0]
        assert shares == sorted(shares, reverse=True)
        assert shares[-2] == pytest.approx(0.2032, abs=1e-3)


class TestWalk:
    def test_a_stream_misses_everything_cold(self) -> None:
        size = 4096 * KIB
        wave = [[_touch(start, 64 * KIB) for start in range(0, size, 64 * KIB)]]
        (found,) = with_walk(_recording(_read(size)), CHIP, [wave], 1).tensors
        assert found.missing_cold == size
        assert found.missing_warm == pytest.approx(size * (1 - kept_share(4)), rel=0.02)

    def test_what_is_shared_in_a_step_misses_once(self) -> None:
        """24 cores read the same 2 MiB side by side."""
        size = 2048 * KIB
        touches = [_touch(start, 64 * KIB) for start in range(0, size, 64 * KIB)]
        (found,) = with_walk(_recording(_read(size, 24)), CHIP, [[touches] * 24], 1).tensors
        assert found.missing_cold == size

    def test_what_comes_back_soon_is_still_there(self) -> None:
        """Each of two waves reads 1/8 of L2; the second misses 1 - exp(-1/8) of it.

        The first wave has missed 128 KiB since those lines were touched only if they were
        touched before it; they were touched at its end, so that the second misses nothing.
        """
        wave = [[_touch(0, 128 * KIB)]]
        recording = _recording(_read(128 * KIB, 2))
        (found,) = with_walk(recording, CHIP, [wave, wave], 2).tensors
        assert found.missing_cold == 128 * KIB

    def test_what_comes_back_late_is_partly_gone(self) -> None:
        """Between two readings of a page lies 1 MiB of other misses: 1 - exp(-1) is gone."""
        page, other = _touch(0, 64 * KIB), _touch(64 * KIB, 1024 * KIB)
        use = TensorUse(name="A", size_bytes=1088 * KIB, read_bytes=1152 * KIB)
        (found,) = with_walk(_recording(use), CHIP, [[[page]], [[other]], [[page]]], 3).tensors
        again = found.missing_cold - 1088 * KIB
        assert again == pytest.approx(64 * KIB * (1 - math.exp(-1)), rel=0.01)

    def test_waves_behind_the_last_one_walked_miss_as_it_did(self) -> None:
        waves = [[[_touch(i * 2048 * KIB, 2048 * KIB)]] for i in range(2)]
        use = TensorUse(name="A", size_bytes=20480 * KIB, read_bytes=20480 * KIB)
        (found,) = with_walk(_recording(use), CHIP, waves, 10).tensors
        assert found.missing_cold == 20480 * KIB

    def test_rows_touch_their_lines_only(self) -> None:
        """16 rows of 1 KiB, 64 KiB apart: 32 lines of 512 bytes."""
        touch = _touch(0, KIB, loops=((16, 64 * KIB),))
        (found,) = with_walk(_recording(_read(1024 * KIB)), CHIP, [[[touch]]], 1).tensors
        assert found.missing_cold == 16 * KIB
