"""Carets in a live kernel, as JupyterLab runs it."""

from __future__ import annotations

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = (
    "import tlcourse\nimport tlcourse.language as T",
    """%%time
def factory(n):
    @T.prim_func
    def vadd(A: T.Tensor((n,), "float32")):
        with T.Kernel(n // 64, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64,), "float32")
            T.vexpp(a, a)
    return vadd
factory(128)""",
    "factory(256)",
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_a_live_kernel_shows_the_cells_own_line() -> None:
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    book = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(book, allow_errors=True, timeout=120, kernel_name="python3").execute()
    shown = ["\n".join(cell.outputs[-1].get("traceback", ())) for cell in book.cells[1:]]
    for text, title in zip(shown, ("this cell", "the cell that defines factory"), strict=True):
        assert "error[TL105]: T has no function `vexpp`" in text
        assert f"--> {title}, line 7\n" in text
        assert " 7 |             T.vexpp(a, a)\n   |             ^^^^^^^" in text
        assert "Traceback" not in text
