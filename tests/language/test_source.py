"""Where the text of a kernel comes from, and the lines and columns that are shown."""

from __future__ import annotations

import importlib.util
import linecache
from collections.abc import Generator
from pathlib import Path
from types import ModuleType

import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.language.source import cell_id, retitled

KERNEL = """
import tlcourse.language as T


def factory(width):
    if True:
        @T.prim_func
        def k(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                a = T.alloc_ub((width,), "float32")
                T.copy(A[0:width], a)
    return k
"""


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_files_id_is_its_path_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    path = tmp_path / "sub" / "mine.py"
    path.write_text(KERNEL)
    sources = load(path).factory(64).sources
    assert list(sources) == ["sub/mine.py"]
    assert sources["sub/mine.py"].title == "sub/mine.py"


def test_a_file_elsewhere_shows_its_name_only(tmp_path: Path) -> None:
    path = tmp_path / "elsewhere.py"
    path.write_text(KERNEL)
    assert list(load(path).factory(64).sources) == ["elsewhere.py"]


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "changing.py"
    path.write_text(KERNEL)
    module = load(path)
    path.write_text(KERNEL.replace("def k(A", "def renamed(A"))
    linecache.checkcache(str(path))
    with pytest.raises(TLError) as caught:
        module.factory(64)
    assert caught.value.code == "TL102"


def test_text_without_a_file_is_found_in_linecache() -> None:
    name = "<typed here>"
    linecache.cache[name] = (len(KERNEL), None, KERNEL.splitlines(True), name)
    scope: dict[str, object] = {}
    exec(compile(KERNEL, name, "exec"), scope)
    kernel = scope["factory"](64)  # type: ignore[operator]
    assert {file.id: file.title for file in kernel.sources.values()} == {
        cell_id(KERNEL): "the cell that defines factory"
    }


def test_text_that_nobody_kept_is_refused() -> None:
    scope: dict[str, object] = {}
    exec(KERNEL, scope)
    with pytest.raises(TLError) as caught:
        scope["factory"](64)  # type: ignore[operator]
    assert caught.value.code == "TL101"


def test_a_cells_id_hangs_on_its_text_alone() -> None:
    assert cell_id("x = 1\n") == cell_id("x = 1")
    assert cell_id("x = 1") != cell_id("x = 2")
    assert cell_id("x = 1").startswith("cell:")
    assert len(cell_id("x = 1")) == len("cell:") + 8


def test_two_functions_of_one_name_are_told_apart(read) -> None:
    text = """
        @T.prim_func
        def k(A: T.Tensor((8,), "float32")):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                pass

        @T.prim_func
        def k(A: T.Tensor((9,), "float32")):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                pass
    """
    assert '"tl.extents"' not in str(read(text).module)
    assert 'tl.extents = ["9"]' in str(read(text).module)


def test_annotations_kept_as_text_are_evaluated_where_they_stand() -> None:
    text = "from __future__ import annotations\n" + KERNEL.replace("(64,)", "(2 * width,)")
    linecache.cache["<future>"] = (len(text), None, text.splitlines(True), "<future>")
    scope: dict[str, object] = {}
    exec(compile(text, "<future>", "exec"), scope)
    kernel = scope["factory"](8)  # type: ignore[operator]
    assert 'tl.extents = ["16"]' in str(kernel.module)


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Generator[object]:
    """An IPython shell as a notebook has it, without a process of its own."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=config)
    shell.user_ns["T"] = T
    yield shell
    InteractiveShell.clear_instance()


BAD = KERNEL.replace("T.copy(A[0:width], a)", "T.copyy(A[0:width], a)") + "factory(64)\n"
CAUGHT = BAD.replace(
    "factory(64)\n", "try:\n    factory(64)\nexcept Exception as problem:\n    error = problem\n"
)
CELLS = {
    "plain": (BAD, 11),
    "leading blank lines": ("\n\n" + BAD, 13),
    "cell magic": ("%%time\n" + BAD, 12),
    "capture magic": ("%%capture out\n" + CAUGHT, 12),
    "line magic": ("%precision 3\n" + BAD, 12),
}


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_shows_its_own_lines(shell, name: str) -> None:
    cell, line = CELLS[name]
    result = shell.run_cell(cell, store_history=True)
    error = result.error_in_exec or shell.user_ns.get("error")
    assert isinstance(error, TLError)
    assert f"--> this cell, line {line}\n" in str(error)
    assert "T.copyy(A[0:width], a)\n" in str(error)


def test_a_later_cell_names_the_cell_that_defines_the_kernel(shell) -> None:
    shell.run_cell(KERNEL + "kernel = factory(64)", store_history=True)
    kernel = shell.user_ns["kernel"]
    title = "the cell that defines factory"
    assert [file.title for file in kernel.sources.values()] == [title]
    assert [file.title for file in retitled(kernel.sources).values()] == ["this cell"]
    shell.run_cell("x = 1", store_history=True)
    assert [file.title for file in retitled(kernel.sources).values()] == [title]


def test_ipython_shows_the_message_alone(shell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_cell(BAD, store_history=True)
    shown = capsys.readouterr().out
    assert "error[TL105]" in shown
    assert "Traceback" not in shown
    assert "tlcourse/language" not in shown
