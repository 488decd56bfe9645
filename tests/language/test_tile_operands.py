"""Errors of the tile ops that change extents, and what their calls become."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.dialects import tl
from tlcourse.dialects.text import from_text, to_text

Read = Callable[..., T.PrimFunc]
ROW = 'r = T.alloc_ub((64, 1), "float32")\n'
COLUMN = 'r = T.alloc_ub((1, 128), "float32")\n'
TURNED = 't = T.alloc_ub((128, 64), "float32")\n'
WIDE = 'w = T.alloc_ub((64, 256), "float32")\n'
HALF = 'h = T.alloc_ub((64, 1), "float16")\n'
INDEX = 'x = T.alloc_ub((64, 128), "int32")\n'

# (code, lines of a body, words of the message, stretches under the carets)
REFUSED = [
    ("TL138", ROW + 'T.reduce(a, r, 1, "maxx")', "no mode 'maxx'", ['"maxx"']),
    ("TL138", ROW + 'T.reduce(a, r, 1, "none")', "no mode 'none'", ['"none"']),
    (
        "TL138",
        ROW + 'T.reduce(a, r, 1, "prod", clear=False)',
        "'prod' does not go with clear=False",
        ["False", '"prod"'],
    ),
    ("TL138", ROW + 'T.reduce(a, r, 1, "max_with_index_left")', "writes a pair", ["r"]),
    ("TL138", ROW + 'T.reduce(a, (r, r), 1, "max")', "writes one tile", ["(r, r)"]),
    ("TL138", "T.deinterleave(a, b, c, index_mode='ALL')", "no mode 'ALL'", ["'ALL'"]),
    ("TL138", "T.interleave(a, b, c, channel_nums=3)", "no 3 channels", ["3"]),
    ("TL139", ROW + "T.reduce_max(a, r, dim=2)", "no dimension 2", ["2"]),
    ("TL139", ROW + "T.reduce_max(a, r, dim=n)", "no dimension an int32 scalar", ["n"]),
    ("TL139", ROW + 'T.reduce(a, r, [], "sum")', "no dimension is named", ["[]"]),
    ("TL139", ROW + 'T.reduce(a, r, [1, -1], "sum")', "named twice", ["[1, -1]"]),
    (
        "TL139",
        'x = T.alloc_ub((1, 1), "float32")\nT.reduce(a, (x, x), [0, 1], "max_with_index_left")',
        None,
        None,
    ),
    ("TL139", TURNED + "T.transpose(a, t, [1, 1])", "no order of 2 dimensions", ["[1, 1]"]),
    ("TL139", "T.flip(a, b, 2)", "no dimension 2", ["2"]),
    ("TL139", "T.cumsum(a, b, dim=-3)", "no dimension -3", ["-3"]),
    ("TL123", COLUMN + "T.reduce_sum(a, r, dim=1)", "(64, 1), but `out` has (1, 128)", ["r"]),
    (
        "TL123",
        'r = T.alloc_ub((64,), "float32")\nT.reduce_sum(a, r, dim=1)',
        "but `out` has (64,)",
        ["r"],
    ),
    ("TL123", "T.transpose(a, b, [1, 0])", "gives (128, 64)", ["b"]),
    ("TL123", "T.concat(a, b, c, 0)", "gives (128, 128)", ["c"]),
    ("TL123", "T.concat(a[0:8, :], b[:, 0:8], c, 0)", "different extents", None),
    ("TL123", "T.interleave(a, b, c)", "gives (64, 256)", ["c"]),
    ("TL123", "T.deinterleave(a[:, 0:127], b, c)", "127 elements in two halves", ["a[:, 0:127]"]),
    ("TL123", "T.pad(a, b, 0, [1], [1, 0])", "1 lengths for 2 dimensions", ["[1]", "a"]),
    ("TL123", "T.pad(a, b, 0, [1, 1], [0, 0])", "2 dimensions at once", ["[1, 1]", "[0, 0]"]),
    ("TL123", "T.arange(a, [1])", "1 strides for 2 dimensions", ["[1]", "a"]),
    ("TL123", INDEX + "T.reshape(a, a[0:64, 0:128])\nT.reshape(a, A)", "as (256, 128)", None),
    ("TL121", "T.reshape(a[0:8, :], b)", "is a part of `a`", ["a[0:8, :]"]),
    ("TL121", "T.pad(a, b, c, [0, 0], [0, 0])", "a buffer as its pad value", ["c"]),
    ("TL120", "T.arange(a, [1, 0.5])", "an entry of `strides` is an integer", None),
    ("TL122", ROW + "T.reduce_sum(a[0:8, :], r, size=[8, 8])", "`buffer` is a slice", None),
    ("TL124", HALF + "T.reduce_sum(a, h)", "different dtypes", None),
    ("TL124", ROW + 'T.reduce(a, r, 1, "xori")', "does not work on float32", None),
    (
        "TL124",
        ROW + 'T.reduce(a, (r, r), 1, "min_with_index_left")',
        "does not work on float32",
        None,
    ),
    (
        "TL124",
        'i = T.alloc_ub((8, 8), "int8")\nj = T.alloc_ub((8, 1), "int8")\n'
        "T.reduce_sum(i, j, clear=False)",
        "T.reduce_sum does not work on int8",
        None,
    ),
    ("TL124", "T.gather(a, b, c)", "does not work on float32", ["c"]),
    ("TL109", "T.concat(a, 0)", "gets 2 arguments", None),
    ("TL109", "T.deinterleave(a, b)", "gets 2 arguments", None),
    ("TL203", "T.atomic_add(a, b)", "not `b` to `a`", ["a", "b"]),
    ("TL124", INDEX + "T.atomic_add(A[0, 0], x)", "different dtypes", ["A[0, 0]", "x"]),
    ("TL115", "T.block_barrier(0)", "outside `with T.rs", ["T.block_barrier(0)"]),
    ("TL131", 'with T.rs("PIPE_V"):\n    T.subblock_barrier(16)', "no flag 16", ["16"]),
]


@pytest.mark.parametrize(("code", "lines", "words", "marked"), REFUSED)
def test_refused(
    code: str,
    lines: str,
    words: str | None,
    marked: list[str] | None,
    refuse: Callable[..., TLError],
    underlined: Callable[[TLError], list[str]],
) -> None:
    error = refuse(lines)
    if words is not None:
        assert error.diagnostic.code == code
        assert words in error.diagnostic.what
    if marked is not None:
        assert underlined(error) == marked


EVERYTHING = f"""\
{ROW}{COLUMN.replace("r =", "q =")}{TURNED}{WIDE}{INDEX}p = T.alloc_ub((64, 1), "int32")
T.reduce(a, r, dims=1, reduce_mode="sum")
T.npuir_reduce(a, q, [0], "abssum")
T.reduce_min(a, r, dim=1, clear=False)
T.reduce(a, (r, p), -1, "max_with_index_left")
T.cumsum(a)
T.npuir_cumsum(a, b, dim=1, reverse=True)
T.transpose(a, t, [1, 0])
T.concat(a, b, w, 1)
T.pad(a[0:32, :], b, 0.5, [n, 0], [32 - n, 0])
T.interleave(a, b, w)
T.deinterleave(w, a, b)
T.deinterleave(w, a, index_mode="CHANNEL_1")
T.flip(a, b, -1)
T.arange(x, [0, 1], cid)
T.gather(a, b, x)
T.npuir_reshape(a, t)
T.atomic_add(A[cid, 0], a[0:1, :])
with T.rs("PIPE_MTE3"):
    T.block_barrier(0)
    T.subblock_barrier(n)
