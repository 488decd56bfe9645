"""Tensors with the device's memory behind them: TLCOURSE_BOUNDS=device."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
from tlcourse.functional.run import FunctionalRun
from tlcourse.slack import stays_inside

Launch = Callable[..., FunctionalRun]


def rows(M: int, block: int) -> T.PrimFunc:
    """Copies blocks of rows, the last one too far."""

    @T.prim_func
    def rows(A: T.Tensor((M, 4), "float32"), B: T.Tensor((M, 4), "float32")):
        with T.Kernel(T.ceildiv(M, block), is_npu=True) as (cid, _):
            tile = T.alloc_ub((4,), "float32")
            for i in T.serial(block):
                T.copy(A[cid * block + i, 0:4], tile)
                T.copy(tile, B[cid * block + i, 0:4])

    return rows


def test_a_row_too_far_is_an_error(launch: Launch) -> None:
    a, b = torch.arange(32.0).view(8, 4), torch.zeros(8, 4)
    (found,) = launch(rows(8, 3), a, b).findings
    assert (found.diagnostic.code, found.diagnostic.severity) == ("TL501", "error")


def test_it_is_a_warning_where_the_device_has_memory(
    launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TLCOURSE_BOUNDS", "device")
    a, b = torch.arange(32.0).view(8, 4), torch.zeros(8, 4)
    found = launch(rows(8, 3), a, b).findings
    kinds = [(one.diagnostic.code, one.diagnostic.severity) for one in found]
    assert kinds == [("TL508", "warning")] * 2
    assert [one.diagnostic.what.split(" in block")[0] for one in found] == [
        "the kernel reads A[8, 0:4]",
        "the kernel writes B[8, 0:4]",
    ]
    assert torch.equal(a, b)


def test_it_stays_an_error_behind_that_memory(
    launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TLCOURSE_BOUNDS", "device")
    # 62 rows of 16 bytes and 32 bytes are 1024 bytes: room for 2 rows more.
    a, b = torch.ones(62, 4), torch.zeros(62, 4)
    assert [one.diagnostic.code for one in launch(rows(62, 64), a, b).findings] == ["TL508"] * 2
    *warnings, found = launch(rows(62, 65), a, b).findings
    assert (len(warnings), found.diagnostic.code) == (2, "TL501")


def test_a_kernel_that_stays_inside_is_not_told(
    launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TLCOURSE_BOUNDS", "device")
    a, b = torch.arange(32.0).view(8, 4), torch.zeros(8, 4)
    assert launch(rows(8, 4), a, b).findings == ()
    assert torch.equal(a, b)


@pytest.mark.parametrize(
    ("offsets", "extents", "inside"),
    [
        ((0, 0), (8, 4), True),
        ((8, 0), (1, 4), True),
        ((15, 0), (1, 4), True),
        ((15, 1), (1, 4), False),
        ((-1, 0), (1, 4), False),
        ((0, 0), (-1, 4), False),
        ((7, 3), (1, 1), True),
        ((8, 0), (1, 1), False),
    ],
)
def test_which_ranges_stay_in_the_block(
    offsets: tuple[int, int], extents: tuple[int, int], inside: bool
) -> None:
    assert stays_inside(64, offsets, extents, (8, 4)) is inside


def test_a_longer_tensor_is_memory_behind_the_declared_rows(
    launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TLCOURSE_BOUNDS", "device")
    a, b = torch.arange(512.0).view(128, 4), torch.zeros(128, 4)
    found = launch(rows(8, 128), a, b).findings
    assert {one.diagnostic.code for one in found} == {"TL508"}
    assert torch.equal(b, a)
