"""The list of configurations."""

from __future__ import annotations

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.jit.tuning.configs import listed

KNOWN = ("M", "block", "stages")


def test_list_is_taken_as_it_is_without_doubles() -> None:
    configs = [{"block": 2}, {"block": 1, "stages": 2}, {"block": 2}]
    assert listed("f", configs, KNOWN) == ({"block": 2}, {"block": 1, "stages": 2})
    assert configs == [{"block": 2}, {"block": 1, "stages": 2}, {"block": 2}]


def test_function_gets_the_call() -> None:
    seen: list[object] = []

    def configs(args: object, kwargs: object) -> list[dict[str, object]]:
        seen.extend([args, kwargs])
        return [{"block": 4}]

    assert listed("f", configs, KNOWN, (8,), {"z": 1, "a": 2}) == ({"block": 4},)
    assert seen == [(8,), (("a", 2), ("z", 1))]


def test_unknown_key() -> None:
    with pytest.raises(TLError) as caught:
        listed("f", [{"block": 1}, {"blok": 2}], KNOWN)
    assert caught.value.code == "TL450"
    assert "f has no parameter blok" in caught.value.diagnostic.what
    assert "did you mean block?" in caught.value.diagnostic.fix


@pytest.mark.parametrize(
    "configs",
    [[], (), {}, 3, [3], lambda args, kwargs: []],
    ids=["list", "tuple", "dict", "number", "list of numbers", "callable"],
)
def test_nothing_to_try(configs: object) -> None:
    with pytest.raises(TLError) as caught:
        listed("f", configs, KNOWN)  # type: ignore[arg-type]
    assert caught.value.code == "TL451"
