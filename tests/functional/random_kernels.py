"""Random kernels as texts, each with a plain torch evaluation that knows nothing of our tables.

A kernel works on row tiles of A and B: `x`, `y` and `z` [rows, columns] of its dtype, `w` of a
second dtype, `t` turned [columns, rows], `m` a mask, `g` indices. A step is some lines of the
kernel and, beside them, what they mean in torch on tensors of the same names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import torch
from hypothesis import strategies as st

Tiles = dict[str, torch.Tensor]
Meaning = Callable[[Tiles], None]
DTYPES = ("float16", "float32", "bfloat16", "int32", "int16")
SECOND = {
    "float16": ("float32", "int16", "int32"),
    "float32": ("float16", "bfloat16", "int16", "int32"),
    "bfloat16": ("float32",),
    "int32": ("float32", "int16"),
    "int16": ("float16", "float32"),
}
VECTOR = "xyz"
Part = tuple[slice, slice]


@dataclass(frozen=True, kw_only=True)
class Step:
    """Lines of a kernel, what they mean, and whether other orders of addition round otherwise."""

    lines: tuple[str, ...]
    meaning: Meaning
    fuzzy: bool = False


@dataclass(frozen=True, kw_only=True)
class Case:
    """A kernel: extents of the tensors and tiles, dtypes, where A is read, and the steps."""

    rows: int
    tile: tuple[int, int]
    dtype: str
    second: str
    left: int
    steps: tuple[Step, ...]
    seed: int

    @property
    def blocks(self) -> int:
        """Number of row tiles; the last one may be shorter."""
        return -(-self.rows // self.tile[0])


@dataclass(kw_only=True)
class Draw:
    """The choices of one kernel: what came so far decides what may come next."""

    random: Random
    shape: tuple[int, int]
    dtype: str
    second: str
    fuzzy: bool = False

    @property
    def floats(self) -> bool:
        """Whether the tiles hold floats."""
        return "float" in self.dtype

    def pick(self, *choices: str) -> str:
        """One of some words."""
        return self.random.choice(choices)

    def coin(self) -> bool:
        """Yes or no."""
        return self.random.random() < 0.5

    def number(self, low: int, high: int) -> int:
        """An integer of a range."""
        return self.random.randint(low, high)

    def part(self, height: int, width: int, shape: tuple[int, int] | None = None) -> Part:
        """A place for `height` x `width` elements in a tile."""
        rows, columns = shape or self.shape
        top, left = self.number(0, rows - height), self.number(0, columns - width)
        return slice(top, top + height), slice(left, left + width)

    def size(self) -> tuple[int, int]:
        """Extents of a part: often the whole tile."""
        rows, columns = self.shape
        if self.coin():
            return rows, columns
        return self.number(1, rows), self.number(1, columns)

    def scalar(self) -> str:
        """A Python number that every dtype holds exactly."""
        return self.pick("2", "-1", "3") if not self.floats else self.pick("0.5", "-1.5", "2")


def text(name: str, part: Part) -> str:
    """A slice as the kernel writes it."""
    return f"{name}[{', '.join(f'{one.start}:{one.stop}' for one in part)}]"


def torch_dtype(name: str) -> torch.dtype:
    """torch's dtype of a TileLang name."""
    return getattr(torch, name)


def assign(name: str, part: Part, value: Callable[[Tiles], torch.Tensor]) -> Meaning:
    """Writes a value, computed before anything is written, into a part of a tile."""

    def meaning(tiles: Tiles) -> None:
        tiles[name][part] = value(tiles).clone().to(tiles[name].dtype)

    return meaning


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


