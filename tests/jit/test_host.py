from __future__ import annotations

import logging

import pytest
import torch

from tlcourse.diagnostics import TLError
from tlcourse.jit.host import NPUUtils, cdiv, map_torch_type, next_power_of_2, set_log_level


@pytest.mark.parametrize(("a", "b", "pieces"), [(1, 4, 1), (4, 4, 1), (5, 4, 2), (0, 4, 0)])
def test_cdiv(a: int, b: int, pieces: int) -> None:
    assert cdiv(a, b) == pieces


@pytest.mark.parametrize(("x", "power"), [(1, 1), (2, 2), (3, 4), (64, 64), (65, 128)])
def test_next_power_of_2(x: int, power: int) -> None:
    assert next_power_of_2(x) == power


def test_core_counts_come_from_the_chip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TILELANG_ASCEND_DEVICE_NAME", raising=False)
    utils = NPUUtils.get()
    assert utils.get_arch() == "Ascend910B1"
    assert (utils.get_aicore_num(), utils.get_aicube_core_num()) == (24, 24)
    assert utils.get_aivector_core_num() == 48
    assert utils.get_device_num() == 1


@pytest.mark.parametrize(
    ("level", "number"), [("warning", logging.WARNING), (logging.ERROR, logging.ERROR)]
)
def test_log_level_takes_a_word_or_a_number(level: str | int, number: int) -> None:
    logger = logging.getLogger("tlcourse")
    before = logger.level
    try:
        set_log_level(level)
        assert logger.level == number
    finally:
        logger.setLevel(before)


def test_map_torch_type() -> None:
    assert map_torch_type("bfloat16") is torch.bfloat16
    with pytest.raises(TLError) as caught:
        map_torch_type("float8")
    assert caught.value.code == "TL405"


def test_there_is_one_helper() -> None:
    assert NPUUtils.get() is NPUUtils.get()
