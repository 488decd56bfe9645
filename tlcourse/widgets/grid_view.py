"""The grid of a launch: blocks on cores in rounds, and the tiles of the tensors that each takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tlcourse.blocks import BlockMap, Box, DrawnTensor
from tlcourse.diagnostics import error
from tlcourse.widgets import palette, standalone, svg
from tlcourse.widgets.grid_figure import grid_svg, shown_size
from tlcourse.widgets.grid_words import table, word
from tlcourse.widgets.labels import Language
from tlcourse.widgets.pagefile import write_text

_SCRIPTS = ("grid_view.js",)
_LISTED = 256
Table = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]


@dataclass(frozen=True)
class GridView:
    """The blocks of a launch: a viewer in a notebook, a figure where no script runs.

    Args:
        map: the record, from `kernel.block_map(..)`.
        block: the block that is shown first.
        language: `en` or `zh`.

    Raises:
        TL733: there is no such block.
    """

    map: BlockMap
    block: int = 0
    language: Language = "en"

    def __post_init__(self) -> None:
        if self.block not in range(self.map.blocks):
            raise error(
                "TL733",
                f"the picture of blocks cannot be drawn: there is no block {self.block}",
                why=f"{self.map.kernel} has {self.map.blocks} blocks, counted from 0",
                fix=f"choose a block from 0 to {self.map.blocks - 1}",
            )

    def __repr__(self) -> str:
        return f"GridView({self.title()}; {self.summary()})"

    def _repr_mimebundle_(self, **_: object) -> dict[str, object]:
        return {**self._viewer(), "text/plain": repr(self), "text/html": self.to_html()}

    def title(self) -> str:
        """The name of the picture."""
        return word("title", self.language, self.map.kernel)

    def summary(self) -> str:
        """How many blocks, on how many cores, in how many rounds."""
        return summary(self.map, 0, self.language)

    def state(self) -> str:
        """The whole state of the viewer."""
        return standalone.packed(_state(self))

    def to_html(self) -> str:
        """The figure and its table as HTML without a script."""
        caption = f"{self.summary()}. {place_words(self.map, self.block, self.language)}"
        tables = svg.table_html(word("as_table", self.language), *block_table(self))
        picture = grid_svg(self.map, self.block, self.language)
        return svg.figure_html(picture, f"{self.title()}: {self.summary()}", caption, tables)

    def export_html(self, path: str | Path) -> Path:
        """Writes the viewer as one HTML file that works from disk; returns its path.

        `FILE#12` opens it at block 12.
        """
        names = (self.title(), self.language, self.to_html())
        return write_text(path, standalone.page(_SCRIPTS, self.state(), *names))

    def _viewer(self) -> dict[str, object]:
        try:
            from tlcourse.widgets.viewers import viewer_handle
        except ImportError:
            return {}
        return viewer_handle(_SCRIPTS, self.state(), repr(self))


def summary(found: BlockMap, chip: int, language: Language) -> str:
    """One line: blocks, cores of a chip, rounds, cores without work in the last round."""
    slots = found.chips[chip]
    rounds = -(-found.blocks // slots.count)
    said = word("round_one" if rounds == 1 else "rounds", language, rounds)
    cores = word(found.kind, language)
    deal = "deal_one" if found.blocks == 1 else "deal"
    text = word(deal, language, found.blocks, slots.count, cores, slots.chip, said)
    idle = -found.blocks % slots.count
    return word("idle", language, text, idle, slots.count) if idle else text


def place_words(found: BlockMap, block: int, language: Language) -> str:
    """Where a block runs."""
    count = found.chips[0].count
    core = word(f"{found.kind}_one", language)
    return word("place", language, block, core, block % count, block // count + 1)


def box_words(box: Box, tensor: DrawnTensor) -> str:
    """A tile as Python would cut it out."""
    columns = f"{box.columns[0]}:{box.columns[1] + 1}"
    if len(tensor.shape) < 2:
        return f"{tensor.name}[{columns}]"
    return f"{tensor.name}[{box.rows[0]}:{box.rows[1] + 1}, {columns}]"


def block_table(view: GridView) -> Table:
    """A line for each block: where it runs, what it reads and writes."""
    language, found = view.language, view.map
    head = tuple(word(key, language) for key in ("block", "slot", "in_round", "reads", "writes"))
    return head, tuple(_row(found, block, language) for block in range(min(found.blocks, _LISTED)))


def _row(found: BlockMap, block: int, language: Language) -> tuple[str, ...]:
    count = found.chips[0].count
    known = block < len(found.boxes)
    touched = [
        ", ".join(_boxes_of(found, block, writes=writes)) if known else ""
        for writes in (False, True)
    ]
    core = f"{word(f'{found.kind}_one', language)} {block % count}"
    return str(block), core, str(block // count + 1), *touched


def _boxes_of(found: BlockMap, block: int, *, writes: bool) -> list[str]:
    return [
        box_words(box, found.tensors[box.tensor])
        for box in found.boxes[block]
        if box.writes is writes
    ]


def _state(view: GridView) -> dict[str, object]:
    found, language = view.map, view.language
    looks = (palette.pipe("M"), *_looks())
    return {
        "labels": table(language),
        "title": view.title(),
        "kind": found.kind,
        "blocks": found.blocks,
        "block": view.block,
        "chips": [
            {"name": one.chip, "count": one.count, "summary": summary(found, k, language)}
            for k, one in enumerate(found.chips)
        ],
        "tensors": [_tensor(one, language) for one in found.tensors],
        "boxes": [[_flat(box) for box in boxes] for boxes in found.boxes],
        "patterns": "".join([*map(svg.pattern, looks), svg.wait_pattern()]),
        "table": block_table(view),
    }


def _looks() -> Iterable[palette.Swatch]:
    """Looks of what is read and of what is written."""
    return palette.memory("cbuf"), palette.memory("cc")


def _tensor(tensor: DrawnTensor, language: Language) -> dict[str, object]:
    width, height = shown_size(tensor)
    flat = len(tensor.shape) > 2
    return {
        "name": tensor.name,
        "shape": f"({', '.join(map(str, tensor.shape))})",
        "dtype": tensor.dtype,
        "note": word("as_matrix", language, tensor.rows, tensor.columns) if flat else "",
        "flat": len(tensor.shape) < 2,
        "rows": tensor.rows,
        "columns": tensor.columns,
        "width": width,
        "height": height,
    }


def _flat(box: Box) -> list[int]:
    return [box.tensor, int(box.writes), *box.rows, *box.columns]
