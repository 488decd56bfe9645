"""The chip on one page: memories with their sizes, cores, and the paths that data can take."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from tlcourse.records import Timeline
from tlcourse.widgets import palette, svg
from tlcourse.widgets.labels import Language

_WIDTH, _HEIGHT = 1000.0, 520.0


@runtime_checkable
class ChipData(Protocol):
    """What is drawn of a chip; the records of `tlcourse.chips` have it."""

    @property
    def name(self) -> str:
        """Target name, for example `Ascend910B1`."""
        ...

    @property
    def core_groups(self) -> int:
        """Groups of one cube core and its vector cores."""
        ...

    @property
    def l2_bytes(self) -> int:
        """Size of the shared cache."""
        ...

    @property
    def hbm_bytes(self) -> int:
        """Size of global memory."""
        ...

    @property
    def sizes_bytes(self) -> Mapping[str, int]:
        """Size of each on-chip memory of a core, by address space."""
        ...


@dataclass(frozen=True, kw_only=True)
class DataPath:
    """A way that data can take, and the pipe that carries it.

    Args:
        core: `aic` or `aiv`.
        pipe: its short name, as in a timeline.
        source: address space that it reads.
        target: address space that it writes.
        arrows: corners of its arrows on the page.
        label_at: where its pipe is written; None where a unit bears the name.
    """

    core: str
    pipe: str
    source: str
    target: str
    arrows: tuple[str, ...]
    label_at: tuple[float, float] | None = None


def _path(
    core: str,
    pipe: str,
    source: str,
    target: str,
    *arrows: str,
    label_at: tuple[float, float] | None = None,
) -> DataPath:
    return DataPath(
        core=core, pipe=pipe, source=source, target=target, arrows=arrows, label_at=label_at
    )


# The legal paths of an Ascend 910B; no other copy exists. Both vector cores have those of `aiv`.
PATHS = (
    _path("aic", "MTE2", "gm", "cbuf", "190,110 300,110", label_at=(214, 102)),
    _path("aic", "MTE1", "cbuf", "ca", "410,100 520,100", label_at=(440, 92)),
    _path("aic", "MTE1", "cbuf", "cb", "410,172 520,172", label_at=(440, 164)),
    _path("aic", "M", "ca", "cc", "600,100 690,124", "780,136 840,136"),
    _path("aic", "M", "cb", "cc", "600,172 690,148"),
    _path("aic", "FIX", "cc", "gm", "895,182 895,236 190,236", label_at=(214, 228)),
    _path("aiv", "MTE2", "gm", "ub", "190,316 300,316", label_at=(214, 308)),
    _path("aiv", "MTE3", "ub", "gm", "300,346 190,346", label_at=(214, 338)),
    _path("aiv", "V", "ub", "ub", "430,320 540,320", "540,342 430,342"),
)
_SECOND_CORE = 112.0  # the second vector core lies this much lower
_WORDS = {
    "title": (
        "{0}: {1} groups of one cube core and two vector cores",
        "{0}：{1} 组，每组一个 cube 核和两个 vector 核",
    ),
    "group": ("one of {0} groups", "{0} 组中的一组"),
    "cube": ("cube core (AIC)", "cube 核（AIC）"),
    "vector": ("vector core {0} (AIV)", "vector 核 {0}（AIV）"),
    "paths": ("the paths that exist", "存在的通路"),
    "from": ("from", "从"),
    "to": ("to", "到"),
    "pipe": ("pipe", "流水线"),
    "core": ("core", "核"),
    "used": ("used here", "这里用到"),
    "lines": ("lines", "行"),
    "yes": ("yes", "是"),
    "no": ("no", "否"),
    "lit": ("Thick arrows: used by {0}.", "粗箭头：{0} 用到的通路。"),
}


@dataclass(frozen=True)
class ChipView:
    """A picture of a chip. With a timeline, the paths that its kernel takes are lit.

    Args:
        chip: a chip, for example `CHIPS["Ascend910B1"]` of `tlcourse.chips`.
        timeline: the record of a launch; None lights every path alike.
        kernel: name of the kernel, for the caption.
        language: `en` or `zh`.
    """

    chip: ChipData
    timeline: Timeline | None = None
    kernel: str = ""
    language: Language = "en"

    def __repr__(self) -> str:
        return f"ChipView({self.title()})"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.to_html()}

    def title(self) -> str:
        """The picture in one sentence, also its alternative text."""
        return self.say("title", self.chip.name, self.chip.core_groups)

    def say(self, key: str, *values: object) -> str:
        """A word on screen, in the view's language."""
        return _WORDS[key][self.language == "zh"].format(*values)

    def used(self) -> frozenset[tuple[str, str]]:
        """Core and pipe of each path that the timeline shows at work."""
        instructions = () if self.timeline is None else self.timeline.instructions
        return frozenset((i.agent[:3], palette.pipe(i.pipe).key) for i in instructions)

    def is_lit(self, path: DataPath) -> bool:
        """Whether a path is drawn thick."""
        return self.timeline is None or (path.core, path.pipe) in self.used()

    def lines_of(self, path: DataPath) -> list[int]:
        """The learner's lines whose instructions take a path."""
        instructions = () if self.timeline is None else self.timeline.instructions
        taken = (path.core, path.pipe)
        return sorted(
            {
                one.span.line
                for one in instructions
                if one.span and (one.agent[:3], palette.pipe(one.pipe).key) == taken
            }
        )

    def to_html(self) -> str:
        """The figure as HTML without a script, with a table of the paths."""
        return svg.figure_html(chip_svg(self), self.title(), self._caption(), self._table())

    def export_html(self, path: str | Path) -> Path:
        """Writes the figure as one HTML file; returns its path.

        Each arrow is a link to its row of the table, with the lines of the kernel that take it.
        """
        picture = chip_svg(self).replace('role="img"', 'role="group"', 1)  # it holds links
        caption = f"<figcaption>{html.escape(self._caption())}</figcaption>"
        table = self._table([path_id(one) for one in PATHS])
        body = f'<figure style="max-width:1200px">{picture}{caption}</figure>{table}'
        return svg.write_page(path, self.title(), body, self.language)

    def _caption(self) -> str:
        if not self.kernel:
            return self.title()
        stop = "。" if self.language == "zh" else ". "
        return self.title() + stop + self.say("lit", self.kernel)

    def _table(self, ids: Sequence[str] = ()) -> str:
        head = [self.say(key) for key in ("from", "to", "pipe", "core", "used", "lines")]
        rows = [
            [
                palette.memory(path.source).label,
                palette.memory(path.target).label,
                palette.pipe(path.pipe).label,
                path.core.upper(),
                self.say("yes" if self.is_lit(path) else "no"),
                ", ".join(map(str, self.lines_of(path))),
            ]
            for path in PATHS
        ]
        return svg.table_html(self.say("paths"), head, rows, ids)


