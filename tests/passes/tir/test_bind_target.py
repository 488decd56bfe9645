"""BindTarget: the function knows its target and mode."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr

from tlcourse.dialects.signature import function_of
from tlcourse.examples import minicv
from tlcourse.passes.tir.bind_target import BindTargetPass


def test_target_and_mode_stand_on_the_function(apply) -> None:
    kernel = minicv.minicv_developer(128, 256, 64, 128, 256, 64)
    assert "tl.mode" not in function_of(apply(kernel, ())).attributes
    function = function_of(apply(kernel, (BindTargetPass(),), mode="Expert"))
    assert function.attributes["tl.target"] == StringAttr("npuir")
    assert function.attributes["tl.mode"] == StringAttr("Expert")


def test_a_module_without_a_mode_stays_as_it_is() -> None:
    module = minicv.minicv_developer(128, 256, 64, 128, 256, 64).module.clone()
    before = str(module)
    BindTargetPass().apply(None, module)  # type: ignore[arg-type]
    assert str(module) == before
