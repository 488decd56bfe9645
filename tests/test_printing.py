"""How T.print shows values, and where it stops."""

from __future__ import annotations

import pytest
import torch

from tlcourse.printing import MOST_PRINTS, Prints, value_text


def test_scalars_and_tiles() -> None:
    assert value_text(3, False) == " 3"
    assert value_text(255, True) == " 0xff"
    assert value_text(torch.tensor([[1, 2], [3, 4]]), False) == "\n[[1 2]\n [3 4]]"
    assert value_text(torch.tensor([1.5], dtype=torch.bfloat16), False) == "\n[1.5]"


@pytest.mark.parametrize(
    ("tile", "text"),
    [
        (torch.tensor([[1, -1]], dtype=torch.int8), "\n0x01 0xff"),
        (torch.tensor([[1.0], [2.0]]), "\n0x3f800000\n0x40000000"),
        (torch.tensor([1.0], dtype=torch.float16), "\n0x3c00"),
    ],
)
def test_stored_bits(tile: torch.Tensor, text: str) -> None:
    assert value_text(tile, True) == text


def test_large_tiles_are_cut() -> None:
    tile = torch.arange(128 * 256, dtype=torch.int32).reshape(128, 256)
    assert value_text(tile, False).splitlines()[1] == "[[    0     1     2 ...   253   254   255]"
    bits = value_text(tile, True).splitlines()
    assert [bits[1], bits[4]] == [
        "0x00000000 0x00000001 0x00000002 ... 0x000000fd 0x000000fe 0x000000ff",
        "...",
    ]
    assert len(bits) == 8
    assert len(value_text(tile, False).splitlines()) == 8


def test_prints_without_end_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    prints = Prints()
    for turn in range(1000):
        prints.show("turn", turn, block=0, core="vector core 1")
        prints.show("bits", 15, block=turn, core="cube core", hexadecimal=True)
    prints.show("once", 0.5, block=3, core="cube core")
    prints.finish()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 * MOST_PRINTS + 3
    assert lines[:3] == [
        "[block 0, vector core 1] turn 0",
        "[block 0, cube core] bits 0xf",
        "[block 0, vector core 1] turn 1",
    ]
    assert lines[-3:] == [
        "[block 3, cube core] once 0.5",
        "[all blocks] turn: 936 of 1,000 not shown",
        "[all blocks] bits: 936 of 1,000 not shown",
    ]


def test_few_prints_end_without_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    prints = Prints()
    prints.show("x", 1, block=0, core="cube core")
    prints.finish()
    assert capsys.readouterr().out == "[block 0, cube core] x 1\n"
