"""docs/performance.md: budgets beside what was measured, from the files of `tlcourse bench`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tlcourse.bench.lessons import MOST_BYTES, MOST_SECONDS

Data = Mapping[str, Any]
Row = tuple[str, str, str, bool]

_HEAD = """# Performance

Made by `tlcourse bench` from the files in `benchmarks/results`. Ratios hold between contenders of
one run, which are timed in turns on one machine; a time alone says little of another machine. Every
file names the machine and the versions that it was measured with.
"""


def read_results(folder: Path) -> dict[str, Data]:
    """The figures that a folder holds, by the name of the measurement."""
    files = {name: folder / f"{name}.json" for name in _SECTIONS}
    return {
        name: json.loads(path.read_text(encoding="utf-8"))
        for name, path in files.items()
        if path.is_file()
    }


def page_of(results: Mapping[str, Data]) -> str:
    """The page: a section for each measurement that there is."""
    sections = [_section(name, results[name]) for name in _SECTIONS if name in results]
    return "\n".join([_HEAD, *sections])


def _section(name: str, data: Data) -> str:
    title, rows_of = _SECTIONS[name]
    rows = [
        f"| {what} | {limit} | {found} | {'met' if met else 'missed'} |"
        for what, limit, found, met in rows_of(data)
    ]
    table = ["| what | budget | measured | state |", "|---|---|---|---|", *rows]
    ran_on = ", ".join(f"{key} {value}" for key, value in sorted(_ran_on(data).items()))
    return "\n".join([f"## {title}", "", f"`{name}.json`: {ran_on}.", "", *table, ""])


def _ran_on(data: Data) -> dict[str, str]:
    return {**data.get("machine", {}), **data.get("versions", {})}


def _milliseconds(row: Data) -> str:
    return ", ".join(f"{name} {time:,.1f} ms" for name, time in row["milliseconds"].items())


def _functional(data: Data) -> Iterator[Row]:
    for row in data["measured"]:
        limit, found = f"{row['most_eager']:g} x torch eager", f"{row['times_eager']:.2f} x"
        if row["times_faster_than_triton"] is not None:
            limit += f"; {row['least_triton']:g} x faster than Triton's interpreter"
            found += f"; {row['times_faster_than_triton']:,.0f} x faster"
        yield row["workload"], limit, f"{found} ({_milliseconds(row)})", row["met"]


def _native(data: Data) -> Iterator[Row]:
    for row in data["measured"]:
        what = f"{row['workload']}, threads: {row['threads']}"
        limit, found = f"{row['most_times']:g} x torch eager", f"{row['times_eager']:.2f} x"
        if row["times_fused"] is not None:
            limit += " and torch's fused attention"
            found += f" and {row['times_fused']:.2f} x"
        yield what, limit, f"{found} ({_milliseconds(row)})", row["met"]
    loading = data["loading"]
    limit = f"{loading['most_milliseconds']:g} ms behind torch"
    found = (
        f"{loading['milliseconds']:.1f} ms; a first compile "
        f"{loading['first_compile_milliseconds']:,.0f} ms"
    )
    yield f"{loading['kernels']} precompiled kernels load", limit, found, loading["met"]


def _simulator(data: Data) -> Iterator[Row]:
    for row in data["measured"]:
        for checks, times in row["times_functional"].items():
            limit = f"{row['most_times'][checks]:g} x functional"
            yield f"{row['workload']}, checks {checks}", limit, f"{times:.2f} x", row["met"]
    grid = data["grid"]
    yield grid["workload"], f"{grid['most_seconds']:g} s", f"{grid['seconds']:.2f} s", grid["met"]


def _compile(data: Data) -> Iterator[Row]:
    for row in data["measured"]:
        limits = row["budgets"]
        limit = f"first {limits['first compile']:g} ms; cached {limits['from the cache']:g} ms"
        found = f"first {row['first_milliseconds']:,.0f} ms; {_milliseconds(row)}"
        yield row["workload"], limit, found, row["met"]


def _widgets(data: Data) -> Iterator[Row]:
    for row in data["measured"]:
        budget, opening, peer = row["budget"], row["opening"], row["peer"]
        limit = (
            f"Python {budget['python_seconds']:g} s, opens {budget['open_seconds']:g} s, step "
            f"{budget['step_ms']:g} ms"
        )
        found = (
            f"Python {row['python_seconds']:.2f} s, opens {opening['seconds']:.2f} s, step "
            f"{opening['worst_step_ms']:.0f} ms, state {row['state_bytes']:,} B"
        )
        if peer is not None:
            found += (
                f" (tilelang-devkit: {peer['python_seconds']:.2f} s, "
                f"{peer['opening']['seconds']:.2f} s, {peer['opening']['worst_step_ms']:.0f} ms)"
            )
        yield row["name"], limit, found, row["met"]


def _grading(data: Data) -> Iterator[Row]:
    rush, class_, stock = data["rush"], data["lessons"], data["stock"]
    found = f"{rush['results']:,} results, same: {'yes' if rush['same'] else 'no'}"
    whole = rush["same"] and rush["results"] == rush["hand_ins"]
    yield f"{rush['hand_ins']:,} hand-ins, disturbed", "nothing lost or changed", found, whole
    limit = 60 * class_["learners"] / 500
    found = f"{class_['minutes']:.1f} min; again {class_['rerun_seconds']:.0f} s"
    met = class_["minutes"] <= limit and class_["rerun_seconds"] <= 60
    what = f"{class_['learners']} learners, {class_['hand_ins']:,} hand-ins of six exercises"
    yield what, f"{limit:g} min; again 60 s", found, met
    found = f"{stock['times_faster']:g} x faster ({stock['our_seconds']:.2f} s a hand-in)"
    yield "stock nbgrader, same checks", "ahead", found, stock["times_faster"] >= 1


def _peers(data: Data) -> Iterator[Row]:
    for row in data["measured"]:
        yield row["workload"], "", _milliseconds(row), row["met"]


def _seconds(data: Data) -> Iterator[Row]:
    for row in data["measured"]:
        most = row.get("most_seconds")
        limit = "" if most is None else f"{most:g} s"
        met = most is None or row["seconds"] <= most
        yield row["name"], limit, f"{row['seconds']:.2f} s", met


def _lessons(data: Data) -> Iterator[Row]:
    limit = f"{MOST_SECONDS:g} s, {MOST_BYTES / 1e6:,.0f} MB"
    for row in data["measured"]:
        found = f"{row['seconds']:.1f} s, {row['peak_bytes'] / 1e6:,.0f} MB"
        met = row["seconds"] <= MOST_SECONDS and row["peak_bytes"] <= MOST_BYTES
        yield row["name"], limit, found, met


def _soak(data: Data) -> Iterator[Row]:
    before, after = data["before"], data["after"]
    kinds = ("threads", "files", "processes")
    more = [kind for kind in kinds if after[kind] > before[kind]]
    left = [*more, *sorted(set(after["temporary"]) - set(before["temporary"]))]
    limit = f"{data['most_growth_bytes'] / 2**20:.0f} MiB, nothing left"
    found = f"{data['growth_bytes'] / 2**20:.1f} MiB; left: {', '.join(left) or 'nothing'}"
    met = not left and data["growth_bytes"] <= data["most_growth_bytes"]
    yield f"{data['kernels']} kernels, {data['runs']} launches in one process", limit, found, met


_SECTIONS: dict[str, tuple[str, Callable[[Data], Iterator[Row]]]] = {
    "functional": ("Functional executor", _functional),
    "native": ("Native code", _native),
    "simulator": ("Simulator", _simulator),
    "compile": ("Compile", _compile),
    "widgets": ("Pass explorer", _widgets),
    "grading": ("Grading", _grading),
    "peers": ("Peers, all in one run", _peers),
    "startup": ("Start", _seconds),
    "lessons": ("Lessons", _lessons),
    "soak": ("Soak", _soak),
}