def path_id(path: DataPath) -> str:
    """What the row of a path is called, for links to it."""
    return f"{path.core}-{path.source}-{path.target}"


def chip_svg(view: ChipView) -> str:
    """Draws one group of cores beside global memory; equal views give equal text."""
    looks = [*palette.MEMORIES.values(), palette.pipe("M"), palette.pipe("V")]
    body = [
        svg.tag("defs", {}, *map(svg.pattern, looks), *map(_marker, palette.PIPES.values())),
        svg.words(16, 28, view.title(), "ink head"),
        *_global_memory(view),
        *_frame(view, 280, 52, 700, 204, view.say("cube")),
        *_cube_core(view),
    ]
    for core in (0, 1):
        below = core * _SECOND_CORE
        body += _frame(view, 280, 278 + below, 700, 98, view.say("vector", core))
        body += _vector_core(view, below)
    lit = sorted(PATHS, key=view.is_lit)
    body += [arrow for path in lit for arrow in _arrows(view, path)]
    body.append(svg.words(980, 28, view.say("group", view.chip.core_groups), "muted", "end"))
    return svg.document(_WIDTH, _HEIGHT, view.title(), view.title(), *body)


def _global_memory(view: ChipView) -> Iterable[str]:
    yield _memory("gm", 20, 60, 120, 430, _size(view.chip.hbm_bytes))
    yield svg.box(140, 60, 50, 430, style="band wait")
    yield svg.words(165, 270, "L2", "ink small", "middle")
    yield svg.words(165, 290, _size(view.chip.l2_bytes).split()[0], "muted small", "middle")
    yield svg.words(165, 306, _size(view.chip.l2_bytes).split()[1], "muted small", "middle")


