import os
import tomllib
from pathlib import Path

import pytest

from tests.grading.classes.class_files import make_class
from tlcourse.diagnostics import TLError
from tlcourse.grading.bulk.job import Done
from tlcourse.grading.bulk.store import Store
from tlcourse.grading.classes import folder as class_folder
from tlcourse.grading.spec import load
from tlcourse.grading.version import grading_version
from tlcourse.records import Verdict


def test_init_makes_nbgraders_course_root_with_a_secret_of_its_own(tmp_path: Path) -> None:
    first, second = make_class(tmp_path / "a"), make_class(tmp_path / "deep" / "b")
    assert class_folder.secret(first) != class_folder.secret(second)
    if os.name != "nt":
        assert (first / "secret").stat().st_mode & 0o077 == 0
    assert (first / "source" / "day2" / "minicv.ipynb").is_file()
    assert "SealedExecute" in (first / "nbgrader_config.py").read_text()
    assert class_folder.settings(first).grading_version == grading_version()
    assert not list(tmp_path.glob(".class-*"))


def test_init_refuses_a_folder_that_holds_something(tmp_path: Path) -> None:
    folder = make_class(tmp_path / "class")
    for taken in (folder, folder / "roster.csv"):
        with pytest.raises(TLError) as caught:
            class_folder.init(taken)
        assert caught.value.code == "TL620"


def test_next_years_class_keeps_settings_and_right_kernels_only(tmp_path: Path) -> None:
    old = make_class(tmp_path / "old")
    settings = class_folder.settings(old)
    settings.deadlines["day2"] = "2026-05-01T00:00:00"
    class_folder.save(old, settings)
    store = Store(old / "report" / "store.jsonl")
    for key, state in (("a", "PASS"), ("b", "FAIL")):
        verdict = Verdict(exercise="d2.gemm", state=state, points=0.0, max_points=1.0, checks=())
        store.add(Done(key=key, verdict=verdict, prints=(ord(key),)))
    store.close()
    variants = tmp_path / "variants"
    variants.mkdir()
    new = make_class(tmp_path / "new", old=old, variants=variants)
    now = class_folder.settings(new)
    assert (now.deadlines, now.variants) == ({}, str(variants))
    assert class_folder.earlier(new) == {"d2.gemm": [(97,)]}
    assert class_folder.secret(new) != class_folder.secret(old)
    third = make_class(tmp_path / "third", old=new)
    assert class_folder.earlier(third) == {"d2.gemm": [(97,)]}


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("schema = 1", "schema = 2", "its schema is not 1"),
        ("seconds = 30", 'seconds = "30"', "seconds"),
        ("seconds = 30", "seconds = ", ""),
        ("[deadlines]", '[deadlines]\nday2 = "soon"', "the deadline of day2 is no time: soon"),
        ("schema", "x = 1\nschema", "unknown keys: x"),
    ],
)
def test_settings_that_cannot_be_used(tmp_path: Path, old: str, new: str, why: str) -> None:
    folder = make_class(tmp_path / "class")
    path = folder / "class.toml"
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(TLError) as caught:
        class_folder.settings(folder)
    assert caught.value.code == "TL623"
    assert why in caught.value.diagnostic.why


def test_a_class_without_its_secret_is_not_graded(tmp_path: Path) -> None:
    folder = make_class(tmp_path / "class")
    (folder / "secret").write_text("\n")
    with pytest.raises(TLError, match="TL623"):
        class_folder.secret(folder)
    (folder / "secret").unlink()
    with pytest.raises(TLError, match="TL623"):
        class_folder.secret(folder)
    with pytest.raises(TLError, match="TL623"):
        class_folder.init(tmp_path / "new", old=tmp_path)


def test_variants_are_merged_over_specs_until_the_next_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TLCOURSE_PRIVATE", "elsewhere")
    variants = tmp_path / "variants"
    (variants / "day2").mkdir(parents=True)
    (variants / "day2" / "gemm.toml").write_text("schema = 1\nminutes = 77\n")
    folder = make_class(tmp_path / "class", variants=variants)
    public = make_class(tmp_path / "public")
    class_folder.use_variants(folder, class_folder.settings(folder))
    assert load("d2.gemm").minutes == 77
    assert os.environ["TLCOURSE_PRIVATE"] == str(variants)
    class_folder.use_variants(public, class_folder.settings(public))
    assert load("d2.gemm").minutes != 77
    settings = tomllib.loads((folder / "class.toml").read_text())
    assert settings["variants"] == str(variants)
    (variants / "day2" / "gemm.toml").unlink()
    (variants / "day2").rmdir()
    variants.rmdir()
    with pytest.raises(TLError, match="TL623"):
        class_folder.use_variants(folder, class_folder.settings(folder))
