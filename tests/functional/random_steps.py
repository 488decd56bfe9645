"""Steps of random kernels that compute, each with its meaning in torch."""

from __future__ import annotations

from collections.abc import Callable

import torch

from tests.functional.random_choices import (
    VECTOR,
    Draw,
    Step,
    Tiles,
    assign,
    text,
    torch_dtype,
)

BINARY: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vmul": lambda a, b: a * b,
    "vmax": lambda a, b: torch.where(a.isnan() | (a > b), a, b),
    "vmin": lambda a, b: torch.where(a.isnan() | (a < b), a, b),
    "vdiv": lambda a, b: a / b,
    "vand": lambda a, b: a & b,
    "vor": lambda a, b: a | b,
    "vxor": lambda a, b: a ^ b,
    "vshl": lambda a, b: a * 2**b,
}
UNARY: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "vabs": lambda a: torch.where(a < 0, -a, a) if not a.is_floating_point() else a.abs(),
    "vrelu": lambda a: torch.where(a < 0, 0, a).to(a.dtype),
    "vnot": lambda a: -1 - a,
    "vfloor": lambda a: a.floor(),
    "vsqrt": lambda a: a**0.5,
    "vrec": lambda a: 1 / a,
    "vexp": lambda a: (a.double().exp()).to(a.dtype),
    "vln": lambda a: (a.double().log()).to(a.dtype),
    "vrsqrt": lambda a: (1 / a.double().sqrt()).to(a.dtype),
    "vsigmoid": lambda a: 1 / (1 + (-a.double()).exp()).to(a.dtype),
    "vtanh": lambda a: a.double().tanh().to(a.dtype),
}
# What rounds otherwise than torch in double: only stable steps may follow.
FUZZY = ("vexp", "vln", "vrsqrt", "vsigmoid", "vtanh", "vrec", "vsqrt", "vdiv")


def binary(d: Draw) -> Step:
    """An op of two tiles, a tile and a row, column or number."""
    stable = ("vmax", "vmin")
    if d.fuzzy:
        names = stable
    elif d.floats:
        names = ("vadd", "vsub", "vmul", *stable, "vdiv")
    else:
        names = ("vadd", "vsub", "vmul", *stable, "vand", "vor", "vxor", "vshl")
    name = d.pick(*names)
    height, width = d.size()
    a, b, c = (d.pick(*VECTOR) for _ in "abc")
    first, target = d.part(height, width), d.part(height, width)
    form = "tile" if name in ("vand", "vor", "vxor") else d.pick("tile", "row", "column", "number")
    function = BINARY[name]
    if name == "vshl" or form == "number":
        number = str(d.number(0, 3)) if name == "vshl" else d.scalar()
        value = float(number) if d.floats else int(number)

        def beside(t: Tiles) -> torch.Tensor:
            other = value if name == "vshl" else torch.tensor(value, dtype=t[a].dtype)
            return function(t[a][first], other)

        line = f"T.{name}({text(a, first)}, {number}, {text(c, target)})"
        return Step(lines=(line,), meaning=assign(c, target, beside), fuzzy=name in FUZZY)
    second = d.part(1 if form == "row" else height, 1 if form == "column" else width)
    line = f"T.{name}({text(a, first)}, {text(b, second)}, {text(c, target)})"
    meaning = assign(c, target, lambda t: function(t[a][first], t[b][second].expand(height, width)))
    return Step(lines=(line,), meaning=meaning, fuzzy=name in FUZZY)


def unary(d: Draw) -> Step:
    """An op of one tile."""
    stable = ("vabs", "vrelu") if d.dtype != "int16" else ("vabs",)
    if d.fuzzy:
        names = stable
    else:
        names = (*stable, "vfloor", *FUZZY[:-1]) if d.floats else (*stable, "vnot")
    name = d.pick(*names)
    height, width = d.size()
    a, c = d.pick(*VECTOR), d.pick(*VECTOR)
    source, target = d.part(height, width), d.part(height, width)
    line = f"T.{name}({text(a, source)}, {text(c, target)})"
    meaning = assign(c, target, lambda t: UNARY[name](t[a][source]))
    return Step(lines=(line,), meaning=meaning, fuzzy=name in FUZZY)


def _reduced(mode: str, tile: torch.Tensor, dim: int) -> torch.Tensor:
    # The sum in double; the executors add up in the tile's dtype or wider.
    values = tile.abs() if mode.startswith("abs") else tile
    if mode.endswith("sum"):
        wide = values.double() if tile.is_floating_point() else values.long()
        return wide.sum(dim, keepdim=True).to(tile.dtype)
    return getattr(values, f"a{mode[-3:]}")(dim, keepdim=True)


def reduction(d: Draw) -> Step:
    """A reduction of a part into a row or column of another tile."""
    modes = ("max", "min") if d.fuzzy else ("sum", "max", "min", "abssum", "absmax")
    mode, dim, clear = d.pick(*modes), d.number(0, 1), d.coin()
    height, width = d.size()
    a = d.pick(*VECTOR)
    c = d.pick(*(name for name in VECTOR if name != a))
    source = d.part(height, width)
    target = d.part(1 if dim == 0 else height, width if dim == 0 else 1)
    axis = dim if d.coin() else dim - 2
    line = f"T.reduce({text(a, source)}, {text(c, target)}, {axis}, {mode!r}, clear={clear})"

    def value(t: Tiles) -> torch.Tensor:
        found, before = _reduced(mode, t[a][source], dim), t[c][target]
        if clear:
            return found
        return found + before if mode.endswith("sum") else BINARY[f"v{mode[-3:]}"](found, before)

    fuzzy = d.floats and mode.endswith("sum")
    return Step(lines=(line,), meaning=assign(c, target, value), fuzzy=fuzzy)


