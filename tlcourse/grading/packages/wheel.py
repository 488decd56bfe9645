"""A wheel of an operator package, made without a network: what `pip wheel` makes of it.

Source: the binary distribution format, packaging.python.org/specifications.
"""

from __future__ import annotations

import base64
import hashlib
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_TAG = "py3-none-any"
_DATE = (1980, 1, 1, 0, 0, 0)  # equal packages give equal wheels


def build_wheel(folder: Path, where: Path) -> Path:
    """Packs a package's folder as its pyproject.toml says.

    Args:
        folder: of the package.
        where: the folder that gets the wheel.

    Returns:
        the wheel.

    Raises:
        ValueError: pyproject.toml does not say name, version and sources of a package.
    """
    name, version, sources = _project(folder)
    info = f"{name}-{version}.dist-info"
    files = dict(_sources(folder, sources))
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    )
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: tlcourse\nRoot-Is-Purelib: true\nTag: {_TAG}\n".encode()
    )
    files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD")
    target = where / f"{name}-{version}-{_TAG}.whl"
    with zipfile.ZipFile(target, "w") as wheel:
        for path, data in files.items():
            wheel.writestr(zipfile.ZipInfo(path, _DATE), data)
    return target


def install(wheel: Path, site: Path) -> None:
    """Unpacks a wheel, which is all that installing one of plain Python takes."""
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(site)


def _project(folder: Path) -> tuple[str, str, dict[str, str]]:
    try:
        data: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
        project = data["project"]
        sources = data["tool"]["hatch"]["build"]["targets"]["wheel"]["sources"]
        return (
            str(project["name"]).replace("-", "_"),
            str(project["version"]),
            {str(source): str(target) for source, target in sources.items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise ValueError(f"pyproject.toml makes no wheel: {problem}") from problem


def _sources(folder: Path, sources: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    for source, target in sources.items():
        for path in sorted((folder / source).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                inside = path.relative_to(folder / source).as_posix()
                yield f"{target}/{inside}", path.read_bytes()


def _record(files: dict[str, bytes], own: str) -> bytes:
    lines = [f"{path},sha256={_digest(data)},{len(data)}" for path, data in files.items()]
    return "\n".join([*lines, f"{own},,", ""]).encode()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
