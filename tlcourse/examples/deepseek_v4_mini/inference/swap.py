"""The same model on our operators: two lines of its text are changed, and nothing else."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from types import ModuleType

_FILE = Path(__file__).parent / "model.py"
TORCH = "from tlcourse.examples.deepseek_v4_mini.inference import torch_ops as ops\n"
OURS = "import tlcourse\nfrom tlcourse.examples import mini_ops as ops\n"


def swapped_text() -> str:
    """The model's text with our operators."""
    text = _FILE.read_text(encoding="utf-8")
    assert text.count(TORCH) == 1
    return text.replace(TORCH, OURS)


def diff() -> str:
    """The change as a unified diff."""
    before = _FILE.read_text(encoding="utf-8").splitlines(keepends=True)
    after = swapped_text().splitlines(keepends=True)
    return "".join(difflib.unified_diff(before, after, "model.py", "model.py", n=1))


def swapped_module(text: str | None = None) -> ModuleType:
    """The model's module, made from a text; None is the one with our operators."""
    name = "tlcourse_swapped_model"
    module = ModuleType(name)
    sys.modules[name] = module  # dataclasses look their module up
    exec(compile(swapped_text() if text is None else text, name, "exec"), vars(module))
    return module
