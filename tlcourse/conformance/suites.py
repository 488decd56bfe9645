"""One entry for the four suites: checks the checkout, runs, and makes the report."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tlcourse.conformance import examples, goldens, lit, npuir
from tlcourse.conformance.results import Case, Listener, Report, Settings, Suite
from tlcourse.diagnostics import error

_FOLDERS: dict[Suite, Path] = {
    "npuir": npuir.FOLDER,
    "examples": examples.FOLDER,
    "goldens": goldens.FOLDER,
    "lit": lit.FOLDER,
}
_CHECKOUTS: dict[Suite, str] = {
    "npuir": "https://github.com/grandliu/tilelang-mlir-ascend",
    "examples": "https://github.com/grandliu/tilelang-mlir-ascend",
    "goldens": "https://github.com/grandliu/tilelang-mlir-ascend",
    "lit": "https://github.com/Ascend/AscendNPU-IR --branch v1.2.0",
}
_NAMES: dict[Suite, str] = {
    "npuir": "a file below testing/npuir, `::`, a test and its parameters",
    "examples": "a file below examples",
    "goldens": "a file below unittest/npuir",
    "lit": "a file below bishengir/test, a RUN line's number and a module's: Dialect/x.mlir:1:3",
}


def run_suite(settings: Settings, tell: Listener = lambda case, total: None) -> Report:
    """Runs a suite of upstream on ours.

    Args:
        settings: which suite, where, how.
        tell: is called with each case when it is done, from several threads.

    Raises:
        TL715: the folder is no checkout of upstream.
        TL350: suite goldens needs bishengir-opt.
        TL716: suite lit needs the package filecheck.
        TL717: no case has a name with the wanted text.
    """
    wanted = settings.folder / _FOLDERS[settings.suite]
    if not wanted.is_dir():
        raise _no_checkout(settings)
    began = time.monotonic()
    cases = _runner(settings.suite)(replace(settings, folder=settings.folder.resolve()), tell)
    if settings.only and not cases:
        raise _no_case(settings)
    return Report(
        suite=settings.suite,
        execution=settings.execution,
        backend=settings.backend,
        seconds=time.monotonic() - began,
        cases=tuple(sorted(cases, key=lambda case: (case.folder, case.name))),
    )


def _runner(suite: Suite) -> Callable[[Settings, Listener], list[Case]]:
    runners: dict[Suite, Callable[[Settings, Listener], list[Case]]] = {
        "npuir": npuir.run,
        "examples": examples.run,
        "goldens": goldens.run,
        "lit": lit.run,
    }
    return runners[suite]


def _no_checkout(settings: Settings) -> Exception:
    return error(
        "TL715",
        f"{settings.folder} has no folder {_FOLDERS[settings.suite].as_posix()}",
        why=f"suite {settings.suite} runs files of upstream, which are not part of this package",
        fix=f"git clone {_CHECKOUTS[settings.suite]}, and give that folder",
    )


def _no_case(settings: Settings) -> Exception:
    return error(
        "TL717",
        f"suite {settings.suite} has no case whose name holds {settings.only!r}",
        why=f"a name is {_NAMES[settings.suite]}",
        fix="give a part of such a name, or run the suite without --only to see its folders",
    )
