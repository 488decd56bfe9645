"""Each code that the front end raises has its paragraph in docs/errors.md and a test here."""

from __future__ import annotations

import re
from pathlib import Path

import tlcourse.language

FILES = sorted(Path(tlcourse.language.__file__).parent.rglob("*.py"))
RAISED = sorted(
    {code for file in FILES for code in re.findall(r'"(TL\d{3})"', file.read_text("utf-8"))}
)


def test_each_code_is_explained() -> None:
    page = (Path(__file__).parents[2] / "docs" / "errors.md").read_text("utf-8")
    assert [code for code in RAISED if f"## {code} " not in page] == []


def test_each_code_has_a_test_that_raises_it() -> None:
    here = Path(__file__).parent
    tests = "".join(file.read_text("utf-8") for file in sorted(here.glob("test_*.py")))
    assert [code for code in RAISED if code not in tests] == []
