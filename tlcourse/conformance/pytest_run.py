"""Runs pytest in this process with ours served."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from tlcourse.diagnostics import error

PLUGIN = "tlcourse.conformance.pytest_plugin"


def run_pytest(arguments: Sequence[str], plugins: Sequence[object] = ()) -> int:
    """Runs pytest with its own arguments; tests that import tilelang or torch_npu get ours.

    Returns:
        pytest's exit code.

    Raises:
        TL714: pytest is not installed.
    """
    if find_spec("pytest") is None:
        raise error(
            "TL714",
            "pytest is not installed",
            why="tests are run by pytest, which is not part of the package",
            fix="pip install pytest",
        )
    import pytest  # an optional package

    return int(pytest.main(["-p", PLUGIN, *arguments], plugins=[*plugins]))
