"""A module's text in figures: ops by kind, flags, barriers, buffers and bytes of each memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import prod

from tlcourse.pipeline.trace import op_counts

_FLAGS = ("hivm.hir.set_flag", "hivm.hir.wait_flag")
_BARRIERS = ("hivm.hir.pipe_barrier",)
_CROSS_FLAGS = ("hivm.hir.sync_block_set", "hivm.hir.sync_block_wait")
_MAKES = ("memref.alloc", "tensor.empty", "hivm.hir.pointer_cast")

_CONSTANT = re.compile(r"^\s*(%[\w$.-]+) = arith\.constant (-?\d+) : i64", re.MULTILINE)
_FUNCTION = re.compile(r"^\s*func\.func .*@([\w$.]+)", re.MULTILINE)
_POINTER = re.compile(
    r"= hivm\.hir\.pointer_cast\(([^)]*)\)[^:\n]* : (?:\[[^\n\]]*\] )?memref<((?:\d+x)*)([a-z]+\d+)"
    r".*?#hivm\.address_space<(\w+)>"
)
_BITS = re.compile(r"\d+$")


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What a module holds.

    Args:
        ops: how often each op occurs.
        flags: set_flag and wait_flag.
        barriers: pipe_barrier.
        cross_flags: sync_block_set and sync_block_wait.
        buffers: buffers made: tensor.empty, memref.alloc and pointer_cast.
        peak_bytes: end of the last planned buffer, by memory (`ub`, `cbuf`, `cc`); the largest of
            the functions, as each runs on a core of its own.
    """

    ops: Mapping[str, int]
    flags: int
    barriers: int
    cross_flags: int
    buffers: int
    peak_bytes: Mapping[str, int]


def figures(text: str) -> Figures:
    """Counts what stands in a module's readable text; locations may be in it.

    Args:
        text: the module.
    """
    ops = op_counts(text)
    return Figures(
        ops=ops,
        flags=_sum(ops, _FLAGS),
        barriers=_sum(ops, _BARRIERS),
        cross_flags=_sum(ops, _CROSS_FLAGS),
        buffers=_sum(ops, _MAKES),
        peak_bytes=_peaks(text),
    )


def _sum(ops: Mapping[str, int], names: Iterable[str]) -> int:
    return sum(ops.get(name, 0) for name in names)


def _peaks(text: str) -> dict[str, int]:
    peaks: dict[str, int] = {}
    for body in _functions(text):
        # Names of values are those of one function; another may use them for other numbers.
        places = {name: int(number) for name, number in _CONSTANT.findall(body)}
        for found in _POINTER.finditer(body):
            names, shape, dtype, space = found.groups()
            size = _bytes(shape, dtype)
            for name in names.split(","):
                end = places.get(name.strip(), 0) + size
                peaks[space] = max(peaks.get(space, 0), end)
    return dict(sorted(peaks.items()))


def _functions(text: str) -> Iterator[str]:
    edges = [*(found.start() for found in _FUNCTION.finditer(text)), len(text)]
    for start, end in pairwise(edges):
        yield text[start:end]


def _bytes(shape: str, dtype: str) -> int:
    found = _BITS.search(dtype)
    bits = int(found[0]) if found else 8
    return -(-prod(int(word) for word in shape.split("x") if word) * bits // 8)
