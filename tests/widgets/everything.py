"""A notebook with every widget, run and saved."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).parents[2]
PYTHON = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
SET_UP = """\
import torch, tlcourse
from tests.widgets.pictured import launched, racy, stuck
from tlcourse.device import install, wrap
from tlcourse.examples.minicv import minicv_developer
from tlcourse.jit import compile
install()
kernel = compile(minicv_developer(128, 128, 64, 64, 64, 64), mode="Developer")
shapes = ((128, 64), (64, 128), (128, 128), (128, 128))
kinds = (torch.float16, torch.float16, torch.float32, torch.float32)
tensors = [wrap(torch.ones(shape, dtype=kind)) for shape, kind in zip(shapes, kinds)]
launch = kernel.launch(*tensors, execution="simulator", replay=0)"""
ASK = 'tlcourse.answer("d1.chip.p1", "?")  # a: one copy by MTE1  b: it is refused'
# Each widget, what its output is called, and what its twin says without a script.
CASES = {
    "tlcourse.show_passes(kernel)": ("PassExplorer(", "passes changed the IR"),
    "tlcourse.show_timeline(kernel)": ("TimelineView(", "<img alt="),
    "tlcourse.show_memory(kernel)": ("MemoryView(", "<img alt="),
    "tlcourse.show_grid(kernel)": ("GridView(", "<img alt="),
    "tlcourse.show_chip(kernel)": ("ChipView(", "<img alt="),
    "tlcourse.show_replay(kernel, step=6)": ("step 6 of", "<td>written</td>"),
    "tlcourse.show_deadlock(launched(stuck))": ("DeadlockView(", "<img alt="),
    "tlcourse.show_findings(launched(racy))": ("error[TL522]", "^^^^"),
    ASK: ("Quiz(d1.chip.p1; ", "in place of ?"),
}


def run_and_save(folder: Path) -> Path:
    """Runs it and saves it as JupyterLab would, with the state of its widgets; its path."""
    from nbclient import NotebookClient

    cells = [new_code_cell(code) for code in (SET_UP, *CASES)]
    notebook = new_notebook(cells=cells, metadata=PYTHON)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        NotebookClient(notebook, timeout=120, resources={"metadata": {"path": folder}}).execute()
    path = folder / "widgets.ipynb"
    nbformat.write(notebook, path)
    return path
