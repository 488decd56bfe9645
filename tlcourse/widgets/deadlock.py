"""A deadlock as a picture: each pipe that stands still, with an arrow to whom it waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tlcourse.records import Finding, Wait
from tlcourse.widgets import palette, svg
from tlcourse.widgets.labels import Language, label

_WIDTH, _HEIGHT = 168.0, 44.0
_ACROSS, _DOWN, _BELOW = 420.0, 104.0, 30.0
_LEFT, _TOP, _LOOP = 130.0, 74.0, 56.0
_FAR = 50.0  # room below for arrows that pass a column
_APART = 12.0  # arrows to the right run above those to the left
# The cube core stands between the vector cores, for it is with them that it exchanges flags.
_COLUMNS = ("aiv0", "aic", "aiv1")
_ARROW = (
    '<marker id="tl-arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="6" '
    'markerHeight="6" orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" class="ink"/></marker>'
)


@dataclass(frozen=True, kw_only=True)
class _Node:
    """A box: a pipe of a core, or the program of a core that has not come to a raise."""

    name: str
    x: float
    y: float

    @property
    def core(self) -> str:
        """`aic`, or empty for nobody."""
        return self.name.rpartition(" ")[0]

    @property
    def part(self) -> str:
        """`MTE2`, `program`."""
        return self.name.rpartition(" ")[2]


def deadlock_svg(waits: Sequence[Wait], language: Language = "en") -> str:
    """Draws a wait-for graph, one column a core.

    An arrow leads from who waits to who would raise the flag. The box from which all others
    follow has a thick frame and a mark.
    """
    nodes = _nodes(waits)
    columns = list(dict.fromkeys(node.core for node in nodes.values()))
    lowest = max(node.y for node in nodes.values())
    width = _LEFT * 2 + _ACROSS * (len(columns) - 1) + _WIDTH
    room = _BELOW + _FAR * any(_is_far(wait, nodes) for wait in waits)
    title = label("deadlock", language)
    about = "; ".join(f"{w.waiter} -> {w.setter or label('nobody', language)}" for w in waits)
    swatches = {node.part: palette.PIPES[node.part] for node in nodes.values() if _is_pipe(node)}
    defs = "".join(svg.pattern(swatch) for swatch in swatches.values()) + _ARROW
    roots = {wait.waiter for wait in waits if wait.is_root}
    return svg.document(
        width,
        lowest + _HEIGHT + room,
        title,
        about,
        svg.tag("defs", {}, defs),
        svg.words(16, 28, title, "ink head"),
        *(
            svg.words(_LEFT + _ACROSS * k, _TOP - 14, _core_words(core, language), "muted")
            for k, core in enumerate(columns)
        ),
        *(_edge(wait, nodes, lowest) for wait in waits),
        *(_box(node, language, is_root=node.name in roots) for node in nodes.values()),
        *(_flag(wait, nodes, lowest, language) for wait in waits),
    )


def deadlock_table(
    waits: Sequence[Wait], language: Language = "en"
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The graph as a table: who waits, for which flag, of whom, at which line, and why."""
    keys = ("waits", "flag", "raised_by", "line", "raise_line", "reason")
    rows = tuple(
        (
            f"{'! ' if wait.is_root else ''}{wait.waiter}",
            wait.flag,
            wait.setter or label("nobody", language),
            str(wait.span.line) if wait.span else "",
            str(wait.setter_span.line) if wait.setter_span else "",
            wait.reason,
        )
        for wait in waits
    )
    return tuple(label(key, language) for key in keys), rows


@dataclass(frozen=True)
class DeadlockView:
    """A wait-for graph that shows itself in a notebook: figure, table and one line of text."""

    finding: Finding
    language: Language = "en"

    def __repr__(self) -> str:
        edges = (f"{w.waiter} -> {w.setter or 'nobody'}" for w in self.finding.waits)
        return f"DeadlockView({', '.join(edges)})"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.to_html()}

    def to_html(self) -> str:
        """Figure and table as HTML without a script."""
        head, rows = deadlock_table(self.finding.waits, self.language)
        picture = deadlock_svg(self.finding.waits, self.language)
        table = svg.table_html(label("as_table", self.language), head, rows)
        title = label("deadlock", self.language)
        return svg.figure_html(picture, title, self.finding.diagnostic.what, table)

    def export_html(self, path: str | Path) -> Path:
        """Writes figure and table as one HTML file; returns its path."""
        title = label("deadlock", self.language)
        return svg.write_page(path, title, self.to_html(), self.language)


def _nodes(waits: Sequence[Wait]) -> Mapping[str, _Node]:
    """A box for each name, cores side by side, pipes below one another."""
    names = list(dict.fromkeys(name for w in waits for name in (w.waiter, w.setter)))
    names.sort(key=lambda name: _column(name.rpartition(" ")[0]))
    columns = list(dict.fromkeys(name.rpartition(" ")[0] for name in names))
    rows = dict.fromkeys(columns, 0)
    found: dict[str, _Node] = {}
    for name in names:
        core = name.rpartition(" ")[0]
        found[name] = _Node(
            name=name,
            x=_LEFT + _ACROSS * columns.index(core),
            y=_TOP + _DOWN * rows[core],
        )
        rows[core] += 1
    return found


