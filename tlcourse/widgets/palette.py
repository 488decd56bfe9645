"""One colour and one hatch for each pipe and each memory, the same in every figure.

The colours can be told apart with the common forms of colour blindness, carry black text,
and stand on a light and on a dark page. The hatch is the second sign, so that a figure
still reads in grey.

Source: pipes use the colours of Okabe and Ito (jfly.uni-koeln.de/color), memories the
"light" scheme of Paul Tol (personal.sron.nl/~pault).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Hatch = Literal["none", "/", "\\", "x", "-", "|", "."]
INK = "#111111"


@dataclass(frozen=True, kw_only=True, slots=True)
class Swatch:
    """How a pipe or a memory looks.

    Args:
        key: short name, also the id of its pattern in an SVG.
        label: the word on screen.
        fill: colour of its area.
        hatch: pattern drawn over the area.
        english: what it is, for a legend or a screen reader.
        chinese: the same in Chinese.
    """

    key: str
    label: str
    fill: str
    hatch: Hatch
    english: str
    chinese: str


def _swatch(
    key: str, label: str, fill: str, hatch: Hatch, english: str, chinese: str
) -> tuple[str, Swatch]:
    swatch = Swatch(key=key, label=label, fill=fill, hatch=hatch, english=english, chinese=chinese)
    return key, swatch


# In the order in which data passes through them; lanes of a timeline follow it.
PIPES = dict(
    [
        _swatch("S", "SCALAR", "#BBBBBB", ".", "scalar unit, issues", "标量单元，发射指令"),
        _swatch("MTE2", "MTE2", "#56B4E9", "/", "GM to L1 or UB", "GM 到 L1 或 UB"),
        _swatch("MTE1", "MTE1", "#009E73", "-", "L1 to L0A and L0B", "L1 到 L0A 和 L0B"),
        _swatch("M", "CUBE", "#D55E00", "x", "matrix unit", "矩阵单元"),
        _swatch("FIX", "FIXP", "#CC79A7", "|", "L0C to GM", "L0C 到 GM"),
        _swatch("V", "VECTOR", "#F0E442", "none", "vector unit", "向量单元"),
        _swatch("MTE3", "MTE3", "#E69F00", "\\", "UB to GM", "UB 到 GM"),
    ]
)

MEMORIES = dict(
    [
        _swatch("gm", "GM", "#DDDDDD", ".", "global memory", "全局内存"),
        _swatch("cbuf", "L1", "#77AADD", "/", "buffer of the cube core", "cube 核的缓冲"),
        _swatch("ca", "L0A", "#44BB99", "-", "left operand of the cube", "矩阵左操作数"),
        _swatch("cb", "L0B", "#BBCC33", "|", "right operand of the cube", "矩阵右操作数"),
        _swatch("cc", "L0C", "#EE8866", "x", "accumulator of the cube", "矩阵累加器"),
        _swatch(
            "ub",
            "UB",
            "#EEDD88",
            "none",
            "unified buffer of the vector core",
            "vector 核的统一缓冲",
        ),
    ]
)

_UNKNOWN = Swatch(
    key="other", label="?", fill="#FFFFFF", hatch="\\", english="other", chinese="其他"
)


def pipe(name: str) -> Swatch:
    """The look of a pipe, by any of its names: `PIPE_MTE2`, `MTE2`, `S`, `SCALAR`."""
    return _find(PIPES, name.removeprefix("PIPE_"))


def memory(name: str) -> Swatch:
    """The look of a memory, by any of its names: `ub`, `UB`, `cbuf`, `L1`."""
    return _find(MEMORIES, name)


def lane_order(name: str) -> int:
    """Place of a pipe among the lanes of a core."""
    keys = list(PIPES)
    key = pipe(name).key
    return keys.index(key) if key in keys else len(keys)


def _find(table: dict[str, Swatch], name: str) -> Swatch:
    for swatch in table.values():
        if name in (swatch.key, swatch.label):
            return swatch
    return Swatch(
        key=_UNKNOWN.key,
        label=name,
        fill=_UNKNOWN.fill,
        hatch=_UNKNOWN.hatch,
        english=_UNKNOWN.english,
        chinese=_UNKNOWN.chinese,
    )
