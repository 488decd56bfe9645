"""docs/performance.md is made from the committed figures, and says what was missed."""

from __future__ import annotations

import json
from pathlib import Path

from tlcourse.bench.performance_page import page_of, read_results

ROOT = Path(__file__).parents[2]


def test_the_page_shows_the_committed_figures() -> None:
    made = page_of(read_results(ROOT / "benchmarks" / "results"))
    assert made == (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")


def test_what_is_above_its_budget_is_missed(tmp_path: Path) -> None:
    on = {"machine": {"system": "Linux"}, "versions": {"python": "3.11"}}
    first, last = ({"name": name, "seconds": 2.0} for name in ("a", "b"))
    waits = [first | {"most_seconds": 1.0}, last | {"most_seconds": None}]
    (tmp_path / "startup.json").write_text(json.dumps(on | {"measured": waits}))
    lesson = {"name": "c", "seconds": 9.0, "peak_bytes": 2_000_000_000}
    (tmp_path / "lessons.json").write_text(json.dumps(on | {"measured": [lesson]}))
    seen = {"threads": 1, "files": 2, "processes": 0, "temporary": []}
    soak = {"before": seen, "after": seen | {"temporary": ["x"]}, "growth_bytes": 2**20}
    soak |= {"most_growth_bytes": 2**21, "kernels": 3, "runs": 9}
    (tmp_path / "soak.json").write_text(json.dumps(on | soak))
    rows = [line for line in page_of(read_results(tmp_path)).splitlines() if line[:3] != "|--"]
    assert "| a | 1 s | 2.00 s | missed |" in rows
    assert "| b |  | 2.00 s | met |" in rows
    assert "| c | 60 s, 1,500 MB | 9.0 s, 2,000 MB | missed |" in rows
    what = "3 kernels, 9 launches in one process"
    assert f"| {what} | 2 MiB, nothing left | 1.0 MiB; left: x | missed |" in rows
