"""Runs a hand-in's setup and solution cells and writes the sealed kernels. A process of its own.

Usage: python -m tlcourse.grading.child WORK, where WORK holds `hand_in.json`. The result goes
to `result.json` beside it: sealed documents, or why there are none. Whatever the learner's
code prints goes to the process's output, which the parent caps and keeps for staff.
"""

from __future__ import annotations

import base64
import json
import linecache
import sys
from pathlib import Path

from tlcourse.diagnostics import TLError
from tlcourse.grading.notebook_file import HandIn
from tlcourse.grading.spec import load
from tlcourse.grading.tracing import seal_all
from tlcourse.records import from_json, to_data


def main(work: Path) -> None:
    """Runs the hand-in in `work` and leaves the result there."""
    hand_in = from_json(HandIn, (work / "hand_in.json").read_text(encoding="utf-8"))
    result = _run(hand_in)
    temporary = work / "result.tmp"
    temporary.write_text(json.dumps(result), encoding="utf-8")
    temporary.replace(work / "result.json")


def _run(hand_in: HandIn) -> dict[str, object]:
    spec = load(hand_in.exercise)
    names: dict[str, object] = {"__name__": "__main__"}
    try:
        for index, source in enumerate((*hand_in.setup, hand_in.solution)):
            _run_cell(source, index, names)
        documents = seal_all(spec, names.get(spec.entry))
    except NotImplementedError:
        return {"state": "TODO"}
    except TLError as problem:
        sources = {name: to_data(source) for name, source in problem.sources.items()}
        return {"state": "refused", "diagnostic": to_data(problem.diagnostic), "sources": sources}
    except SystemExit as problem:
        return {"state": "raised", "what": f"the code ended the program: {problem!r}", "line": None}
    except Exception as problem:  # noqa: BLE001 - whatever a learner's code raises is reported
        return {"state": "raised", "what": _short(problem), "line": _line(problem)}
    sealed = [base64.b64encode(document.to_bytes()).decode() for document in documents]
    return {"state": "sealed", "documents": sealed}


def _run_cell(source: str, index: int, names: dict[str, object]) -> None:
    # The front end reads a kernel's text by file name, as it does for a notebook's cells.
    name = f"<cell {index}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), names)


def _short(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}"[:500]


def _line(problem: Exception) -> int | None:
    """The learner's line that an exception came from, the innermost one."""
    line = None
    trace = problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith("<cell "):
            line = trace.tb_lineno
        trace = trace.tb_next
    return problem.lineno if isinstance(problem, SyntaxError) else line


if __name__ == "__main__":
    main(Path(sys.argv[1]))
