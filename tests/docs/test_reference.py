"""docs/api/: up to date, complete, and true to the docstrings."""

from __future__ import annotations

import re
import subprocess
import sys
from enum import Enum
from pathlib import Path
from types import ModuleType

import pytest
import tilelang
import tilelang.language as T

import tlcourse
from tlcourse.cli.reference.made import made, stale
from tlcourse.cli.reference.pages import Group, Page
from tlcourse.cli.reference.text import page_text

ROOT = Path(__file__).parents[2]
API = ROOT / "docs" / "api"


def shown(file: str, prefix: str = "") -> set[str]:
    """The names in the headings of a page."""
    text = (API / file).read_text(encoding="utf-8")
    heads = re.findall(r"^### (.+)$", text, re.MULTILINE)
    return {name for head in heads for name in re.findall(rf"`{re.escape(prefix)}([\w.]+)`", head)}


def test_the_pages_are_made_from_the_docstrings_of_today() -> None:
    assert stale(ROOT, made(ROOT)) == [], "run make docs"


def test_every_name_of_a_notebook_is_shown() -> None:
    assert shown("notebooks.md") >= {*tlcourse.__all__} - {"__version__"}


def test_every_name_of_the_language_is_shown() -> None:
    assert shown("language.md", "T.") == {*T.__all__}


def test_every_name_of_tilelang_is_shown() -> None:
    names = {n for n in tilelang.__all__ if not isinstance(getattr(tilelang, n), ModuleType)}
    assert {*names} - {"__version__"} <= shown("tilelang.md", "tilelang.")


def spoken(a: object, *more: int, size: int = 3, word: str = "x") -> None:
    """Says `T.spoken(a)`.

    A second paragraph.

    Args:
        a: the first
            thing.

    Dtypes: float16.

    Returns:
        nothing.

    Raises:
        TL203: no path.
        TL1xx: others.
    """


def npuir_spoken(a: object) -> None:
    """The older spelling of T.spoken."""


class Kind(Enum):
    """A choice."""

    ONE = 1
    TWO = 2


EXPECTED = """# Title

Words.

Made by `make docs` from docstrings.

## Group

### `T.spoken` · `T.npuir_spoken`

```python
T.spoken(a, *more: int, size: int = 3, word: str = "x")
```

Says `T.spoken(a)`.

A second paragraph.

- `a`: the first thing.

Dtypes: float16.

Returns: nothing.

Raises:

- [TL203](../errors.md#tl203-no-way): no path.
- `TL1xx`: others.

### `T.Kind`

A choice.

Values: `ONE`, `TWO`.
"""


def test_a_page_by_hand() -> None:
    names = ("npuir_spoken", "spoken", "Kind")
    group = Group(title="Group", module=__name__, names=names, prefix="T.")
    page = Page(file="x.md", title="Title", words="Words.", groups=(group,))
    sys.modules.setdefault(__name__, sys.modules[spoken.__module__])
    assert page_text(page, {"TL203": "tl203-no-way"}) == EXPECTED


def test_what_nothing_makes_is_stale(tmp_path: Path) -> None:
    (tmp_path / "docs" / "api").mkdir(parents=True)
    old, new = (tmp_path / "docs" / "api" / name for name in ("old.md", "new.md"))
    old.write_text("old")
    assert stale(tmp_path, {new: "new"}) == [new, old]


@pytest.mark.slow
def test_the_command_says_when_all_is_well() -> None:
    command = [sys.executable, "-m", "tlcourse.cli.reference", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stdout + done.stderr


def test_no_page_names_a_folder_of_this_machine() -> None:
    for path, text in made(ROOT).items():
        assert str(ROOT) not in text, path.name
