"""Runs pytest in this process with ours served."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tlcourse.diagnostics import error

if TYPE_CHECKING:
    import pytest

PLUGIN = "tlcourse.conformance.pytest_plugin"


class OwnHelp:
    """A plugin of pytest that names the command in its help and errors, and our option."""

    def pytest_addoption(self, parser: pytest.Parser) -> None:
        """Names the command."""
        parser.prog = "tlcourse pytest"

    def pytest_cmdline_main(self, config: pytest.Config) -> None:
        """Says what stands before pytest's own arguments, above pytest's help."""
        if config.getoption("help"):
            print("tlcourse pytest --execution simulator|functional|npu ..: how kernels run")


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
