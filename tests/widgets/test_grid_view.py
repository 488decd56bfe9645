"""The grid of a launch as a figure: cells by round, tiles of the chosen block."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tlcourse.blocks import BlockMap, Box, DrawnTensor, Slots
from tlcourse.diagnostics import TLError
from tlcourse.widgets.grid_figure import grid_svg, shown_size
from tlcourse.widgets.grid_view import GridView, block_table, summary


@pytest.fixture
def found() -> BlockMap:
    """Blocks that copy 8 rows each; the first four are known."""
    tensors = tuple(DrawnTensor(name=name, shape=(32, 64), dtype="float16") for name in ("A", "C"))
    boxes = tuple(
        tuple(
            Box(tensor=tensor, writes=bool(tensor), rows=(8 * k, 8 * k + 7), columns=(0, 63))
            for tensor in (0, 1)
        )
        for k in range(4)
    )
    chips = (Slots(chip="Ascend910B1", count=24), Slots(chip="Ascend910B3", count=20))
    return BlockMap(kernel="k", kind="cube", blocks=54, chips=chips, tensors=tensors, boxes=boxes)


@pytest.mark.parametrize(
    ("blocks", "chip", "said"),
    [
        (
            1,
            0,
            "1 block on 24 cube cores of Ascend910B1: 1 round; "
            "23 of 24 slots of the last round stand empty",
        ),
        (24, 0, "24 blocks on 24 cube cores of Ascend910B1: 1 round"),
        (48, 0, "48 blocks on 24 cube cores of Ascend910B1: 2 rounds"),
        (
            54,
            0,
            "54 blocks on 24 cube cores of Ascend910B1: 3 rounds; "
            "18 of 24 slots of the last round stand empty",
        ),
        (
            54,
            1,
            "54 blocks on 20 cube cores of Ascend910B3: 3 rounds; "
            "6 of 20 slots of the last round stand empty",
        ),
    ],
)
def test_rounds_of_both_chips(found: BlockMap, blocks: int, chip: int, said: str) -> None:
    assert summary(replace(found, blocks=blocks), chip, "en") == said


def test_figure_has_a_cell_for_each_slot(found: BlockMap) -> None:
    text = grid_svg(found, 3, "en")
    cells = text.split("</defs>")[1]
    assert cells.count('fill="url(#tl-wait)"') == 18
    assert cells.count('fill="url(#tl-M)"') == 1
    assert cells.count('fill="url(#tl-cbuf)"') == cells.count('fill="url(#tl-cc)"') == 2  # + legend
    assert grid_svg(found, 3, "en") == text


def test_box_lies_where_its_rows_are(found: BlockMap) -> None:
    assert shown_size(found.tensors[0]) == (220.0, 110.0)
    text = grid_svg(found, 3, "en")
    top = 52 + 3 * 34.0 + 34 + 10  # three rounds stand above the tensors
    assert f'x="16" y="{top + 110 * 24 / 32:g}" width="220" height="27.5"' in text


def test_table_says_where_each_block_runs(found: BlockMap) -> None:
    head, rows = block_table(GridView(found))
    assert head == ("block", "runs on", "round", "reads", "writes")
    assert rows[3] == ("3", "cube core 3", "1", "A[24:32, 0:64]", "C[24:32, 0:64]")
    assert rows[53] == ("53", "cube core 5", "3", "", "")


def test_unknown_tiles_are_said(found: BlockMap) -> None:
    assert "Tiles of the first 4 blocks are known." in grid_svg(found, 9, "en")
    blind = replace(found, boxes=())
    assert "decides by numbers" in grid_svg(blind, 0, "en")


def test_repr_bundle_and_page(found: BlockMap, tmp_path: Path) -> None:
    view = GridView(found, 2)
    assert repr(view) == f"GridView(Blocks of k; {view.summary()})"
    bundle = view._repr_mimebundle_()
    assert bundle["text/html"] == view.to_html() == GridView(found, 2).to_html()
    text = view.export_html(tmp_path / "grid.html").read_text(encoding="utf-8")
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text


def test_chinese(found: BlockMap) -> None:
    view = GridView(found, language="zh")
    assert view.summary().startswith("Ascend910B1 的 24 个 cube 核上有 54 个逻辑块：3 轮")
    assert "逻辑块 0：cube 核 0，第 1 轮" in view.to_html()


def test_tl733_no_such_block(found: BlockMap) -> None:
    with pytest.raises(TLError, match=r"TL733.*there is no block 54"):
        GridView(found, 54)
