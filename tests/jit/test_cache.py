"""The cache on disk: found again, damage noticed, files whole, other people's files kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tlcourse.diagnostics import SourceFile
from tlcourse.jit import cache
from tlcourse.records import AgentCode, Program, Signature
from tlcourse.stored import NotKeptWarning

PROGRAM = Program(
    kind="functional",
    signature=Signature(kernel="k", mode="Expert", target="npuir", parameters=(), grid=("1",)),
    agents=(AgentCode(agent="vector", source="def run(core):\n    yield\n"),),
    spans=(None,),
    sources={"cell:1": SourceFile(id="cell:1", text="é", title="this cell")},
    options={"written": ["C"]},
)


class Maker:
    """Makes the program and counts how often."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> Program:
        self.calls += 1
        return PROGRAM


def _only_file(folder: Path) -> Path:
    (path,) = (path for path in folder.rglob("*") if path.is_file())
    return path


def test_second_fetch_reads_what_the_first_one_made(tmp_path: Path) -> None:
    maker = Maker()
    first = cache.fetch(tmp_path, "ab12", Program, maker)
    second = cache.fetch(tmp_path, "ab12", Program, maker)
    assert first == second == PROGRAM
    assert maker.calls == 1
    assert _only_file(tmp_path) == tmp_path / "tlcourse" / "ab" / "ab12.json"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"yield", b"world"),
        lambda data: b"\xff\xfe" + data,
        lambda data: b"0" * 64 + b"\n{}",
        lambda data: b"not a cache file",
    ],
    ids=["empty", "cut", "changed", "no text", "wrong digest", "other"],
)
def test_damaged_entry_is_made_again(tmp_path: Path, damage: object) -> None:
    assert callable(damage)
    maker = Maker()
    cache.fetch(tmp_path, "ab12", Program, maker)
    path = _only_file(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    assert cache.fetch(tmp_path, "ab12", Program, maker) == PROGRAM
    assert maker.calls == 2
    cache.fetch(tmp_path, "ab12", Program, maker)
    assert maker.calls == 2


def test_entry_of_another_schema_is_made_again(tmp_path: Path) -> None:
    cache.fetch(tmp_path, "ab12", Program, Maker())
    path = _only_file(tmp_path)
    text = path.read_text().partition("\n")[2].replace("Program/1", "Program/0")
    path.write_text(f"{cache._digest(text)}\n{text}")
    maker = Maker()
    cache.fetch(tmp_path, "ab12", Program, maker)
    assert maker.calls == 1


def test_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    maker = Maker()
    with pytest.warns(NotKeptWarning, match="TILELANG_CACHE_DIR"):
        assert cache.fetch(blocked, "ab12", Program, maker) == PROGRAM
    assert cache.fetch(blocked, "ab12", Program, maker) == PROGRAM
    assert maker.calls == 2


def test_key_depends_on_every_part_and_not_on_their_order() -> None:
    key = cache.key_of(tile="a", chip="b")
    assert key == cache.key_of(chip="b", tile="a")
    assert len({key, cache.key_of(tile="b", chip="a"), cache.key_of(tile="a", chip="")}) == 3


def test_key_depends_on_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    key = cache.key_of(tile="a")
    monkeypatch.setattr(cache, "__version__", "99")
    assert cache.key_of(tile="a") != key


def test_processes_that_write_the_same_entry_do_not_harm_each_other(tmp_path: Path) -> None:
    script = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from test_cache import PROGRAM
from tlcourse.jit import cache
from tlcourse.records import Program
from tlcourse.stored import put
folder = Path({str(tmp_path)!r})
text = cache.to_json(PROGRAM)
for _ in range(200):
    path = folder / "tlcourse" / "ab" / "ab12.json"
    put(path, (cache._digest(text) + chr(10) + text).encode())
    assert cache._read(path, Program) == PROGRAM, "an entry was seen half written"
"""
    workers = [
        subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    errors = [worker.communicate()[1] for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], errors
    assert _only_file(tmp_path).name == "ab12.json"


class TestSwitches:
    @pytest.fixture(autouse=True)
    def _environment(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path / "first"))
        monkeypatch.setenv("TILELANG_DISABLE_CACHE", "0")

    def test_folder(self, tmp_path: Path) -> None:
        assert cache.get_cache_dir() == tmp_path / "first"
        cache.set_cache_dir(tmp_path / "second")
        assert cache.get_cache_dir() == tmp_path / "second"

    def test_on_and_off(self) -> None:
        assert cache.is_cache_enabled()
        cache.disable_cache()
        assert not cache.is_cache_enabled()
        cache.enable_cache()
        assert cache.is_cache_enabled()

    def test_clearing_leaves_files_of_others(self, tmp_path: Path) -> None:
        folder = cache.get_cache_dir()
        cache.fetch(folder, "ab12", Program, Maker())
        (folder / "kernel.mlir").write_text("upstream's")
        cache.clear_cache()
        cache.clear_cache()
        assert _only_file(folder).name == "kernel.mlir"
