"""Names that are not here, and what their messages offer."""

from __future__ import annotations

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.jit.elsewhere import INSTEAD, NotServedError, NotServedImportError, asker, not_served


@pytest.mark.parametrize("name", INSTEAD)
def test_every_name_has_its_own_way_out(name: str) -> None:
    problem = not_served(name)
    assert (problem.code, problem.diagnostic.fix) == ("TL460", INSTEAD[name])


def test_a_name_of_a_module_gets_the_way_out_of_the_module() -> None:
    assert "unknown" not in INSTEAD
    assert not_served("tilelang.tvm.tir", "tilelang.tvm").diagnostic.fix == INSTEAD["tilelang.tvm"]


def test_misspelt_names_are_guessed() -> None:
    assert not_served("m.clear_cach", "m", ["clear_cache"]).diagnostic.fix == (
        "did you mean m.clear_cache?"
    )


def test_lookup_and_import_see_errors_of_their_own_kind() -> None:
    ask = asker("tilelang.tvm")
    with pytest.raises(NotServedError) as caught:
        ask("tir")
    assert isinstance(caught.value, AttributeError)
    assert caught.value.diagnostic.labels[0].span.line > 0
    with pytest.raises(AttributeError, match="has no attribute '__path__'"):
        ask("__path__")
    assert issubclass(NotServedImportError, (TLError, ImportError))
