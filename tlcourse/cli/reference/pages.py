"""Which names stand on which page of docs/api/, in the order in which a reader meets them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Group:
    """Names under one heading: objects of one module, or members of one class in it.

    Args:
        title: the heading.
        module: where the names are found.
        names: `copy`, or `Profiler.do_bench`; a class is followed by those of its members.
        prefix: what a user writes before a name.
    """

    title: str
    module: str
    names: tuple[str, ...]
    prefix: str = ""


@dataclass(frozen=True, kw_only=True)
class Page:
    """One file of docs/api/."""

    file: str
    title: str
    words: str
    groups: tuple[Group, ...]


# The files of tlcourse/language, by what their names are for.
_TOPICS = (
    ("A kernel", ("prim_func", "kernel", "macro", "meta", "annotations", "symbolic")),
    ("Tiles", ("allocate", "views", "reshaping", "bits")),
    ("Copies", ("copy", "atomics")),
    ("Products", ("gemm",)),
    ("Filling, converting, moving", ("fill", "creation", "moves")),
    ("Reductions", ("reductions",)),
    ("Elementwise", ("vector", "functions", "choices")),
    ("Loops and branches", ("loops", "tvm_loops", "branches")),
    ("Flags and barriers", ("sync",)),
    ("Scalars", ("scalar_functions", "more_scalars")),
    ("Dtypes and constants", ("constants",)),
    ("Looking into a kernel", ("printing", "assertions")),
)

NOTEBOOKS = Page(
    file="notebooks.md",
    title="In a notebook",
    words="`from tlcourse import check, show_passes`. Pictures: [Widgets](../widgets.md).",
    groups=(
        Group(title="Exercises", module="tlcourse", names=("check", "hint", "answer", "progress")),
        Group(
            title="Widgets",
            module="tlcourse",
            names=(
                "show_passes",
                "show_timeline",
                "show_memory",
                "show_grid",
                "show_chip",
                "show_replay",
                "show_deadlock",
                "show_findings",
            ),
        ),
        Group(
            title="What a widget can do",
            module="tlcourse.widgets.timeline",
            names=("TimelineView.to_html", "TimelineView.export_html"),
        ),
        Group(title="From tosa to llvm", module="tlcourse", names=("lower",)),
        Group(title="Whole tracebacks", module="tlcourse.magic", names=("Magic.run",)),
    ),
)

HOST = Page(
    file="tilelang.md",
    title="tilelang",
    words="`import tilelang`, where no NPU is. Names of upstream that are not here say at their "
    "first use what to take instead.",
    groups=(
        Group(
            title="Compiling",
            module="tilelang",
            prefix="tilelang.",
            names=("jit", "compile", "lower", "autotune", "PassConfigKey"),
        ),
        Group(
            title="A kernel",
            module="tilelang",
            prefix="tilelang.",
            names=(
                "JitKernel_NPU",
                *(
                    f"JitKernel_NPU.{name}"
                    for name in (
                        "launch",
                        "trace",
                        "profile",
                        "instructions",
                        "what_if",
                        "block_map",
                        "record",
                        "measure_passes",
                        "get_kernel_source",
                        "get_profiler",
                        "get_tuner_result",
                        "benchmark",
                    )
                ),
            ),
        ),
        Group(
            title="Measuring",
            module="tilelang",
            prefix="tilelang.",
            names=(
                "Profiler",
                "Profiler.do_bench",
                "Profiler.assert_allclose",
                "TensorSupplyType",
            ),
        ),
        Group(
            title="Settings and small helpers",
            module="tilelang",
            prefix="tilelang.",
            names=(
                "enable_cache",
                "disable_cache",
                "is_cache_enabled",
                "set_log_level",
                "env",
                "cdiv",
                "next_power_of_2",
            ),
        ),
    ),
)


def pages() -> Iterator[Page]:
    """All pages that show Python names."""
    yield NOTEBOOKS
    yield _language()
    yield HOST


def _language() -> Page:
    """T: every public name, by the file that defines it."""
    module = "tlcourse.language"
    language = importlib.import_module(module)
    names: list[str] = sorted(getattr(language, "__all__"), key=str.lower)
    home = {name: getattr(language, name).__module__.rpartition(".")[2] for name in names}
    groups = tuple(
        Group(
            title=title,
            module=module,
            prefix="T.",
            names=tuple(name for file in files for name in names if home[name] == file),
        )
        for title, files in _TOPICS
    )
    return Page(
        file="language.md",
        title="The language: T",
        words="`import tilelang.language as T`. Names that mean something else than upstream's "
        "stand in [Differences](../differences.md).",
        groups=groups,
    )
