"""Which parts of two buffers a copy moves: each rule, once kept and once broken."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError


def moved(kernel: T.PrimFunc) -> list[str]:
    """Shapes on both sides of the last copy, as the Tile IR says them."""
    line = [text for text in str(kernel.module).splitlines() if "tl.copy" in text][-1]
    return re.findall(r"memref<([0-9x?]+)xf32", line)


# body lines, shapes of source and destination
COPIES = {
    "whole buffers": ("T.copy(a, b)", ["64x128", "64x128"]),
    "a slice says its extents": ("T.copy(A[0:64, :], a)", ["64x128", "64x128"]),
    "an open end reaches the end": ("T.copy(A[192:, :], a)", ["64x128", "64x128"]),
    "a variable start, a constant extent": (
        "T.copy(A[cid * 64 : (cid + 1) * 64, :], a)",
        ["64x128", "64x128"],
    ),
    "an index keeps its dimension": (
        "r = T.alloc_ub((128,), 'float32')\nT.copy(A[n, :], r)",
        ["1x128", "128"],
    ),
    "a whole buffer takes the slice's extents": ("T.copy(A[0:8, :], a)", ["8x128", "8x128"]),
    "of another rank it keeps its own": (
        "r = T.alloc_ub((1, 8, 128), 'float32')\nT.copy(A[0:8, :], r)",
        ["8x128", "1x8x128"],
    ),
    "a start point takes the other side's": ("T.copy(A[n, 0], a)", ["64x128", "64x128"]),
    "leading extents it lacks are 1": (
        "r = T.alloc_ub((128,), 'float32')\nT.copy(A[n, 0], r)",
        ["1x128", "128"],
    ),
    "size applies to both sides": ("T.copy(A[n, 0], a, size=[8, 16])", ["8x16", "8x16"]),
    "a lower rank takes the last entries": (
        "r = T.alloc_ub((128,), 'float32')\nT.copy(A[n, 0], r, size=[1, 16])",
        ["1x16", "16"],
    ),
    "a name for a slice": ("s = A[0:8, :]\nT.copy(s, a[0:8, :])", ["8x128", "8x128"]),
    "an end before the start of the tile": ("T.copy(A[:8, :], a[:8, :])", ["8x128", "8x128"]),
    "a start point as destination": ("T.copy(a, B[n, 0])", ["64x128", "64x128"]),
    "a start point of a lower rank": (
        "r = T.alloc_ub((1, 4, 128), 'float32')\nT.copy(r, B[n, 0])",
        ["1x4x128", "4x128"],
    ),
    "size cuts a buffer of another rank": (
        "r = T.alloc_ub((2, 8, 128), 'float32')\nT.copy(A[n, 0], r, size=[8, 16])",
        ["8x16", "1x8x16"],
    ),
    "ranks up to 5": (
        "r = T.alloc_ub((1, 2, 1, 4, 128), 'float32')\n"
        "s = T.alloc_ub((2, 4, 1, 128), 'float32')\nT.copy(r, s)",
        ["1x2x1x4x128", "2x4x1x128"],
    ),
    "extents of the run and 1 may be left out": (
        "r = T.alloc_ub((128,), 'float32')\nT.copy(A[n, 0:n], r[0:n])",
        ["1x?", "?"],
    ),
    "an extent of the run may be any": (
        "T.copy(A[0 : T.min(n, 64), 0:n], a[0:64, 0:128])",
        ["?x?", "64x128"],
    ),
    "an extent of the run": ("T.copy(A[0:n, :], a[0:n, :])", ["?x128", "?x128"]),
    "a named number is a number": ("w = 8\nT.copy(A[0:w, :], a)", ["8x128", "8x128"]),
}


@pytest.mark.parametrize("name", COPIES)
def test_extents(body: Callable[[str], T.PrimFunc], name: str) -> None:
    lines, shapes = COPIES[name]
    assert moved(body(lines)) == shapes


REFUSED = {
    "other extents": ("TL123", "T.copy(A[0:8, :], a[0:9, :])"),
    "another number of extents": (
        "TL123",
        "r = T.alloc_ub((2, 8, 128), 'float32')\nT.copy(A[0:8, :], r)",
    ),
    "another order": (
        "TL123",
        "r = T.alloc_ub((128, 64), 'float32')\nT.copy(a, r)",
    ),
    "two start points": ("TL123", "T.copy(A[0, 0], a[0, 0])"),
    "size beside two slices": ("TL122", "T.copy(A[0:8, :], a[0:8, :], size=[8, 128])"),
    "size of another extent": ("TL119", "T.copy(A[n, 0], a, size=[65, 128])"),
    "tensors alone": ("TL203", "T.copy(A, B)"),
    "size beside a slice": ("TL122", "T.copy(A[n, 0], a[0:8, :], size=[8, 128])"),
    "past the end": ("TL119", "T.copy(A[200:264, :], a)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(refuse: Callable[[str], TLError], name: str) -> None:
    code, lines = REFUSED[name]
    assert refuse(lines).code == code


def test_the_end_of_a_slice_leaves_no_op_behind(body: Callable[[str], T.PrimFunc]) -> None:
    text = str(body("T.copy(A[cid * 64 : cid * 64 + 64, :], a)").module)
    assert "arith.addi" not in text
    assert text.count("arith.muli") == 1


def test_an_extent_that_is_a_name_keeps_it(body: Callable[[str], T.PrimFunc]) -> None:
    text = str(body("rows = T.min(64, n)\nT.copy(A[n : n + rows, :], a[0:rows, :])").module)
    assert text.count("[%rows]") == 2
