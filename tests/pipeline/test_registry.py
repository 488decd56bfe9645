"""The table of passes: complete, and a pipeline's text becomes passes with their options."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from dataclasses import dataclass
from typing import cast

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.diagnostics import TLError
from tlcourse.passes import mlir, npuir, tir
from tlcourse.passes.npuir.hivm_mark_multi_buffer import HivmMarkMultiBufferPass
from tlcourse.passes.npuir.hivm_plan_memory import GLOBAL, HivmPlanMemoryPass
from tlcourse.pipeline import NPUIR_PASSES, TIR_PASSES, PassOptions, Setting
from tlcourse.pipeline.listing import list_lines
from tlcourse.pipeline.pipeline_text import PassText
from tlcourse.pipeline.registry import converted, passes, read_passes


def _classes() -> set[type[ModulePass]]:
    found: set[type[ModulePass]] = set()
    for package in (tir, npuir, mlir):
        for info in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"{package.__name__}.{info.name}")
            found |= {
                value
                for value in vars(module).values()
                if inspect.isclass(value)
                and issubclass(value, ModulePass)
                and "name" in vars(value)
            }
    return found


def test_every_pass_of_every_file_is_in_the_table() -> None:
    assert {entry.kind for entry in passes().values()} == _classes()


def test_every_step_is_made_of_the_table() -> None:
    setting = Setting(mode="Developer", chip=DEFAULT_CHIP, options=PassOptions())
    for step in (*TIR_PASSES, *NPUIR_PASSES):
        one = step.make(setting)
        assert type(one) is passes()[one.name].kind


@pytest.mark.parametrize("name", sorted(passes()))
def test_every_pass_says_in_one_line_what_it_does(name: str) -> None:
    summary = passes()[name].summary
    assert 20 < len(summary) < 110
    assert summary.endswith(".")
    line = next(line for line in list_lines() if line.startswith(f"  {name} "))
    assert line.endswith(summary)


def test_the_list_shows_options_with_defaults() -> None:
    lines = [line.strip() for line in list_lines()]
    at = next(i for i, line in enumerate(lines) if line.startswith("hivm-plan-memory "))
    assert lines[at + 1 : at + 3] == ["chip=Ascend910B1", "mem-plan-mode=local-mem-plan"]


def test_options_become_fields() -> None:
    mark, plan = read_passes(
        "hivm-mark-multi-buffer{enable-auto=false},hivm-plan-memory{mem-plan-mode=" + GLOBAL + "}"
    )
    assert mark == HivmMarkMultiBufferPass(enable_auto=False)
    assert plan == HivmPlanMemoryPass(mem_plan_mode=GLOBAL)


def test_passes_of_xdsl_can_be_named() -> None:
    assert [one.name for one in read_passes("cse,convert-scf-to-cf")] == [
        "cse",
        "convert-scf-to-cf",
    ]
    assert type(read_passes("cse")[0]) is passes()["cse"].kind


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(TLError) as raised:
        read_passes("cse,hivm-plan-memroy")
    assert raised.value.code == "TL320"
    assert raised.value.diagnostic.fix == "write hivm-plan-memory"
    assert raised.value.diagnostic.labels[0].span.column == 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cse{x=1}", "it takes no options"),
        ("hivm-mark-multi-buffer{x}", "enable-auto"),
        ("hivm-mark-multi-buffer{enable-auto=maybe}", "of type bool"),
    ],
)
def test_wrong_options(text: str, words: str) -> None:
    with pytest.raises(TLError, match=words) as raised:
        read_passes(text)
    assert raised.value.code == "TL321"


@pytest.mark.parametrize(
    ("hint", "text", "value"),
    [
        (int, "-3", -3),
        (float, "0.5", 0.5),
        (str, "a", "a"),
        (bool, "1", True),
        (int | None, "4", 4),
        (tuple[int, ...], "1,2", (1, 2)),
        (tuple[str, ...], "a,b", ("a", "b")),
    ],
)
def test_values_have_the_type_of_their_field(hint: object, text: str, value: object) -> None:
    assert converted(PassText(name="p"), "x", text, hint) == value


def test_an_option_without_default_must_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class NeedyPass(ModulePass):
        name = "needy"
        wanted: int

        def apply(self, ctx: Context, op: ModuleOp) -> None: ...

    needy = cast("type[ModulePass]", NeedyPass)
    monkeypatch.setattr("tlcourse.pipeline.registry._of_xdsl", lambda name: needy)
    monkeypatch.setattr("tlcourse.pipeline.registry.get_type_hints", lambda kind: {"wanted": int})
    assert read_passes("needy{wanted=2}") == (NeedyPass(2),)
    with pytest.raises(TLError, match="does not take these options"):
        read_passes("needy")
