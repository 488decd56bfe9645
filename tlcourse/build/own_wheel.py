"""The wheel of tlcourse itself: built from a checkout, or packed again from what is installed."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from importlib.metadata import Distribution, PackagePath, distribution
from pathlib import Path

from tlcourse.build.fetching import meaning, without_network
from tlcourse.diagnostics import error

# What an installer adds beside the files of a wheel.
_OF_THE_INSTALLER = ("INSTALLER", "REQUESTED", "direct_url.json", "RECORD")


def checkout() -> Path | None:
    """The checkout that this package lies in, None where it was installed from a wheel."""
    root = Path(__file__).parents[2]
    return root if (root / "pyproject.toml").is_file() else None


def own_wheel(folder: Path) -> Path:
    """Puts a wheel of tlcourse into a folder.

    Raises:
        TL780: the tool that builds it cannot be fetched.
        TL782: it cannot be made.
    """
    root = checkout()
    return _built(root, folder) if root else packed_again(distribution("tlcourse"), folder)


def packed_again(installed: Distribution, folder: Path) -> Path:
    """A wheel with the files of an installed distribution; needs neither sources nor a network.

    Raises:
        TL782: files of it are missing.
    """
    files = [file for file in installed.files or () if _of_the_wheel(file)]
    lost = [str(file) for file in files if not Path(str(file.locate())).is_file()]
    if lost or not files:
        raise _cannot(f"the installed tlcourse lacks {lost[0] if lost else 'a list of its files'}")
    home = next(file.parent for file in files if file.parent.suffix == ".dist-info")
    target = folder / f"tlcourse-{installed.version}-py3-none-any.whl"
    record = f"{home}/RECORD"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as wheel:
        rows: list[str] = []
        for file in sorted(files):
            data = Path(str(file.locate())).read_bytes()
            wheel.writestr(file.as_posix(), data)
            rows.append(f"{file.as_posix()},sha256={_digest(data)},{len(data)}")
        wheel.writestr(record, "\n".join([*rows, f"{record},,", ""]))
    return target


def _built(root: Path, folder: Path) -> Path:
    with tempfile.TemporaryDirectory(dir=folder, prefix=".own-") as temp:
        command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--retries", "2", "-w", temp]
        done = subprocess.run(
            [*command, str(root)], capture_output=True, text=True, errors="replace", check=False
        )
        made = list(Path(temp).glob("tlcourse-*.whl"))
        said = (done.stderr or done.stdout).strip()
        if done.returncode and without_network(said):
            raise meaning(said)
        if done.returncode or not made:
            raise _cannot(f"pip wheel says: {said[-600:]}")
        return made[0].replace(folder / made[0].name)


def _of_the_wheel(file: PackagePath) -> bool:
    outside = ".." in file.parts or file.is_absolute()  # scripts, which pip makes anew
    compiled = file.suffix == ".pyc"
    return not outside and not compiled and file.name not in _OF_THE_INSTALLER


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _cannot(why: str) -> Exception:
    return error(
        "TL782",
        "the wheel of tlcourse itself cannot be made",
        why=why,
        fix="give the wheel you installed from: `tlcourse wheelhouse DIR --wheel FILE.whl`; from a "
        "checkout, the first build needs the network",
    )
