"""`tlcourse wheelhouse DIR`: all that a classroom without a network installs from.

pip finds out what is needed and fetches it, so that mirrors, proxies and certificates are those
that pip is set up with. Each file is fetched on its own, checked and put in place whole: a run
that was broken off goes on where it was. Runs on other systems may add to the same folder.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from tlcourse.build.fetching import pip, room_for
from tlcourse.build.house_list import HouseList, hash_of, here, instructions
from tlcourse.build.own_wheel import own_wheel
from tlcourse.diagnostics import error
from tlcourse.stored import put

AT_ONCE = 4
IN_ONE_GO = 8  # starting pip takes longer than fetching a small wheel
# What torch brings along where it is built for CUDA.
_CUDA = re.compile(r"^(nvidia-.*|cuda-.*|triton.*|pytorch-triton.*)$")

Told = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A wheel to have: its distribution, version, file name and hash."""

    name: str
    version: str
    file: str
    sha256: str


@room_for("the wheelhouse")
def make_wheelhouse(
    folder: Path,
    extras: tuple[str, ...],
    *,
    wheel: Path | None = None,
    torch_index: str = "",
    told: Told = print,
) -> HouseList:
    """Fills a folder with the wheels of tlcourse and of all that it needs on a system like this.

    Args:
        folder: made where it is missing; what lies there already is not fetched again.
        extras: of tlcourse.
        wheel: that of tlcourse; it is made where None is given.
        torch_index: an index to take torch from beside pip's own; empty for none.
        told: called with a line about each step.

    Raises:
        TL780: pip cannot find or fetch something, as without a network.
        TL781: torch would come with CUDA.
        TL782: the wheel of tlcourse cannot be made.
        TL783: the disk is full.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".part-") as temp:
        part = Path(temp)
        own = _put(wheel or own_wheel(part), folder)
        told(f"{own.name} is there; asking pip what it needs")
        wanted = resolve(own, extras, torch_index, part)
        told(f"{len(wanted)} wheels are needed on {here()}")
        _fetch_all(wanted, folder, part, torch_index, told)
    files = tuple(sorted([own.name, *(one.file for one in wanted)]))
    houses = HouseList.read(folder).with_run(folder, here(), extras, files)
    for name in houses.left_over(folder):
        (folder / name).unlink()
        told(f"removed {name}: no longer needed")
    houses.write(folder)
    (folder / "INSTALL.txt").write_text(instructions(houses, extras), encoding="utf-8")
    return houses


def resolve(own: Path, extras: tuple[str, ...], torch_index: str, part: Path) -> list[Wanted]:
    """Asks pip which wheels an installation in an empty environment takes.

    Raises:
        TL780: pip cannot find something.
        TL781: torch would come with CUDA.
    """
    report = part / "report.json"
    target = f"{own.resolve()}[{','.join(extras)}]" if extras else str(own.resolve())
    options = ["--dry-run", "--ignore-installed", "--report", str(report)]
    pip("install", *options, *_index(torch_index), "-c", str(constraints()), target)
    items = json.loads(report.read_text(encoding="utf-8"))["install"]
    found = [_wanted(item) for item in items if item["metadata"]["name"] != "tlcourse"]
    refuse_cuda(found)
    return sorted(found, key=lambda one: one.file)


def refuse_cuda(wanted: list[Wanted]) -> None:
    """Checks that nothing of CUDA is among the wheels: gigabytes that no learner uses.

    Raises:
        TL781: something is.
    """
    heavy = [one.name for one in wanted if _CUDA.match(re.sub(r"[-_.]+", "-", one.name).lower())]
    heavy += [one.file for one in wanted if one.name == "torch" and "+cu" in one.version]
    if heavy:
        raise error(
            "TL781",
            f"torch would come with CUDA: {', '.join(heavy[:3])} and more",
            why="the course computes on the CPU; the CUDA build is larger by gigabytes, and pip "
            "takes it on Linux unless it is told of another index",
            fix="add `--torch-index URL` with the CPU index that PyTorch's install page names",
        )


def constraints() -> Path:
    """The file with the exact versions: of this checkout, else of the package."""
    package = Path(__file__).parents[1]
    inside = package / "course_files" / "constraints.txt"
    return inside if inside.is_file() else package.parent / "constraints.txt"


def _wanted(item: dict[str, Any]) -> Wanted:
    info = cast("dict[str, Any]", item["download_info"])
    return Wanted(
        name=item["metadata"]["name"],
        version=item["metadata"]["version"],
        file=unquote(urlsplit(str(info["url"])).path).rsplit("/", 1)[-1],
        sha256=info["archive_info"].get("hashes", {}).get("sha256", ""),
    )


def _fetch_all(
    wanted: list[Wanted], folder: Path, part: Path, torch_index: str, told: Told
) -> None:
    missing = [one for one in wanted if not _is_there(one, folder)]
    if len(missing) < len(wanted):
        told(f"{len(wanted) - len(missing)} of them are here already")
    done = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        some = [missing[i : i + IN_ONE_GO] for i in range(0, len(missing), IN_ONE_GO)]
        jobs = [pool.submit(_fetch, few, folder, part, torch_index) for few in some]
        try:
            for path in chain.from_iterable(job.result() for job in as_completed(jobs)):
                done += 1
                told(f"[{done}/{len(missing)}] {path.name} {path.stat().st_size / 1e6:.1f} MB")
        except BaseException:
            pool.shutdown(cancel_futures=True)  # what runs is finished, the rest is left
            raise


def _fetch(few: list[Wanted], folder: Path, part: Path, torch_index: str) -> list[Path]:
    """Lets pip fetch some wheels, and moves each into the folder once it is whole."""
    own = Path(tempfile.mkdtemp(dir=part))
    exact = own / "exact.txt"
    exact.write_text("".join(_line(one) for one in few), encoding="utf-8")
    options = ["--no-deps", "--dest", str(own), *_index(torch_index), "-r", str(exact)]
    pip("download", *options)
    return [(own / one.file).replace(folder / one.file) for one in few]


def _line(one: Wanted) -> str:
    digest = f" --hash=sha256:{one.sha256}" if one.sha256 else ""
    return f"{one.name}=={one.version}{digest}\n"


def _is_there(one: Wanted, folder: Path) -> bool:
    path = folder / one.file
    return bool(one.sha256) and path.is_file() and hash_of(path) == one.sha256


def _index(url: str) -> list[str]:
    return ["--extra-index-url", url] if url else []


def _put(wheel: Path, folder: Path) -> Path:
    target = folder / wheel.name
    if wheel.resolve() != target.resolve():
        put(target, wheel.read_bytes())
    return target
