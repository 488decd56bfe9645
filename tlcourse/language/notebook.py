"""What IPython remembers of the cells that were typed. Nothing here imports IPython."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Protocol, cast


class _History(Protocol):
    input_hist_raw: list[str]


class _Shell(Protocol):
    history_manager: _History | None

    def transform_cell(self, raw_cell: str) -> str: ...


class _Module(Protocol):
    def get_ipython(self) -> _Shell | None: ...


def raw_cells() -> Iterator[str]:
    """The cells as typed, the latest first; nothing outside IPython."""
    shell = _shell()
    if shell is None or shell.history_manager is None:
        return
    yield from reversed([cell for cell in shell.history_manager.input_hist_raw if cell])


def current_cell() -> str | None:
    """The cell that is being executed, as typed."""
    return next(raw_cells(), None)


def cells_under_magics() -> Iterator[str]:
    """Bodies of the cells that begin with a cell magic, as Python sees them."""
    shell = _shell()
    for cell in raw_cells():
        first, _, body = cell.lstrip().partition("\n")
        if first.startswith("%%") and shell is not None:
            yield shell.transform_cell(body)


def _shell() -> _Shell | None:
    module = sys.modules.get("IPython.core.getipython")
    return cast(_Module, module).get_ipython() if module else None
