"""The compiled engine: off unless wanted, off without a compiler, one library for one text."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tlcourse import stored
from tlcourse.examples.course import COURSE
from tlcourse.functional import compiled
from tlcourse.jit import compile
from tlcourse.records import Program
from tlcourse.stored import NotKeptWarning

needs_compiler = pytest.mark.skipif(
    compiled.find_compiler() is None, reason="no C compiler on this machine"
)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path))
    kernel = next(one for one in COURSE if one.name == "vector_add_developer")
    return compile(kernel.func, mode=kernel.mode).program("functional")


def libraries(folder: Path) -> list[Path]:
    return sorted((folder / "tlcourse" / "native").glob("*.so"))


@needs_compiler
def test_a_library_is_built_once(program: Program, tmp_path: Path) -> None:
    first = compiled.library_of(program, "native")
    compiled._built.cache_clear()
    assert compiled.library_of(program, "native") == first
    assert libraries(tmp_path) == [first]


@needs_compiler
@pytest.mark.parametrize("damage", [lambda data: data[: len(data) // 2], lambda data: b""])
def test_a_damaged_library_is_built_again(
    program: Program, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    first = compiled.library_of(program, "native")
    assert first is not None
    whole = first.read_bytes()
    first.write_bytes(damage(whole))
    compiled._built.cache_clear()
    assert compiled.library_of(program, "native") == first
    assert first.read_bytes() == whole


@needs_compiler
def test_a_full_disk_leaves_kernels_without_native_code(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes, **_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    compiled._built.cache_clear()
    monkeypatch.setattr(stored, "put", full)
    with pytest.warns(NotKeptWarning, match="without native code"):
        assert compiled.library_of(program, "native") is None
    assert not libraries(tmp_path)
    monkeypatch.undo()
    compiled._built.cache_clear()


@needs_compiler
def test_the_engine_decides(program: Program, tmp_path: Path) -> None:
    assert compiled.library_of(program, "torch") is None
    assert compiled.library_of(program, "auto") is None
    own = replace(program, options=program.options | {"library": "/some/where.so"})
    assert compiled.library_of(own, "torch") is None
    assert compiled.library_of(own, "auto") == Path("/some/where.so")
    assert not libraries(tmp_path)


def test_without_a_compiler_python_computes(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "find_compiler", lambda: None)
    compiled._built.cache_clear()
    assert compiled.library_of(program, "native") is None
    monkeypatch.setenv("TLCOURSE_ENGINE", "native")
    from tlcourse.functional.run import run

    a, b, c = torch.ones(4096).half(), torch.ones(4096).half(), torch.zeros(4096).half()
    assert run(program, (a, b, c), symbols={}).findings == ()
    assert c.unique().tolist() == [2.0]
    compiled._built.cache_clear()


@needs_compiler
def test_text_that_does_not_compile_gives_no_library(tmp_path: Path) -> None:
    assert not compiled.build("int run( {", tmp_path / "main.so")
    assert not list(tmp_path.iterdir())
