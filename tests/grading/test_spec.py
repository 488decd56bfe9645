import tomllib
from pathlib import Path

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.grading import spec as spec_module
from tlcourse.grading.inputs import draw, evaluate, shape_of
from tlcourse.grading.spec import Spec, known_ids, load, spec_from, specs_folder


def _data() -> dict:
    return tomllib.loads((specs_folder() / "day2" / "minicv.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("exercise", known_ids())
def test_every_spec_loads_and_its_expressions_have_the_outputs_shape(exercise: str) -> None:
    for spec in load(exercise).parts:
        check_expressions(spec)


def check_expressions(spec: Spec) -> None:
    shapes = {p.name: p for p in spec.parameters}
    for case in spec.run_cases:
        inputs = draw(spec.at(case), case)
        for output in spec.outputs:
            want = shape_of(shapes[output.name], case.binding)
            assert evaluate(output.reference, inputs, case.binding).shape == want
            assert evaluate(output.bound, inputs, case.binding).expand(want).min() >= 0
        for suspect in spec.suspects:
            assert evaluate(suspect.value, inputs, case.binding).shape == shape_of(
                shapes[suspect.name], case.binding
            )


def test_inputs_are_the_same_for_all_and_differ_by_secret() -> None:
    spec = load("d2.minicv")
    first, again = draw(spec, spec.cases[0]), draw(spec, spec.cases[0])
    other = draw(spec, spec.cases[0], b"another secret")
    assert all((first[name] == again[name]).all() for name in first)
    assert (first["A"] != other["A"]).any()
    assert first["A"].double().std() == pytest.approx(256**-0.5, rel=0.05)


def test_an_effect_may_be_asked_in_some_cases_only() -> None:
    spec = load("d3.causal")
    (counted,) = (effect for effect in spec.effects if effect.per)
    asked = [case.binding["S"] for case in spec.cases if counted.is_asked(case)]
    assert asked == [1024]
    assert all(spec.effects[0].is_asked(case) for case in spec.cases)


def test_unknown_exercise_suggests_the_near_one() -> None:
    with pytest.raises(TLError) as caught:
        load("d2.minicw")
    assert caught.value.code == "TL601"
    assert "did you mean d2.minicv?" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"schema": 9}, "schema is 9"),
        ({"points": "many"}, "points is of type int"),
        ({"kind": "kernels"}, "kind is one of kernel"),
        ({"colour": 1}, "unknown keys: colour"),
        ({"weights": {"lowers": 50}}, "add up to 100"),
        ({"outputs": []}, "must describe"),
        (
            {"cases": [{"binding": {"M": 1}, "label": "x", "label_zh": "x", "public": False}]},
            "case is public",
        ),
        (
            {"suspects": [{"name": "E", "value": "A", "cause": "x", "cause_zh": "x"}]},
            "names a parameter",
        ),
        (
            {"symptoms": [{"name": "E", "where": [], "cause": "x", "cause_zh": "x"}]},
            "names a parameter",
        ),
        (
            {"symptoms": [{"name": "D", "where": ["rows?"], "cause": "x", "cause_zh": "x"}]},
            "no words for",
        ),
        ({"effects": "both"}, "effects is a list"),
        ({"hints": [{"en": "x"}]}, "lacks zh"),
        ({"weights": 3}, "weights is a table"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_broken_specs_say_what_is_wrong(change: dict, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        spec_from({**_data(), **change})


def test_broken_file_is_an_error_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "day9").mkdir()
    (tmp_path / "day9" / "bad.toml").write_text("schema = [", encoding="utf-8")
    monkeypatch.setattr(spec_module, "specs_folder", lambda: tmp_path)
    with pytest.raises(TLError) as caught:
        load("d9.bad")
    assert caught.value.code == "TL602"
    assert "day9/bad.toml" in str(caught.value)


def test_private_text_is_merged_over_the_public_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = load("d2.minicv")
    (tmp_path / "day2").mkdir()
    (tmp_path / "day2" / "minicv.toml").write_text("points = 20\n", encoding="utf-8")
    monkeypatch.setenv("TLCOURSE_PRIVATE", str(tmp_path))
    load.cache_clear()
    try:
        private = load("d2.minicv")
    finally:
        load.cache_clear()
    assert (public.points, private.points) == (15, 20)
    assert private.sha256 != public.sha256
    assert private.cases == public.cases