def prefix_sum(d: Draw) -> Step:
    """cumsum along either dimension, from either end, perhaps in place."""
    dim, reverse = d.number(0, 1), d.coin()
    height, width = d.size()
    a, c = d.pick(*VECTOR), d.pick(*VECTOR)
    source = d.part(height, width)
    target = source if a == c else d.part(height, width)
    line = f"T.cumsum({text(a, source)}, {text(c, target)}, dim={dim}, reverse={reverse})"

    def value(t: Tiles) -> torch.Tensor:
        tile = t[a][source]
        wide = tile.double() if d.floats else tile.long()
        total = wide.sum(dim, keepdim=True) - wide.cumsum(dim) + wide
        return (total if reverse else wide.cumsum(dim)).to(tile.dtype)

    return Step(lines=(line,), meaning=assign(c, target, value), fuzzy=d.floats)


ROUND: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "rint": torch.round,
    "round": lambda x: x.sign() * (x.abs() + 0.5).floor(),
    "floor": torch.floor,
    "ceil": torch.ceil,
    "trunc": torch.trunc,
}


def converted(value: torch.Tensor, dtype: torch.dtype, mode: str) -> torch.Tensor:
    """A cast: integers saturate, NaN turns to 0, floats take the nearest value."""
    if dtype.is_floating_point:
        return value.to(dtype)
    wide = value.double()
    whole = torch.where(wide.isnan(), 0.0, ROUND[mode](wide))
    return whole.clamp(torch.iinfo(dtype).min, torch.iinfo(dtype).max).to(dtype)


def cast(d: Draw) -> Step:
    """To the second dtype in some round mode, doubled there, and back."""
    height, width = d.size()
    a, c = d.pick(*VECTOR), d.pick(*VECTOR)
    source, there, target = (d.part(height, width) for _ in range(3))
    whole = d.floats and "int" in d.second
    mode = d.pick(*ROUND) if whole else "rint"
    back = d.pick(*ROUND) if "float" in d.second and not d.floats else "rint"
    lines = (
        f"T.vcast({text(a, source)}, {text('w', there)}, round_mode={mode!r})",
        f"T.vadd({text('w', there)}, 1, {text('w', there)})",
        f"T.vcast({text('w', there)}, {text(c, target)}, round_mode={back!r})",
    )

    def meaning(t: Tiles) -> None:
        t["w"][there] = converted(t[a][source], t["w"].dtype, mode) + 1
        t[c][target] = converted(t["w"][there], t[c].dtype, back)

    return Step(lines=lines, meaning=meaning)


COMPARE: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: ~(a == b),
    "lt": lambda a, b: a < b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "le": lambda a, b: a <= b,
}


def choice(d: Draw) -> Step:
    """A comparison into a mask, and the choice that follows it."""
    height, width = d.size()
    a, b, c = (d.pick(*VECTOR) for _ in "abc")
    parts, mode = [d.part(height, width) for _ in range(4)], d.pick(*COMPARE)
    first, second, mask, target = parts
    lines = (
        f"T.vcmp({text(a, first)}, {text(b, second)}, {text('m', mask)}, {mode!r})",
        f"T.vselect({text('m', mask)}, {text(a, first)}, {text(b, second)}, {text(c, target)})",
    )

    def value(t: Tiles) -> torch.Tensor:
        chosen = COMPARE[mode](t[a][first], t[b][second])
        return torch.where(chosen, t[a][first], t[b][second])

    return Step(lines=lines, meaning=assign(c, target, value))


def element_loop(d: Draw) -> Step:
    """A T.Parallel body: one that becomes vector operations, or one that stays a loop."""
    height, width = d.size()
    a, b = d.pick(*VECTOR), d.pick(*VECTOR)
    c = d.pick(*(name for name in VECTOR if name not in (a, b)))
    top, left = d.number(0, d.shape[0] - height), d.number(0, d.shape[1] - width)
    x, y, k = f"{a}[i + {top}, j]", f"{b}[i, j + {left}]", d.scalar()
    bodies: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
        f"T.max({x}, {y})": BINARY["vmax"],
        f"T.if_then_else({x} < {y}, {x}, {y})": lambda p, q: torch.where(p < q, p, q),
    }
    if not d.fuzzy:
        number = torch.tensor(float(k)).to(torch_dtype(d.dtype))
        bodies |= {
            f"{x} * {k} + {y}": lambda p, q: p * number + q,
            f"{k} - {x}": lambda p, q: number - p,
            f"{x} - {y} * {y}": lambda p, q: p - q * q,
        }
    body = d.pick(*bodies)
    lines = (
        f"for i, j in T.Parallel({height}, {width}):",
        f"    {c}[i, j] = {body}",
    )
    first = slice(top, top + height), slice(0, width)
    second = slice(0, height), slice(left, left + width)
    target = slice(0, height), slice(0, width)
    value = assign(c, target, lambda t: bodies[body](t[a][first], t[b][second]))
    return Step(lines=lines, meaning=value, fuzzy=d.floats and ("*" in body or " - " in body))
