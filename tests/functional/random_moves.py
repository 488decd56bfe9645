"""Steps of random kernels that move elements: turn, join, pad, weave, pick, copy, repeat."""

from __future__ import annotations

import torch

from tests.functional.random_choices import VECTOR, Draw, Step, Tiles, assign, text


def turn(d: Draw) -> Step:
    """A transposed or reshaped copy in `t`, flipped there, and turned back."""
    rows, columns = d.shape
    a, c, axis = d.pick(*VECTOR), d.pick(*VECTOR), d.number(0, 1)
    reshaped = d.coin()
    there = f"T.reshape({a}, t)" if reshaped else f"T.transpose({a}, t, [1, 0])"
    lines = (there, f"T.flip(t, u, {axis})", f"T.transpose(u, {c}, [1, 0])")

    def meaning(t: Tiles) -> None:
        t["t"] = t[a].reshape(columns, rows).clone() if reshaped else t[a].T.clone()
        t["u"] = t["t"].flip(axis)
        t[c] = t["u"].T.clone()

    return Step(lines=lines, meaning=meaning)


def joined(d: Draw) -> Step:
    """Two parts side by side, or one above the other."""
    height, width = d.size()
    dim = d.number(0, 1)
    if (height, width)[dim] < 2:
        return copied(d)
    cut = d.number(1, (height, width)[dim] - 1)
    sizes = (
        [(cut, width), (height - cut, width)]
        if dim == 0
        else [(height, cut), (height, width - cut)]
    )
    a, b = d.pick(*VECTOR), d.pick(*VECTOR)
    c = d.pick(*(name for name in VECTOR if name not in (a, b)))
    parts, target = [d.part(*size) for size in sizes], d.part(height, width)
    line = f"T.concat({text(a, parts[0])}, {text(b, parts[1])}, {text(c, target)}, {dim})"
    value = assign(c, target, lambda t: torch.cat([t[a][parts[0]], t[b][parts[1]]], dim))
    return Step(lines=(line,), meaning=value)


def padded(d: Draw) -> Step:
    """A part with a number before and behind it."""
    height, width = d.size()
    low, high = d.number(0, width - 1), 0
    high = d.number(0, width - 1 - low)
    a = d.pick(*VECTOR)
    c = d.pick(*(name for name in VECTOR if name != a))
    source, target, number = d.part(height, width - low - high), d.part(height, width), d.scalar()
    line = f"T.pad({text(a, source)}, {text(c, target)}, {number}, [0, {low}], [0, {high}])"

    def value(t: Tiles) -> torch.Tensor:
        whole = torch.full((height, width), float(number)).to(t[a].dtype)
        whole[:, low : width - high] = t[a][source]
        return whole

    return Step(lines=(line,), meaning=assign(c, target, value))


def woven(d: Draw) -> Step:
    """Two parts element by element in turn, or the way back."""
    height, width = d.size()
    half = width // 2
    if half == 0:
        return copied(d)
    a, b, c = d.random.sample(VECTOR, 3)
    parts, whole = [d.part(height, half) for _ in "ab"], d.part(height, 2 * half)
    names = f"{text(a, parts[0])}, {text(b, parts[1])}"
    if d.coin():
        line = f"T.interleave({names}, {text(c, whole)})"

        def value(t: Tiles) -> torch.Tensor:
            both = torch.empty(height, 2 * half, dtype=t[a].dtype)
            both[:, 0::2], both[:, 1::2] = t[a][parts[0]], t[b][parts[1]]
            return both

        return Step(lines=(line,), meaning=assign(c, whole, value))

    def meaning(t: Tiles) -> None:
        both = t[c][whole].clone()
        t[a][parts[0]], t[b][parts[1]] = both[:, 0::2], both[:, 1::2]

    return Step(lines=(f"T.deinterleave({text(c, whole)}, {names})",), meaning=meaning)


def gathered(d: Draw) -> Step:
    """Elements picked by indices that count up, perhaps from the end."""
    height, width = d.size()
    a = d.pick(*VECTOR)
    c = d.pick(*(name for name in VECTOR if name != a))
    source, target, places = d.part(height, width), d.part(height, width), d.part(height, width)
    step, first = (-1, width - 1) if d.coin() else (0, d.number(0, width - 1))
    lines = (
        f"T.arange({text('g', places)}, [0, {step}], {first})",
        f"T.gather({text(a, source)}, {text(c, target)}, {text('g', places)})",
    )
    order = [first + step * j for j in range(width)]
    return Step(lines=lines, meaning=assign(c, target, lambda t: t[a][source][:, order]))


def copied(d: Draw) -> Step:
    """A copy between parts of tiles."""
    height, width = d.size()
    a = d.pick(*VECTOR)
    c = d.pick(*(name for name in VECTOR if name != a))
    source, target = d.part(height, width), d.part(height, width)
    line = f"T.copy({text(a, source)}, {text(c, target)})"
    return Step(lines=(line,), meaning=assign(c, target, lambda t: t[a][source]))


def repeated(d: Draw) -> Step:
    """A number, row or column that fills a part."""
    height, width = d.size()
    a = d.pick(*VECTOR)
    c = d.pick(*(name for name in VECTOR if name != a))
    target, form = d.part(height, width), d.pick("row", "column", "number")
    if form == "number" or (height, width)[form == "column"] == 1:
        number = d.scalar()
        line = f"T.vbrc({number}, {text(c, target)})"
        meaning = assign(c, target, lambda t: torch.full((height, width), float(number)))
        return Step(lines=(line,), meaning=meaning)
    source = d.part(1 if form == "row" else height, 1 if form == "column" else width)
    line = f"T.vbrc({text(a, source)}, {text(c, target)})"
    return Step(
        lines=(line,), meaning=assign(c, target, lambda t: t[a][source].expand(height, width))
    )
