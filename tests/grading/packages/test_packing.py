"""What is taken out of a learner's folder: texts, and nothing that leads elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.grading.packages import packing
from tlcourse.grading.packages.asked import PackageOrder
from tlcourse.grading.packages.given import model_text, package_folder, package_order
from tlcourse.grading.packages.packing import packed, unpack
from tlcourse.grading.spec import load
from tlcourse.ops.precompile import check_fresh, precompile

ORDER = PackageOrder(
    name="gates", operator="swiglu", files={"more.py": "x = 1\n", "README.md": ""}, wanted=()
)


def taken(work: Callable[[Path], object]) -> dict[str, str]:
    return json.loads(packed(ORDER, "add", work))


def test_texts_are_taken_and_compiled_files_stay_behind(tmp_path: Path) -> None:
    texts = taken(lambda folder: list(precompile(folder, native=False)))
    assert texts["more.py"] == "x = 1\n"
    assert "README.md" not in texts
    assert "src/artefacts/index.json" in texts
    assert not [name for name in texts if name.endswith(("program.json", "main.so", "wrapper.cpp"))]
    unpack(texts, tmp_path)
    check_fresh(tmp_path)  # what is left tells whether artefacts are those of the kernels


def test_each_hand_in_begins_with_a_fresh_folder() -> None:
    seen: list[Path] = []
    for _ in range(2):
        taken(lambda folder: seen.append(folder))
    assert seen[0] != seen[1]
    assert not seen[0].exists()


def link(folder: Path) -> None:
    (folder / "link.py").symlink_to(folder / "more.py")


def many(folder: Path) -> None:
    for number in range(packing.MOST_FILES):
        (folder / f"{number}.md").write_text("x")


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (link, "link.py is no plain file"),
        (many, "more than 200 texts"),
        (lambda folder: (folder / "a.py").write_bytes(b"#" * 2**20), "or 1,048,576 bytes"),
        (lambda folder: (folder / "a.py").write_bytes(b"\xff"), "a.py is no text in UTF-8"),
        (lambda folder: (folder / "a.py").mkdir(), "a.py is no plain file"),
    ],
    ids=["link", "many", "large", "bytes", "folder"],
)
def test_what_is_no_small_folder_of_texts_is_refused(
    work: Callable[[Path], object], reason: str
) -> None:
    with pytest.raises(TLError) as caught:
        taken(work)
    assert caught.value.code == "TL642"
    assert reason in caught.value.diagnostic.what


@pytest.mark.parametrize("name", ["../outside.py", "/outside.py"])
def test_texts_stay_inside_their_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(TLError) as caught:
        unpack({name: "x"}, tmp_path / "inside")
    assert caught.value.code == "TL642"


@pytest.mark.parametrize("wrong", [3, Path, None])
def test_a_function_of_a_folder_is_asked(wrong: object) -> None:
    with pytest.raises(TLError) as caught:
        packed(ORDER, "add", wrong)
    assert caught.value.code == "TL608"


def test_the_folder_of_an_exercise_is_what_grading_begins_with(tmp_path: Path) -> None:
    folder = package_folder("d5.swap", tmp_path)
    assert (folder / "model.py").read_text("utf-8") == model_text()
    assert not (folder / "src" / "ops" / "norms.py").exists()
    spec = load("d5.swap")
    order = package_order(spec, spec.cases)
    assert order is not None
    assert order.has_model
    assert [one.inputs[0].shape for one in order.wanted] == [
        (13, 256),
        (8, 256),
        (1, 256),
        (24, 256),
    ]
    assert package_order(load("d2.softmax"), ()) is None