def _is_pipe(node: _Node) -> bool:
    return node.part in palette.PIPES


def _box(node: _Node, language: Language, *, is_root: bool) -> str:
    fill = svg.fill_of(palette.PIPES[node.part]) if _is_pipe(node) else "none"
    look: dict[str, object] = {"fill": fill, "stroke": palette.INK, "rx": 5}
    if is_root:
        look |= {"style": "limit", "stroke-width": 4}
    elif not _is_pipe(node):
        look |= {"style": "axis", "stroke-dasharray": "6 4"}
    name = palette.PIPES[node.part].label if _is_pipe(node) else _words_of(node, language)
    text = f"! {name}" if is_root else name
    middle = node.y + _HEIGHT / 2
    plate_width = svg.width_of(text, 10.0) + 12  # room for capitals
    plate = svg.box(
        node.x + (_WIDTH - plate_width) / 2, middle - 11, plate_width, 22, style="bg", rx=3
    )
    return (
        svg.box(node.x, node.y, _WIDTH, _HEIGHT, title=node.name or name, **look)
        + plate
        + svg.words(node.x + _WIDTH / 2, middle + 5, text, "ink", "middle")
    )


def _words_of(node: _Node, language: Language) -> str:
    return label("program" if node.part == "program" else "nobody", language)


def _column(core: str) -> tuple[int, str]:
    known = _COLUMNS.index(core) if core in _COLUMNS else len(_COLUMNS)
    return known + (core == ""), core


def _core_words(core: str, language: Language) -> str:
    if core in _COLUMNS:
        return label(core, language)
    return core or label("nobody", language)


def _edge(wait: Wait, nodes: Mapping[str, _Node], lowest: float) -> str:
    (x, y), *others = _points(nodes[wait.waiter], nodes[wait.setter], lowest)
    numbers = " ".join(f"{x:.0f} {y:.0f}" for x, y in others)
    look: dict[str, object] = {
        "d": f"M{x:.0f} {y:.0f}C{numbers}",
        "fill": "none",
        "class": "limit" if wait.is_root else "wait",
        "stroke-width": 2.5 if wait.is_root else 2,
        "marker-end": "url(#tl-arrow)",
    }
    return svg.tag("path", look)


def _flag(wait: Wait, nodes: Mapping[str, _Node], lowest: float, language: Language) -> str:
    """The name of a flag on its arrow, nearer to the vector core: the cube core has loops."""
    start, end = nodes[wait.waiter], nodes[wait.setter]
    along = 0.5 if start.x == end.x else 0.62 if start.core == "aic" else 0.38
    x, y = _on_curve(tuple(_points(start, end, lowest)), along)
    text = _short(wait.flag, language)
    width = svg.width_of(text, 7.2) + 8
    plate = svg.box(x - width / 2, y - 11, width, 21, style="bg", rx=3)
    return plate + svg.words(x, y + 4, text, "ink small", "middle")


def _short(flag: str, language: Language) -> str:
    """`flag 0`, `cross-core flag 2`: the arrow says between whom, the table has it all."""
    kind, _, rest = flag.partition("flag ")
    if not rest:
        return flag
    key = "short_cross" if kind else "short_flag"
    return label(key, language, rest.split()[0])


def _is_far(wait: Wait, nodes: Mapping[str, _Node]) -> bool:
    return abs(nodes[wait.waiter].x - nodes[wait.setter].x) > _ACROSS


Points = tuple[tuple[float, float], ...]


def _points(start: _Node, end: _Node, lowest: float) -> Points:
    """Start, two handles and end of a curve: around the outer side within a core, side to side to
    the next core, and below all boxes to one farther away.
    """
    y1, y2 = start.y + _HEIGHT / 2, end.y + _HEIGHT / 2
    if start.x == end.x:
        is_left = start.core == _COLUMNS[0]
        x, out = (start.x, -_LOOP) if is_left else (start.x + _WIDTH, _LOOP)
        return (x, y1), (x + out, y1), (x + out, y2), (x, y2)
    if abs(start.x - end.x) > _ACROSS:
        left, right, low = start.x + _WIDTH / 2, end.x + _WIDTH / 2, lowest + _HEIGHT + _FAR
        return (left, start.y + _HEIGHT), (left, low), (right, low), (right, end.y + _HEIGHT)
    to_right = end.x > start.x
    x1 = start.x + (_WIDTH if to_right else 0)
    x2 = end.x + (0 if to_right else _WIDTH)
    shift = -_APART if to_right else _APART
    middle = (x1 + x2) / 2
    return (x1, y1 + shift), (middle, y1 + shift), (middle, y2 + shift), (x2, y2 + shift)


def _on_curve(points: Points, t: float) -> tuple[float, float]:
    """The point of a cubic curve at `t`."""
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
    x, y = (sum(w * p[k] for w, p in zip(weights, points, strict=True)) for k in (0, 1))
    return x, y