def makers(d: Draw) -> tuple[Callable[[Draw], Step], ...]:
    """The kinds of steps that may come next; what comes twice is drawn more often."""
    moves = (turn, joined, padded, copied, repeated, woven, gathered)
    stable = (*moves, *(binary, unary) * 4, reduction, *(element_loop,) * 2)
    if d.dtype != "bfloat16":
        stable += (choice,)
    if d.fuzzy:
        return stable
    return (*stable, *(cast,) * 3, *((prefix_sum,) if d.dtype != "bfloat16" else ()))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Kernels of 1 to 3 blocks and 1 to 5 steps."""
    tile = draw(st.integers(1, 24)), draw(st.integers(1, 40))
    dtype = draw(st.sampled_from(DTYPES))
    second = draw(st.sampled_from(SECOND[dtype]))
    blocks = draw(st.integers(1, 3))
    rows = draw(st.integers((blocks - 1) * tile[0] + 1, blocks * tile[0]))
    # One number decides the steps: drawn one by one they repeat each other from case to case.
    choices = Random(f"{draw(st.integers(0, 2**32))} {tile} {rows} {dtype} {second}")
    d = Draw(random=choices, shape=tile, dtype=dtype, second=second)
    steps: list[Step] = []
    for _ in range(draw(st.integers(1, 5))):
        step = choices.choice(makers(d))(d)
        steps.append(step)
        # bfloat16 chains keep float32 between operations: what rounds may come out otherwise.
        d.fuzzy = d.fuzzy or step.fuzzy or dtype == "bfloat16"
    left, seed = draw(st.integers(0, 5)), draw(st.integers(0, 2**16))
    return Case(
        rows=rows,
        tile=tile,
        dtype=dtype,
        second=second,
        left=left,
        steps=tuple(steps),
        seed=seed,
    )


def source(case: Case, mode: str) -> str:
    """The kernel's text."""
    (height, width), rows, left = case.tile, case.rows, case.left
    vector = "T.alloc_ub" if mode == "Expert" else "T.alloc_shared"
    shapes = {name: ((height, width), case.dtype) for name in VECTOR}
    shapes |= {"w": ((height, width), case.second), "m": ((height, width), "bool")}
    shapes |= {"g": ((height, width), "int32"), "t": ((width, height), case.dtype)}
    shapes |= {"u": ((width, height), case.dtype)}
    used = "\n".join(line for step in case.steps for line in step.lines)
    lines = [
        f"{name} = {vector}({shape}, {kind!r})"
        for name, (shape, kind) in shapes.items()
        if name in VECTOR or f"{name}[" in used or f" {name})" in used or f" {name}," in used
    ]
    lines += [f"r = cid * {height}", f"n = T.min({height}, {rows} - r)"]
    lines += ["T.vbrc(1, x)", "T.vbrc(2, y)", "T.vbrc(3, z)"]
    lines += [f"T.copy(A[r : r + n, {left} : {left + width}], x[0:n, :])"]
    lines += [f"T.copy(B[r, {left}], y[0:n, :])"]
    lines += [line for step in case.steps for line in step.lines]
    lines += [f"T.copy({name}[0:n, :], {name.upper()}[r : r + n, 0:{width}])" for name in VECTOR]
    body = "\n".join(" " * 8 + line for line in lines)
    wide, narrow = f"({rows}, {width + 5})", f"({rows}, {width})"
    parameters = [f'{name}: T.Tensor({wide}, "{case.dtype}")' for name in "AB"]
    parameters += [f'{name}: T.Tensor({narrow}, "{case.dtype}")' for name in "XYZ"]
    return (
        f"@T.prim_func\ndef k({', '.join(parameters)}):\n"
        f"    with T.Kernel({case.blocks}, is_npu=True) as (cid, _):\n{body}\n"
    )


def inputs(case: Case) -> tuple[torch.Tensor, torch.Tensor]:
    """A and B: quarters between -2 and 2, or small integers."""
    generator = torch.Generator().manual_seed(case.seed)
    shape = case.rows, case.tile[1] + 5
    a, b = (torch.randint(-8, 9, shape, generator=generator) for _ in "ab")
    kind = torch_dtype(case.dtype)
    return (a / 4).to(kind) if kind.is_floating_point else a.to(kind), (
        (b / 4).to(kind) if kind.is_floating_point else b.to(kind)
    )


def expected(case: Case, a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """What the kernel computes, block after block, in plain torch."""
    (height, width), kind = case.tile, torch_dtype(case.dtype)
    outputs = {name: torch.zeros(case.rows, width, dtype=kind) for name in VECTOR}
    for first in range(0, case.rows, height):
        n = min(height, case.rows - first)
        tiles = {
            name: torch.full((height, width), i, dtype=kind) for i, name in enumerate(VECTOR, 1)
        }
        tiles["w"] = torch.zeros(height, width, dtype=torch_dtype(case.second))
        tiles["x"][:n] = a[first : first + n, case.left : case.left + width]
        tiles["y"][:n] = b[first : first + n, case.left : case.left + width]
        for step in case.steps:
            step.meaning(tiles)
        for name, output in outputs.items():
            output[first : first + n] = tiles[name][:n]
    return tuple(outputs.values())
