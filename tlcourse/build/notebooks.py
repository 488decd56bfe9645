"""From course sources to notebooks: executed lessons, stripped exercises, solutions."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from typing import Any, cast

import nbformat
from nbformat import NotebookNode, v4

from tlcourse.build.source import Cell, Language, Source
from tlcourse.diagnostics import error

FORMAT = 1  # raised when notebooks are made differently from the same sources
_CELL_SECONDS = 120
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def bare_notebook(source: Source, language: Language) -> NotebookNode:
    """The notebook of one language, without outputs."""
    notebook = v4.new_notebook(cells=[_node(cell) for cell in source.cells_in(language)])
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": dict(_KERNEL),
            "language_info": {"name": "python"},
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

    Raises:
        TL803: a cell raises, writes to standard error, or runs too long.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    with tempfile.TemporaryDirectory(prefix="tlcourse-") as folder:
        client = NotebookClient(
            notebook,
            timeout=_CELL_SECONDS,
            resources={"metadata": {"path": folder}},
            # The kernel's start-up note on its transport is not for whoever builds.
            extra_arguments=["--IPKernelApp.log_level=40"],
        )
        try:
            client.execute()
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as problem:
            raise _did_not_run(name, str(problem)) from problem
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            if output.output_type == "stream" and output.name == "stderr":
                raise _did_not_run(name, f"cell {cell.id} writes to standard error: {output.text}")
    notebook.metadata.language_info = nbformat.from_dict({"name": "python"})
    return _with_stable_widgets(notebook)


def stripped(notebook: NotebookNode) -> NotebookNode:
    """The learner's copy: solutions replaced by a stub, by nbgrader's own preprocessor."""
    from nbgrader.preprocessors import ClearSolutions
    from traitlets.config import Config

    config = Config()
    stub = "# your code here\nraise NotImplementedError"
    config.ClearSolutions.code_stub = {"python": stub}
    resources: dict[str, Any] = {"unique_key": "", "output_files_dir": ""}
    cleared, _ = cast(Any, ClearSolutions(config=config)).preprocess(notebook, resources)
    return cast(NotebookNode, cleared)


def to_text(notebook: NotebookNode) -> str:
    """A notebook as a file's text: keys sorted, one space of indent, a newline at the end."""
    nbformat.validate(notebook)
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


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
    node = makers[cell.kind](cell.text, id=cell.stem.replace("_", "-"))
    tags = [tag for tag in cell.tags if not tag.startswith("lang:")]
    if tags:
        node.metadata["tags"] = tags
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
    """Ids of all models: those shown first, in the order of the page, then the others."""
    stored: dict[str, Any] = {}
    for bundle in state.values():
        stored |= bundle.get("state", {})
    shown: list[str] = []
    for cell in cells:
        for output in cell.get("outputs", ()):
            view = output.get("data", {}).get("application/vnd.jupyter.widget-view+json")
            if view is not None:
                shown.append(str(view["model_id"]))
    rest = sorted(stored.keys() - set(shown), key=lambda model: json.dumps(stored[model]))
    return [*dict.fromkeys(shown), *rest]


def _did_not_run(name: str, reason: str) -> Exception:
    return error(
        "TL803",
        f"{name} does not run from top to bottom",
        why=reason.strip()[-2000:],
        fix="run the notebook's cells in JupyterLab and mend the one that fails",
    )
