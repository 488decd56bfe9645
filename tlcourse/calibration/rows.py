"""The measured rows, and which of our kernels stands for each.

A table beside the kernels names, for each row, the factory, its parameters, the mode and the
chip, or says why no kernel can stand for it.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tlcourse.chips import CHIPS
from tlcourse.diagnostics import TLError, error
from tlcourse.records import Mode

TABLE = "rows.csv"
_KEY = ("group", "kernel", "variant", "shape", "dtype")
# Two files of measurements of one kernel are one family.
_FAMILIES = {"lerplog": "lerp", "ssdlog": "ssd"}
_LONG_US = 50.0
NOT_IN_TABLE = "no kernel is named for it"


@dataclass(frozen=True, kw_only=True)
class Stand:
    """The kernel that stands for a row.

    Args:
        factory: file and function that make it, for example `lerp.copy_probe`.
        by_hand: its buffers are doubled by hand, the compiler doubles none.
        cold: what measured it emptied L2 before each launch.
        described: its source is not published, only a description; such rows are predicted
            but no constant is fitted to them.
        rounds: tiles or tasks of one core, where it stays and takes one after another.
        parameters: arguments of the factory.
    """

    factory: str
    mode: Mode
    chip: str
    by_hand: bool
    cold: bool
    described: bool
    rounds: int
    parameters: Mapping[str, object] = field(hash=False)

    @property
    def key(self) -> str:
        """The same for rows with the same kernel on the same chip."""
        return json.dumps([self.factory, self.mode, self.chip, self.cold, dict(self.parameters)])


@dataclass(frozen=True, kw_only=True)
class Row:
    """One measured time.

    Args:
        number: its place in the file, from 1.
        group: as in the file.
        stand: our kernel for it, if there is one.
        reason: why there is none.
        vector_us: how long the vector pipe was busy, where that was measured too.
    """

    number: int
    group: str
    kernel: str
    variant: str
    shape: str
    dtype: str
    measured_us: float
    stand: Stand | None
    reason: str = ""
    vector_us: float | None = None

    @property
    def family(self) -> str:
        """Kernels that belong together: their rows are left out together."""
        return _FAMILIES.get(self.group, self.group)


def read_rows(data: Path, kernels: Path) -> tuple[Row, ...]:
    """The rows of a file of measurements.

    Args:
        data: columns group, kernel, variant, shape, dtype and time_us; others are passed over.
        kernels: the folder with the kernels and their table.

    Raises:
        TL760: a file is missing or lacks a column that is needed, or a time is no number above 0.
    """
    table = {tuple(line[name] for name in _KEY): line for line in _lines(kernels / TABLE)}
    rows: list[Row] = []
    for number, line in enumerate(_lines(data, "time_us"), start=1):
        entry = table.get(tuple(line[name] for name in _KEY))
        rows.append(
            Row(
                number=number,
                measured_us=_microseconds(data, number, line["time_us"]),
                stand=_stand(entry) if entry else None,
                reason=entry["reason"] if entry else NOT_IN_TABLE,
                vector_us=_vector_us(line.get("other") or "", float(line["time_us"])),
                **{name: line[name] for name in _KEY},
            )
        )
    return tuple(rows)


def _vector_us(other: str, time_us: float) -> float | None:
    """Busy time of the vector pipe out of a row's further figures.

    Shares are of the time that a core was at work: its MTE2 time and share tell how long that
    was. Where only a share is given it is taken of the launch, which must then be a long one.
    """
    facts = dict(part.split("=", 1) for part in other.split(";") if "=" in part)
    if {"vec_util", "mte2_util", "mte2_active_us"} <= facts.keys():
        at_work = float(facts["mte2_active_us"]) / _share(facts["mte2_util"])
        return at_work * _share(facts["vec_util"])
    if "vec_ratio" in facts and time_us >= _LONG_US:
        return time_us * float(facts["vec_ratio"])
    return None


def _share(percent: str) -> float:
    return float(percent.rstrip("%")) / 100


def _stand(entry: Mapping[str, str]) -> Stand | None:
    if not entry["factory"]:
        return None
    assert entry["chip"] in CHIPS, f"the table names a chip {entry['chip']}"
    return Stand(
        factory=entry["factory"],
        mode="Expert" if entry["mode"] == "Expert" else "Developer",
        chip=entry["chip"],
        by_hand=bool(entry["by_hand"]),
        cold=bool(entry["cold"]),
        described=bool(entry["described"]),
        rounds=int(entry["rounds"] or 1),
        parameters=json.loads(entry["parameters"]),
    )


def _microseconds(path: Path, number: int, text: str) -> float:
    try:
        found = float(text)
    except (TypeError, ValueError):
        found = math.nan
    if not 0 < found < math.inf:
        raise _unusable(path, f"row {number} has time_us {text!r}, which is no time above 0")
    return found


def _lines(path: Path, *columns: str) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as problem:
        raise _unusable(path, f"it cannot be read: {problem}") from problem
    missing = [name for name in (*_KEY, *columns) if not lines or lines[0].get(name) is None]
    if missing:
        raise _unusable(path, f"it has no rows with {', '.join(missing)}")
    return lines


def _unusable(path: Path, why: str) -> TLError:
    return error(
        "TL760",
        f"{path} is no table of measured times",
        why=why,
        fix=f"give a CSV file with the columns {', '.join((*_KEY, 'time_us'))}",
    )
