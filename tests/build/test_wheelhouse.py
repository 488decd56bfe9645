"""The wheelhouse: what is asked of pip, fetched once, checked, listed, and what can go wrong.

pip is played by a stand-in that knows three wheels; the true one needs a network.
"""

from __future__ import annotations

import errno
import hashlib
import json
import tomllib
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import pytest

from tlcourse.build import fetching, wheelhouse
from tlcourse.build.fetching import meaning, room_for
from tlcourse.build.house_list import NAME, HouseList, check, here, instructions
from tlcourse.build.wheelhouse import Wanted, make_wheelhouse, refuse_cuda
from tlcourse.build.workspace import PARTS, START
from tlcourse.diagnostics import TLError

ROOT = Path(__file__).parents[2]
INDEX = {
    ("numpy", "2.0"): "numpy-2.0-cp311-any.whl",
    ("torch", "2.13.0+cpu"): "torch-2.13.0+cpu-cp311-any.whl",
    ("rich", "15.0"): "rich-15.0-py3-none-any.whl",
}


class Pip:
    """Stands in for pip: answers `install --report` and `download` from INDEX."""

    def __init__(self) -> None:
        self.fetched: list[str] = []
        self.index = dict(INDEX)
        self.resolved_with: tuple[str, ...] = ()

    def __call__(self, command: str, *options: str) -> None:
        values = dict(pairwise(options))
        if command == "install":
            self.resolved_with = options
            Path(values["--report"]).write_text(json.dumps({"install": self._items()}))
            return
        for line in Path(values["-r"]).read_text().splitlines():
            pinned, _, digest = line.partition(" --hash=sha256:")
            name, _, version = pinned.partition("==")
            file = self.index[name, version]
            assert digest == hashlib.sha256(file.encode()).hexdigest()
            (Path(values["--dest"]) / file).write_bytes(file.encode())
            self.fetched.append(file)

    def _items(self) -> list[object]:
        found = [
            {
                "metadata": {"name": name, "version": version},
                "download_info": {
                    "url": f"https://x.invalid/a/{quote(file)}",
                    "archive_info": {
                        "hashes": {"sha256": hashlib.sha256(file.encode()).hexdigest()}
                    },
                },
            }
            for (name, version), file in self.index.items()
        ]
        own = {"metadata": {"name": "tlcourse", "version": "0.1.0"}, "download_info": {}}
        return [*found, own]


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> Pip:
    stand_in = Pip()
    monkeypatch.setattr(wheelhouse, "pip", stand_in)
    return stand_in


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "tlcourse-0.1.0-py3-none-any.whl"
    path.write_bytes(b"own")
    return path


def make(folder: Path, own: Path, *extras: str) -> list[str]:
    told: list[str] = []
    make_wheelhouse(folder, extras, wheel=own, told=told.append)
    return told


def test_all_that_pip_names_is_fetched_and_listed(pip: Pip, own: Path, tmp_path: Path) -> None:
    house = tmp_path / "house"
    told = make(house, own, "notebooks", "class")
    names = {path.name for path in house.iterdir()}
    assert names == {*INDEX.values(), own.name, NAME, "INSTALL.txt"}
    assert pip.resolved_with[-1] == f"{(house / own.name).resolve()}[notebooks,class]"
    assert told[1] == f"3 wheels are needed on {here()}"
    assert told[-1].startswith("[3/3] ")
    facts = json.loads((house / NAME).read_text())["files"][own.name]
    assert facts == {"bytes": 3, "sha256": hashlib.sha256(b"own").hexdigest()}


def test_a_second_run_fetches_only_what_is_missing_or_damaged(
    pip: Pip, own: Path, tmp_path: Path
) -> None:
    make(tmp_path / "house", own)
    pip.fetched.clear()
    (tmp_path / "house" / INDEX["rich", "15.0"]).unlink()
    (tmp_path / "house" / INDEX["numpy", "2.0"]).write_bytes(b"half")
    assert "1 of them are here already" in make(tmp_path / "house", own)
    assert sorted(pip.fetched) == sorted([INDEX["rich", "15.0"], INDEX["numpy", "2.0"]])


def test_a_run_that_breaks_off_keeps_what_it_has(
    pip: Pip, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheelhouse, "IN_ONE_GO", 1)
    monkeypatch.setattr(wheelhouse, "AT_ONCE", 1)
    whole = pip.index
    pip.index = {**whole}

    def breaks(command: str, *options: str) -> None:
        if command == "download" and pip.fetched:
            raise meaning("ERROR: NewConnectionError")
        pip(command, *options)

    monkeypatch.setattr(wheelhouse, "pip", breaks)
    with pytest.raises(TLError) as caught:
        make(tmp_path / "house", own)
    assert caught.value.code == "TL780"
    assert not [path for path in (tmp_path / "house").iterdir() if path.name.startswith(".")]
    first = pip.fetched.copy()
    monkeypatch.setattr(wheelhouse, "pip", pip)
    make(tmp_path / "house", own)
    assert sorted(pip.fetched) == sorted(whole.values())
    assert len(first) == 1


