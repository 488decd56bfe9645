"""Values in the table of constants."""

from __future__ import annotations

import tomllib

import pytest

from tlcourse.calibration.store import with_values
from tlcourse.chips import constants
from tlcourse.chips.constants import FILE


def test_only_the_named_values_change() -> None:
    text = FILE.read_text(encoding="utf-8")
    changed = with_values(text, {"launch_vector": 2.125, "flag": 12.0})
    before, after = tomllib.loads(text), tomllib.loads(changed)
    assert after["launch_vector"]["value"] == 2.125
    assert after["flag"]["value"] == 12
    for name in set(before) - {"launch_vector", "flag"}:
        assert after[name] == before[name]
    assert len(text.splitlines()) == len(changed.splitlines())


def test_the_values_that_are_there_change_nothing() -> None:
    text = FILE.read_text(encoding="utf-8")
    values = {name: constant.value for name, constant in constants().items()}
    assert tomllib.loads(with_values(text, values)) == tomllib.loads(text)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(KeyError, match="nonsense"):
        with_values("[flag]\nvalue = 1\n", {"nonsense": 1.0})
