"""The page that tilelang-devkit's lower_trace makes of a trace, where that is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from tlcourse.diagnostics import error
from tlcourse.records import PassTrace
from tlcourse.widgets.lines import split_places

# A process of its own in a folder of its own: the peer writes files where it stands.
_MAKE = """
import json, sys, time
from tilelang_devkit.lower_trace.html import generate_html
from tilelang_devkit.lower_trace.model import LowerRecord
records = [LowerRecord(**one) for one in json.load(open("records.json"))]
start = time.process_time()
generate_html(records, "devkit.html")
print(time.process_time() - start)
"""


def devkit_page(trace: PassTrace, folder: Path) -> tuple[Path, float]:
    """Has the peer make its page of the passes of a trace.

    Args:
        trace: the passes.
        folder: where to write it, outside the project.

    Returns:
        The page and the processor seconds that it took.

    Raises:
        TL770: tilelang-devkit is not installed.
    """
    require()
    (folder / "records.json").write_text(json.dumps(_records(trace)), encoding="utf-8")
    command = [sys.executable, "-c", _MAKE]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return folder / "devkit.html", float(done.stdout)


def require() -> None:
    """Sees to it that the peer is there.

    Raises:
        TL770: it is not.
    """
    if find_spec("tilelang_devkit") is None:
        raise error(
            "TL770",
            "the peer is tilelang-devkit, which is not installed",
            why="its page of the same passes is measured in the same run",
            fix="pip install tilelang-devkit==0.2.0, or leave out --peers",
        )


def _records(trace: PassTrace) -> list[dict[str, object]]:
    records: list[dict[str, object]] = []
    before = ""
    for snapshot in trace.snapshots:
        after = split_places(trace.texts[snapshot.text_id])[0]
        if snapshot.index:
            record = {"phase": snapshot.phase, "name": snapshot.pass_name, "index": snapshot.index}
            texts = {"before_text": before, "after_text": after, "changed": before != after}
            records.append({**record, **texts})
        before = after
    return records