def test_wheels_of_another_system_stay_and_old_ones_of_this_go(
    pip: Pip, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = tmp_path / "house"
    monkeypatch.setattr(wheelhouse, "here", lambda: "win-amd64, Python 3.12")
    make(house, own)
    monkeypatch.undo()
    monkeypatch.setattr(wheelhouse, "pip", pip)
    pip.index = {("numpy", "2.1"): "numpy-2.1-cp311-any.whl"}
    make(house, own)
    assert (house / INDEX["numpy", "2.0"]).is_file()
    pip.index = {("numpy", "2.2"): "numpy-2.2-cp311-any.whl"}
    assert "removed numpy-2.1-cp311-any.whl: no longer needed" in make(house, own)
    assert (house / INDEX["numpy", "2.0"]).is_file()
    text = (house / "INSTALL.txt").read_text()
    assert "Made for: " in text
    assert "win-amd64, Python 3.12" in text
    assert here() in text


def test_the_instructions_are_one_command_without_an_index() -> None:
    houses = HouseList(runs={"linux-x86_64, Python 3.11": {"extras": [], "files": []}})
    text = instructions(houses, ("notebooks", "bishengir"))
    assert 'pip install --no-index --find-links . "tlcourse[notebooks,bishengir]"' in text


def test_a_whole_wheelhouse_passes_and_a_changed_one_does_not(
    pip: Pip, own: Path, tmp_path: Path
) -> None:
    house = tmp_path / "house"
    make(house, own)
    assert check(house).needed() == {own.name, *INDEX.values()}
    (house / own.name).write_bytes(b"owm")
    with pytest.raises(TLError) as caught:
        check(house)
    assert caught.value.code == "TL784"
    assert own.name in caught.value.diagnostic.why


def test_a_folder_without_a_list_is_no_wheelhouse(tmp_path: Path) -> None:
    with pytest.raises(TLError) as caught:
        check(tmp_path)
    assert caught.value.code == "TL784"


@pytest.mark.parametrize(
    ("name", "version"),
    [("nvidia-cublas-cu12", "12.8"), ("nvidia_nccl", "2"), ("triton", "3.4"), ("torch", "2+cu128")],
)
def test_cuda_is_refused(name: str, version: str) -> None:
    with pytest.raises(TLError) as caught:
        refuse_cuda([Wanted(name=name, version=version, file=f"{name}.whl", sha256="")])
    assert caught.value.code == "TL781"


def test_the_cpu_build_is_taken() -> None:
    refuse_cuda([Wanted(name="torch", version="2.13.0+cpu", file="torch.whl", sha256="")])


@pytest.mark.parametrize(
    ("said", "code", "word"),
    [
        (
            "WARNING: Retrying\nERROR: x: Failed to establish a new connection",
            "TL780",
            "no network",
        ),
        ("ERROR: No matching distribution found for torch", "TL780", "cannot find"),
        ("ERROR: [Errno 28] No space left on device", "TL783", "full"),
    ],
)
def test_what_pip_says_has_a_meaning(said: str, code: str, word: str) -> None:
    problem = meaning(said)
    assert problem.code == code
    assert word in problem.diagnostic.what


def test_a_full_disk_is_told_and_other_problems_are_not_hidden() -> None:
    with pytest.raises(TLError) as caught, room_for("a.whl"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert caught.value.code == "TL783"
    with pytest.raises(PermissionError), room_for("a.whl"):
        raise PermissionError(errno.EACCES, "no")


def test_a_disk_that_fills_on_the_way_is_told(
    pip: Pip, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(wheelhouse.tempfile, "mkdtemp", full)
    with pytest.raises(TLError) as caught:
        make(tmp_path / "house", own)
    assert caught.value.code == "TL783"


def test_the_true_pip_is_heard(tmp_path: Path) -> None:
    empty = ("--no-index", "--no-deps", "--dest", str(tmp_path), "no-such-package-of-ours")
    with pytest.raises(TLError) as caught:
        fetching.pip("download", *empty)
    assert caught.value.code == "TL780"
    assert "no-such-package-of-ours" in caught.value.diagnostic.why


def test_the_wheel_brings_every_course_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    inside = {**wheel["sources"], **wheel["force-include"]}
    for name in (*PARTS, *START, "grader", "constraints.txt"):
        assert inside[name] == f"tlcourse/course_files/{name}"
    assert all((ROOT / name).is_file() for name in wheel["force-include"])