"""
SCRIPT = """\
T.reduce(a, r, dims=[1], reduce_mode="sum")
T.reduce(a, q, dims=[0], reduce_mode="abssum")
T.reduce(a, r, dims=[1], reduce_mode="min", clear=False)
T.reduce(a, (r, p), dims=[1], reduce_mode="max_with_index_left")
T.cumsum(a, a, dim=0)
T.cumsum(a, b, dim=1, reverse=True)
T.transpose(a, t, [1, 0])
T.concat(a, b, w, 1)
"""


def test_text_reads_back(body: Read) -> None:
    text = to_text(body(EVERYTHING).module, locations=True)
    read = from_text(text)
    read.verify()
    assert to_text(read, locations=True) == text


def test_script_gives_the_calls(body: Read) -> None:
    script = body(EVERYTHING).script()
    lines = [line.strip() for line in script.splitlines()]
    start = lines.index(SCRIPT.splitlines()[0])
    assert lines[start : start + 8] == SCRIPT.splitlines()
    calls = [line for line in lines[start:] if line.startswith("T.")]
    assert len(calls) == 19
    # The script is a kernel that gives the same ops.
    again = body("\n".join(line[8:] for line in script.splitlines()[3:]))
    assert _statements(again) == _statements(body(EVERYTHING))


def _statements(kernel: T.PrimFunc) -> list[str]:
    kinds = (tl.TileOp, tl.BarrierOp)
    return [op.name for op in kernel.module.walk() if isinstance(op, kinds)]


def test_the_callers_list_stays_as_it_is(body: Read) -> None:
    size = [8, 16]
    body(ROW + "T.reduce_sum(a, r, size=size)", size=size)
    assert size == [8, 16]


def test_a_tile_before_its_tensor_is_a_warning(body: Read) -> None:
    kernel = body("T.atomic_add(a, A[0:64, :])")
    (op,) = [op for op in kernel.module.walk() if isinstance(op, tl.AtomicAddOp)]
    assert tl.scope_of(op.destinations[0]) == "global"
    (warning,) = kernel.warnings
    assert warning.code == "TL206"


def test_a_buffer_takes_the_extents_of_a_part(body: Read) -> None:
    kernel = body(ROW + "T.reduce_sum(a[0:8, :], r)")
    (op,) = [op for op in kernel.module.walk() if isinstance(op, tl.ReduceOp)]
    assert tl.memref_of(op.destinations[0]).get_shape() == (8, 1)


@pytest.mark.parametrize(
    "name",
    "reduce cumsum transpose concat pad interleave deinterleave flip gather reshape arange "
    "atomic_add atomic_addx4".split(),
)
def test_both_spellings(name: str) -> None:
    assert getattr(T, f"npuir_{name}") is getattr(T, name)
