"""`tlcourse new-op-package`: a package with one small operator, to be changed step by step."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from string import Template

from tlcourse import __version__
from tlcourse.ops.refusals import no_name

_TEMPLATE = Path(__file__).parent / "template"
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_IMPORTS = frozenset({"torch", "torch_npu", "tilelang", "tlcourse", "numpy", "pytest"})
_SUFFIX = ".in"


def new_package(name: str, where: Path) -> Path:
    """Writes the package's files and returns its folder.

    Args:
        name: import name, and name of its first operator.
        where: the folder that gets the package's folder.

    Raises:
        TL486: a package cannot have that name, or the folder holds something.
    """
    _check(name)
    folder = where / name
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise no_name(name, f"{folder} is there already")
    for source in sorted(_TEMPLATE.rglob(f"*{_SUFFIX}")):
        text = Template(source.read_text(encoding="utf-8"))
        path = folder / str(source.relative_to(_TEMPLATE)).removesuffix(_SUFFIX)
        path = path.with_name(path.name.replace("NAME", name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.substitute(name=name, version=__version__), encoding="utf-8")
    return folder


def _check(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise no_name(name, "it is no plain name")
    if name in sys.stdlib_module_names or name in _IMPORTS:
        raise no_name(name, f"`import {name}` gives something else")
