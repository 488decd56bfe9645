"""Templates of common kernels: which tile sizes fit, and what they cost.

A tile costs what it moves to and from global memory, plus a fixed number of bytes that stands
for starting its copies. Vector templates keep half of UB free for second copies.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

from tlcourse.diagnostics import error
from tlcourse.jit.arch import AscendArch
from tlcourse.jit.carver.hints import (
    CUBE_EDGE,
    START_BYTES,
    Hint,
    best,
    busiest_core,
    row_bytes,
    tile_sizes,
    tiles,
)
from tlcourse.jit.dtypes import TORCH_DTYPES

_SECOND_COPIES = 2


@dataclass(kw_only=True)
class Template(ABC):
    """What all templates share."""

    _arch: AscendArch = field(default_factory=AscendArch, init=False, repr=False)

    @property
    def arch(self) -> AscendArch:
        """The chip that sizes are chosen for."""
        return self._arch

    def with_arch(self, arch: AscendArch) -> Self:
        """Chooses the chip; returns the template."""
        self._arch = arch
        return self

    def has_arch(self) -> bool:
        """Whether there is a chip: always."""
        return True

    def recommend_hints(self, topk: int = 10) -> list[Hint]:
        """The cheapest tile sizes, cheapest first; at most `topk`."""
        return best(self._hints(), topk)

    @abstractmethod
    def _hints(self) -> Iterator[Hint]:
        """All tile sizes that fit, with their cost."""


@dataclass(kw_only=True)
class ElementwiseTemplate(Template):
    """An operation on each element of two tensors.

    Args:
        shape: the tensors.
        dtype: their dtype.
        custom_mem_mul: tiles of a kernel that needs more memory, as a multiple.
    """

    shape: list[int]
    dtype: str = "float16"
    custom_mem_mul: float = 1

    def _hints(self) -> Iterator[Hint]:
        item, tensors = item_bytes(self.dtype), 3
        room = self._arch.ub_cap / (_SECOND_COPIES * tensors * self.custom_mem_mul)
        for block in tiles([tile_sizes(extent) for extent in self.shape]):
            size = row_bytes(block, item)
            if size <= room:
                yield Hint(block=list(block), rstep=[], cost=self._cost(block, tensors * size))

    def _cost(self, block: tuple[int, ...], moved: int) -> float:
        cores = self._arch.aivector_core_num
        return busiest_core(self.shape, block, cores, lambda: moved + START_BYTES)


@dataclass(kw_only=True)
class GeneralReductionTemplate(Template):
    """A reduction over some dimensions.

    Args:
        structure: one letter per dimension, S for those that stay and R for those reduced.
        shape: the input.
        dtype: its dtype.
        custom_mem_mul: tiles of a kernel that needs more memory, as a multiple.
    """

    structure: str | list[str]
    shape: list[int]
    dtype: str = "float16"
    custom_mem_mul: float = 1

    def __post_init__(self) -> None:
        letters = "".join(self.structure)
        if len(letters) != len(self.shape) or set(letters) - {"S", "R"}:
            raise error(
                "TL461",
                f'structure "{letters}" does not describe a tensor of {len(self.shape)} dimensions',
                why="it has one letter per dimension: S stays, R is reduced",
                fix='write structure="SR" for sums over the rows of a matrix',
            )

    def _hints(self) -> Iterator[Hint]:
        kept, summed = self._extents("S"), self._extents("R")
        room = self._arch.ub_cap / (_SECOND_COPIES * self.custom_mem_mul)
        for sizes in tiles([tile_sizes(extent) for extent in kept + summed]):
            block, step = sizes[: len(kept)], sizes[len(kept) :]
            size = row_bytes(sizes, item_bytes(self.dtype))
            if size <= room:
                yield Hint(block=list(block), rstep=list(step), cost=self._cost(block, step, size))

    def _cost(self, block: tuple[int, ...], step: tuple[int, ...], size: int) -> float:
        pairs = zip(self._extents("R"), step, strict=True)
        steps = math.prod(-(-extent // one) for extent, one in pairs)
        cores = self._arch.aivector_core_num
        return busiest_core(self._extents("S"), block, cores, lambda: steps * (size + START_BYTES))

    def _extents(self, letter: str) -> list[int]:
        pairs = zip("".join(self.structure), self.shape, strict=True)
        return [extent for found, extent in pairs if found == letter]


@dataclass(kw_only=True)
class MatmulTemplate(Template):
    """C = A @ B on the matrix unit.

    Args:
        M: rows of A.
        N: columns of B.
        K: the summed dimension.
        trans_A: A is stored transposed.
        trans_B: B is stored transposed.
        in_dtype: of A and B.
        out_dtype: of C.
        accum_dtype: of the sums.
        with_bias: a row is added.
    """

    M: int
    N: int
    K: int
    trans_A: bool = False
    trans_B: bool = True
    in_dtype: str = "float16"
    out_dtype: str = "float16"
    accum_dtype: str = "float16"
    with_bias: bool = False

    def _hints(self) -> Iterator[Hint]:
        item = item_bytes(self.in_dtype)
        for m, n, k in tiles([tile_sizes(x, CUBE_EDGE) for x in (self.M, self.N, self.K)]):
            fits_l1 = _SECOND_COPIES * (m + n) * k * item <= self._arch.l1_cap
            if fits_l1 and m * n * 4 <= self._arch.l0c_cap:
                yield Hint(block=[m, n], rstep=[k], cost=self._cost(m, n, k))

    def _cost(self, m: int, n: int, k: int) -> float:
        steps = -(-self.K // k)
        moved = steps * ((m + n) * k * item_bytes(self.in_dtype) + START_BYTES)
        moved += m * n * item_bytes(self.out_dtype)
        cores = self._arch.aicube_core_num
        return busiest_core([self.M, self.N], [m, n], cores, lambda: moved)


@dataclass(kw_only=True)
class GEMVTemplate(Template):
    """y = A @ x, with A of N rows and K columns; block is [16, N tile], rstep [K tile].

    Args:
        N: rows of A.
        K: the summed dimension.
        trans_B: accepted; has no effect on sizes.
        in_dtype: of A and x.
        out_dtype: of y.
        accum_dtype: of the sums.
        with_bias: a vector is added.
        custom_mem_mul: tiles of a kernel that needs more memory, as a multiple.
    """

    N: int
    K: int
    trans_B: bool = True
    in_dtype: str = "float16"
    out_dtype: str = "float16"
    accum_dtype: str = "float16"
    with_bias: bool = False
    custom_mem_mul: float = 1

    def _hints(self) -> Iterator[Hint]:
        item, cores = item_bytes(self.in_dtype), self._arch.aicube_core_num
        room = self._arch.l1_cap / (_SECOND_COPIES * self.custom_mem_mul)
        for n, k in tiles([tile_sizes(x, CUBE_EDGE) for x in (self.N, self.K)]):
            size = (n + CUBE_EDGE) * k * item
            moved = -(-self.K // k) * (size + START_BYTES)
            if size <= room and n * CUBE_EDGE * 4 <= self._arch.l0c_cap:
                cost = busiest_core([self.N], [n], cores, lambda moved=moved: moved)
                yield Hint(block=[CUBE_EDGE, n], rstep=[k], cost=cost)


def item_bytes(dtype: str) -> int:
    """Bytes of one element.

    Raises:
        TL461: kernels have no such dtype.
    """
    if dtype not in TORCH_DTYPES:
        raise error(
            "TL461",
            f'a template cannot count the bytes of dtype "{dtype}"',
            why=f"kernels have {', '.join(TORCH_DTYPES)}",
            fix='write dtype="float16"',
        )
    return TORCH_DTYPES[dtype].itemsize
