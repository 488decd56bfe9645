import os
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from tests.grading.hand_ins import SOLUTION
from tlcourse.diagnostics import TLError
from tlcourse.grading.bulk.gather import found_in, hand_in_of
from tlcourse.grading.notebook_file import MAX_BYTES

TEXT = SOLUTION.read_text(encoding="utf-8")


def _write(path: Path, text: str = TEXT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_nbgraders_tree_names_the_learners(tmp_path: Path) -> None:
    for place in ("submitted/bo/day2", "submitted/ana/day2", "release/day2", "source/day2"):
        _write(tmp_path / place / "minicv.ipynb")
    _write(tmp_path / "submitted/ana/day2/.ipynb_checkpoints/minicv.ipynb")
    for root in (tmp_path, tmp_path / "submitted"):
        assert [(f.learner, f.file) for f in found_in([root])] == [
            ("ana", "ana/day2/minicv.ipynb"),
            ("bo", "bo/day2/minicv.ipynb"),
        ]


def test_folders_files_and_zips_in_one_go(tmp_path: Path) -> None:
    _write(tmp_path / "all" / "cai.ipynb")
    with zipfile.ZipFile(tmp_path / "all" / "dan.zip", "w") as archive:
        archive.writestr("week 2\\b.IPYNB", TEXT)
        archive.writestr("notes.txt", "x")
        archive.writestr("__MACOSX/._b.ipynb", "x")
    single = _write(tmp_path / "eve.ipynb")
    found = found_in([tmp_path / "all", single])
    assert [f.learner for f in found] == ["cai", "dan", "eve"]
    assert {hand_in_of(f).exercise for f in found} == {"d2.minicv"}


@pytest.mark.parametrize("data", [b"", b"PK no zip"])
def test_a_zip_that_cannot_be_read_is_found_and_named(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "fay.zip"
    path.write_bytes(data)
    (found,) = found_in([path])
    with pytest.raises(TLError) as caught:
        hand_in_of(found)
    assert (found.learner, caught.value.code) == ("fay", "TL632")


def test_an_empty_zip_and_links_and_pipes_are_named_and_not_read(tmp_path: Path) -> None:
    elsewhere = _write(tmp_path / "other" / "x.ipynb")
    root = tmp_path / "all"
    root.mkdir()
    with zipfile.ZipFile(root / "gil.zip", "w") as archive:
        archive.writestr("notes.txt", "x")
    names = ["gil.zip"]
    if os.name != "nt":
        (root / "ida.ipynb").symlink_to(elsewhere)
        (root / "jan.zip").symlink_to(root / "gil.zip")
        (root / "kim.ipynb").symlink_to("nowhere")
        os.mkfifo(root / "lea.ipynb")
        names += ["ida.ipynb", "jan.zip", "kim.ipynb", "lea.ipynb"]
    found = found_in([root])
    assert sorted(one.file for one in found) == sorted(names)
    for one in found:
        with pytest.raises(TLError) as caught:
            hand_in_of(one)
        assert caught.value.code == ("TL632" if one.file.endswith(".zip") else "TL610")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are text")
def test_a_name_that_is_no_text_costs_nothing(tmp_path: Path) -> None:
    odd = os.fsdecode(b"m\xf6nch.ipynb")
    _write(tmp_path / odd)
    _write(tmp_path / os.fsdecode(b"broken\xff.ipynb"), "no notebook")
    broken, right = found_in([tmp_path])
    assert (right.learner, right.file) == ("m\\udcf6nch", "m\\udcf6nch.ipynb")
    assert hand_in_of(right).exercise == "d2.minicv"
    with pytest.raises(TLError) as caught:
        hand_in_of(broken)
    assert caught.value.diagnostic.what.encode() == (
        b"broken\\udcff.ipynb cannot be read as a notebook"
    )


def test_a_packed_bomb_is_not_blown_up(tmp_path: Path) -> None:
    path = tmp_path / "gil.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.ipynb", b"0" * (MAX_BYTES + 2**20))
    (found,) = found_in([path])
    with pytest.raises(TLError) as caught:
        hand_in_of(found)
    assert caught.value.code == "TL610"
    assert f"{MAX_BYTES + 1:,} bytes" in caught.value.diagnostic.why


def test_a_locked_member_is_named(tmp_path: Path) -> None:
    path = tmp_path / "hal.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.ipynb", TEXT)
    data = bytearray(path.read_bytes())
    data[6] |= 1  # the bit that says it is encrypted, in the local and in the central head
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    (found,) = found_in([path])
    with pytest.raises(TLError) as caught:
        hand_in_of(found)
    assert caught.value.code == "TL632"
    shutil.rmtree(tmp_path)