def _cube_core(view: ChipView) -> Iterable[str]:
    sizes = view.chip.sizes_bytes
    yield _memory("cbuf", 300, 84, 110, 108, _size(sizes["cbuf"]))
    yield _memory("ca", 520, 78, 80, 46, _size(sizes["ca"]))
    yield _memory("cb", 520, 150, 80, 46, _size(sizes["cb"]))
    yield _unit("M", 690, 108, 90, 56)
    yield _memory("cc", 840, 90, 110, 92, _size(sizes["cc"]))


def _vector_core(view: ChipView, below: float) -> Iterable[str]:
    yield _memory("ub", 300, 300 + below, 130, 62, _size(view.chip.sizes_bytes["ub"]))
    yield _unit("V", 540, 304 + below, 110, 54)


def _frame(
    view: ChipView, x: float, y: float, width: float, height: float, text: str
) -> Iterable[str]:
    yield svg.box(x, y, width, height, fill="none", style="axis", rx=6)
    yield svg.words(x + width - 12, y + 20, text, "muted small", "end")


def _memory(key: str, x: float, y: float, width: float, height: float, size: str) -> str:
    look = palette.memory(key)
    middle, line = x + width / 2, y + height / 2
    return "".join(
        (
            svg.box(x, y, width, height, fill=svg.fill_of(look), stroke=palette.INK, rx=3),
            _plate(look, middle, line - 7, look.label),
            _plate(look, middle, line + 11, size),
            svg.words(middle, line - 2, look.label, "on head", "middle"),
            svg.words(middle, line + 16, size, "on", "middle"),
        )
    )


def _unit(key: str, x: float, y: float, width: float, height: float) -> str:
    look = palette.pipe(key)
    shape = svg.box(x, y, width, height, fill=svg.fill_of(look), stroke=palette.INK, rx=27)
    middle, line = x + width / 2, y + height / 2
    plate = _plate(look, middle, line, look.label)
    return shape + plate + svg.words(middle, line + 5, look.label, "on head", "middle")


def _plate(look: palette.Swatch, x: float, y: float, text: str) -> str:
    """Keeps the hatch away from a text around (x, y)."""
    width = svg.width_of(text, 8.4) + 6
    return svg.box(x - width / 2, y - 9, width, 18, fill=look.fill, rx=3)


def _arrows(view: ChipView, path: DataPath) -> Iterable[str]:
    """A path's arrow with the name of its pipe, for each core that has it."""
    look, lit = palette.pipe(path.pipe), view.is_lit(path)
    shape: dict[str, object] = {
        "fill": "none",
        "stroke": _ink(look),
        "stroke-width": 5 if lit else 1.5,
        "marker-end": f"url(#tl-to-{look.key})",
    }
    if not lit:
        shape["stroke-dasharray"] = "4 4"
    name = ""
    if path.label_at is not None:
        name = svg.words(*path.label_at, look.label, "ink small head" if lit else "muted small")
    drawn = "".join(svg.tag("polyline", {"points": arrow, **shape}) for arrow in path.arrows)
    source, target = palette.memory(path.source).label, palette.memory(path.target).label
    about = f"{look.label}, {path.core.upper()}: {source} - {target}"
    link: dict[str, object] = {"href": f"#{path_id(path)}", "aria-label": about}
    yield svg.tag("a", link, drawn, name)
    if path.core == "aiv":
        moved = svg.tag("g", {"transform": f"translate(0 {_SECOND_CORE:g})"}, drawn, name)
        yield svg.tag("a", link, moved)


def _ink(look: palette.Swatch) -> str:
    """The colour of a pipe's arrow; the vector unit's yellow is too light for a line."""
    return "#A89B00" if look.key == "V" else look.fill


def _marker(look: palette.Swatch) -> str:
    head = f'<path d="M0 0L8 4L0 8z" fill="{_ink(look)}"/>'
    return (
        f'<marker id="tl-to-{look.key}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="14" '
        f'markerHeight="14" markerUnits="userSpaceOnUse" orient="auto">{head}</marker>'
    )


def _size(count: int) -> str:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:g} {unit}"
    return f"{count} B"
