"""From course sources to notebooks: executed lessons, stripped exercises, solutions."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import nbformat
from nbformat import NotebookNode, v4

from tlcourse.build.source import Cell, Language, Source, not_a_source
from tlcourse.diagnostics import TLError, error
from tlcourse.grading.notebook_file import TEXT_STUB

FORMAT = 1  # raised when notebooks are made differently from the same sources
_CELL_SECONDS = 120
_OWN_VARIABLES = ("TLCOURSE_", "TILELANG_", "IPYTHON")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_MODEL = re.compile(r"IPY_MODEL_(\w+)")
_KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def kernel_metadata() -> dict[str, Any]:
    """What every notebook says of the kernel that it wants."""
    return {"kernelspec": dict(_KERNEL), "language_info": {"name": "python"}}


def bare_notebook(source: Source, language: Language) -> NotebookNode:
    """The notebook of one language, without outputs."""
    notebook = v4.new_notebook(cells=[_node(cell) for cell in source.cells_in(language)])
    notebook.metadata = nbformat.from_dict(
        {
            **kernel_metadata(),
            "tlcourse": {
                "id": source.id,
                "language": language,
                "source_sha256": source.sha256,
                "format": FORMAT,
            },
        }
    )
    return notebook


def executed(notebook: NotebookNode, name: str) -> NotebookNode:
    """Runs a notebook from top to bottom and keeps its outputs, in a form that never varies.

    The kernel starts in an empty folder, with an empty cache of kernels and none of the user's
    settings, on the simulator.

    Args:
        notebook: without outputs; it is filled in place.
        name: told in an error.

    Raises:
        TL803: a cell raises, writes to standard error, or runs too long.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    started: list[str] = []

    def note(cell: NotebookNode, cell_index: int) -> None:
        started.append(str(cell.id))

    with tempfile.TemporaryDirectory(prefix="tlcourse-", ignore_cleanup_errors=True) as folder:
        client = NotebookClient(
            notebook,
            timeout=_CELL_SECONDS,
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": folder}},
            # The kernel's notes about its own start are not for whoever builds.
            extra_arguments=["--IPKernelApp.log_level=40"],
            on_cell_start=note,
        )
        try:
            client.execute(env=kernel_environment(Path(folder)))
        except CellExecutionError as problem:
            raise _did_not_run(name, started[-1], _last_lines(problem.traceback)) from problem
        except (CellTimeoutError, DeadKernelError) as problem:
            where = started[-1] if started else "start"
            raise _did_not_run(name, where, _last_lines(str(problem))) from problem
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if output.output_type == "stream" and output.name == "stderr":
                raise _did_not_run(name, cell.id, f"it writes to standard error: {output.text}")
    notebook.metadata.language_info = nbformat.from_dict({"name": "python"})
    return _with_stable_widgets(notebook)


def stripped(notebook: NotebookNode, source: Path) -> NotebookNode:
    """The learner's copy: solutions replaced by a stub, by nbgrader's own preprocessor.

    Raises:
        TL801: the marks of a solution are not in pairs, or stand outside a solution cell.
    """
    from nbgrader.preprocessors import ClearSolutions
    from traitlets.config import Config

    config = Config()
    stub = "# your code here\nraise NotImplementedError"
    config.ClearSolutions.code_stub = {"python": stub}
    config.ClearSolutions.text_stub = TEXT_STUB
    resources: dict[str, Any] = {"unique_key": "", "output_files_dir": ""}
    try:
        cleared, _ = cast(Any, ClearSolutions(config=config)).preprocess(notebook, resources)
    except RuntimeError as problem:
        raise not_a_source(source, str(problem)) from problem
    return cast(NotebookNode, cleared)


def was_executed(notebook: NotebookNode) -> bool:
    """Whether all code cells ran in order, without an error."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    counts = [cell.execution_count for cell in cells]
    kinds = {output.output_type for cell in cells for output in cell.outputs}
    return counts == list(range(1, len(cells) + 1)) and "error" not in kinds


def to_text(notebook: NotebookNode) -> str:
    """A notebook as a file's text: keys sorted, one space of indent, a newline at the end."""
    nbformat.validate(notebook)
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def read_notebook(path: Path) -> NotebookNode | None:
    """The notebook in a file; None where there is none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(data, dict) or not isinstance(cast(dict[str, Any], data).get("cells"), list):
        return None
    problems: dict[str, Any] = {}
    reads = cast(Callable[..., NotebookNode], nbformat.reads)
    notebook = reads(json.dumps(data), as_version=4, capture_validation_error=problems)
    return None if problems else notebook


def without_outputs(notebook: NotebookNode) -> NotebookNode:
    """A copy without outputs and widget states, for comparing structure."""
    bare = _from_text(json.dumps(notebook))
    bare.metadata.pop("widgets", None)
    for cell in bare.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return bare


def _node(cell: Cell) -> NotebookNode:
    makers: dict[str, Callable[..., NotebookNode]] = {
        "markdown": v4.new_markdown_cell,
        "code": v4.new_code_cell,
    }
    node = makers[cell.kind](cell.text, id=cell.id)
    tags = [tag for tag in cell.tags if not tag.startswith("lang:")]
    if tags:
        node.metadata["tags"] = tags
    if "golden" in tags:
        node.metadata["jupyter"] = {"source_hidden": True}  # for whoever changes the lesson
    if cell.nbgrader is not None:
        node.metadata["nbgrader"] = dict(cell.nbgrader)
    return node


def _with_stable_widgets(notebook: NotebookNode) -> NotebookNode:
    """Widget models get names by order instead of random ones."""
    state = notebook.metadata.get("widgets", {})
    text = json.dumps(notebook, ensure_ascii=False)
    models = _model_ids(notebook.cells, state)
    for index, model in enumerate(models):
        text = text.replace(model, f"{index:032x}")
    return _from_text(text)


def _from_text(text: str) -> NotebookNode:
    return cast(NotebookNode, nbformat.from_dict(json.loads(text)))


def _model_ids(cells: Sequence[NotebookNode], state: Any) -> list[str]:
    """Ids of all models: those shown, in the order of the page, those they name, all others."""
    stored: dict[str, Any] = {}
    for bundle in state.values():
        stored |= bundle.get("state", {})
    shown: list[str] = []
    for cell in cells:
        for output in cell.get("outputs", ()):
            view = output.get("data", {}).get("application/vnd.jupyter.widget-view+json")
            if view is not None:
                shown.append(str(view["model_id"]))
    named = [model for view in shown for model in _MODEL.findall(json.dumps(stored.get(view)))]
    rest = sorted(stored, key=lambda model: json.dumps(stored[model]))
    return list(dict.fromkeys([*shown, *named, *rest]))


def kernel_environment(folder: Path) -> dict[str, str]:
    """The user's environment without what changes a kernel's results or the notebook's outputs."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(_OWN_VARIABLES)}
    return kept | {
        "TLCOURSE_BACKEND": "simulated",
        "TILELANG_CACHE_DIR": str(folder / "cache"),
        "IPYTHONDIR": str(folder / "ipython"),
    }


def _last_lines(text: str) -> str:
    return "\n".join(_COLOUR.sub("", text).strip().splitlines()[-12:])


def _did_not_run(name: str, cell_id: str, reason: str) -> TLError:
    return error(
        "TL803",
        f"{name} does not run from top to bottom: cell `{cell_id}` fails",
        why=reason,
        fix="run the notebook's cells in JupyterLab and mend the one that fails",
    )
