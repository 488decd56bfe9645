from __future__ import annotations

from itertools import combinations

import pytest

from tlcourse.widgets import palette

# Severe deuteranopia and protanopia on linear light (Machado, Oliveira, Fernandes 2009).
BLINDNESS = {
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
}


def linear(colour: str) -> list[float]:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("swatch", [*palette.PIPES.values(), *palette.MEMORIES.values()])
def test_ink_reads_on_every_fill(swatch: palette.Swatch) -> None:
    contrast = (luminance(swatch.fill) + 0.05) / (luminance(palette.INK) + 0.05)
    assert contrast >= 4.5


@pytest.mark.parametrize("table", [palette.PIPES, palette.MEMORIES], ids=["pipes", "memories"])
def test_every_pair_differs_in_hatch(table: dict[str, palette.Swatch]) -> None:
    hatches = [swatch.hatch for swatch in table.values()]
    assert len(set(hatches)) == len(hatches)


@pytest.mark.parametrize("kind", BLINDNESS)
@pytest.mark.parametrize("table", [palette.PIPES, palette.MEMORIES], ids=["pipes", "memories"])
def test_every_pair_can_be_told_apart_by_the_colour_blind(
    table: dict[str, palette.Swatch], kind: str
) -> None:
    matrix = BLINDNESS[kind]

    def seen(colour: str) -> list[float]:
        light = linear(colour)
        return [
            max(0.0, sum(m * v for m, v in zip(row, light, strict=True))) ** (1 / 2.2)
            for row in matrix
        ]

    for one, other in combinations(table.values(), 2):
        pairs = zip(seen(one.fill), seen(other.fill), strict=True)
        distance = sum((a - b) ** 2 for a, b in pairs) ** 0.5
        assert distance > 0.08, (one.label, other.label)


@pytest.mark.parametrize("name", ["PIPE_MTE2", "MTE2"])
def test_pipe_knows_all_its_names(name: str) -> None:
    assert palette.pipe(name) is palette.PIPES["MTE2"]


def test_names_of_hardware_and_of_everyday_are_one_thing() -> None:
    assert palette.pipe("SCALAR") is palette.pipe("PIPE_S")
    assert palette.memory("L1") is palette.memory("cbuf")
    assert palette.memory("UB") is palette.memory("ub")


def test_unknown_pipe_keeps_its_name() -> None:
    assert palette.pipe("MTE9").label == "MTE9"
    assert palette.lane_order("MTE9") == len(palette.PIPES)


def test_lanes_follow_the_data() -> None:
    names = ["MTE3", "V", "FIX", "M", "MTE1", "MTE2", "S"]
    assert sorted(names, key=palette.lane_order) == ["S", "MTE2", "MTE1", "M", "FIX", "V", "MTE3"]
