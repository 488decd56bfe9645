"""`tilelang.carver.anneal`: tile sizes in steps of 16 with the least traffic, by full search.

Upstream walks at random and may stop at a worse one. Here every size is looked at, so the
answer is the best one of the cost model, and the same in every run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tlcourse.diagnostics import error
from tlcourse.jit.arch import AscendArch
from tlcourse.jit.carver.hints import CUBE_EDGE, START_BYTES, tiles
from tlcourse.jit.carver.templates import item_bytes

Tile = tuple[int, ...]

_MOST = 256
_FEW = 24  # sizes looked at per dimension, spread evenly
_TEMPLATES = ("Elementwise", "Matmul", "FlashAttention")


@dataclass(frozen=True, kw_only=True)
class Annealparam:
    """How many answers there are, and how full memories may be.

    Args:
        topk: the number of configurations.
        custom_mem_multiply: the part of a tile's bytes that counts.
        expand_neighbour: accepted, as all that follow; the search is complete without them.
    """

    topk: int = 10
    custom_mem_multiply: float = 0.7
    expand_neighbour: int = 2
    onestep_chance: float = 0.7
    number: int = 100
    steps: int = 60
    temperature: float = 100
    alpha: float = 0.97


@dataclass(frozen=True, kw_only=True)
class Config:
    """One choice: tile sizes in `kwargs`, the cost in `value`."""

    kwargs: list[int]
    value: float


class AnnealTemplate:
    """A search over the tile sizes of one kind of kernel.

    Args:
        shape: sizes of the problem: (M, N, K) of a product; (rows of Q, rows of K, head size)
            of attention; the tensor of an elementwise kernel.
        init_low_tile: the smallest tile.
        init_tile: the greatest tile.
        annealparam: how many answers.
        use_template: `Elementwise`, `Matmul` or `FlashAttention`.
        dtype: of the inputs.
        accum_dtype: of the sums.
        arch: the chip.

    Raises:
        TL461: there is no such template.
    """

    def __init__(
        self,
        shape: Sequence[int],
        init_low_tile: Sequence[int] | None = None,
        init_tile: Sequence[int] | None = None,
        annealparam: Annealparam | None = None,
        use_template: str = "Elementwise",
        dtype: str = "float16",
        accum_dtype: str = "float32",
        arch: AscendArch | None = None,
    ) -> None:
        if use_template not in _TEMPLATES:
            raise _no_template(use_template)
        self.shape = list(shape)
        self.annealparam = annealparam or Annealparam()
        self.use_template = use_template
        self.arch = arch or AscendArch()
        self._item, self._sum = item_bytes(dtype), item_bytes(accum_dtype)
        is_attention = use_template == "FlashAttention"
        whole = [*(min(x, _MOST) for x in self.shape[:2]), *self.shape[2:]]
        self.init_tile = list(init_tile or (whole if is_attention else self.shape))
        self.init_low_tile = list(init_low_tile or [CUBE_EDGE] * len(self.shape))
        if is_attention and init_low_tile is None:
            self.init_low_tile[2] = self.shape[2]

    def get_configs(self) -> list[Config]:
        """The choices with the least cost, least first."""
        found = [
            Config(kwargs=list(tile), value=self._cost(tile))
            for tile in tiles([list(self._sizes(axis)) for axis in range(len(self.shape))])
            if self._fits(tile)
        ]
        found.sort(key=lambda config: (config.value, config.kwargs))
        return found[: self.annealparam.topk]

    def _sizes(self, axis: int) -> Iterator[int]:
        """Multiples of 16 between the least and the greatest tile; whole divisors come first."""
        low, high = self.init_low_tile[axis], self.init_tile[axis]
        steps = [s for s in range(CUBE_EDGE, high + 1, CUBE_EDGE) if s >= low] or [high]
        even = [size for size in steps if self.shape[axis] % size == 0]
        chosen = even or steps
        yield from chosen[:: max(1, len(chosen) // _FEW)]

    def _fits(self, tile: Tile) -> bool:
        return all(
            size * self.annealparam.custom_mem_multiply <= room for size, room in self._needs(tile)
        )

    def _needs(self, tile: Tile) -> list[tuple[float, int]]:
        """Bytes of the tiles in each memory, and what it holds."""
        if self.use_template == "Elementwise":
            return [(math.prod(tile) * self._item, self.arch.ub_cap)]
        m, n, k = tile
        factors = (m * k + n * k) * self._item, self.arch.l1_cap
        if self.use_template == "Matmul":
            return [factors, (m * n * self._sum, self.arch.l0c_cap)]
        # Half of the rows of scores and of the output lies on each vector core.
        scores = m * n * (self._sum + self._item) / 2, self.arch.ub_cap
        return [factors, scores, ((m * n + n * k) * self._item, self.arch.l1_cap)]

    def _cost(self, tile: Tile) -> float:
        """Bytes that the busiest core moves."""
        waves = -(-math.prod(self._grid(tile)) // self._cores())
        return float(waves * (START_BYTES + sum(self._moved(tile))))

    def _grid(self, tile: Tile) -> list[int]:
        return [-(-extent // size) for extent, size in zip(self.shape, tile, strict=True)]

    def _cores(self) -> int:
        vector = self.use_template == "Elementwise"
        return self.arch.aivector_core_num if vector else self.arch.aicube_core_num

    def _moved(self, tile: Tile) -> Tile:
        if self.use_template == "Elementwise":
            return (math.prod(tile) * self._item,)
        m, n, k = tile
        return m * k * self._item, n * k * self._item, m * n * self._sum


def _no_template(name: str) -> Exception:
    return error(
        "TL461",
        f'use_template = "{name}" is not known',
        why=f"the search knows the kernels {', '.join(_TEMPLATES)}",
        fix="choose the nearest one, or list configurations yourself",
    )
