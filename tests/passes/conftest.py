"""Running passes on a text."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.passes import ModulePass

from tlcourse.dialects.text import from_text, to_text

RunPasses = Callable[..., str]


@pytest.fixture
def run_passes() -> RunPasses:
    """Applies passes to a module text, verifies, and gives the text back without gm spaces."""

    def run(text: str, *passes: ModulePass) -> str:
        module = from_text(text)
        for one in passes:
            one.apply(Context(), module)
            module.verify()
        return re.sub(r", #hivm.address_space<gm>", "", to_text(module))

    return run
