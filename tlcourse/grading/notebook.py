"""What a notebook calls: `check`, `hint`, `answer` and `progress`."""

from __future__ import annotations

import atexit
import html
import sys
from functools import cache

from tlcourse.diagnostics import TLError, render_html, render_text
from tlcourse.grading import progress_file
from tlcourse.grading.hand_in import refused, untouched
from tlcourse.grading.report import as_html, as_text
from tlcourse.grading.resident import Resident
from tlcourse.grading.spec import load
from tlcourse.grading.tracing import seal_all
from tlcourse.records import Verdict, to_data

VERDICT_MIME = "application/vnd.tlcourse.verdict+json"
_shown_hints: dict[str, int] = {}


@cache
def _resident() -> Resident:
    resident = Resident()
    resident.start()
    atexit.register(resident.stop)
    return resident


def check(exercise: str, factory: object, *, language: str = "en") -> None:
    """Judges your kernel and shows the verdict.

    Args:
        exercise: its id, for example `d2.minicv`.
        factory: your function that makes the kernel; it is called once per set of shapes.
        language: `en` or `zh`.

    Raises:
        TL601: there is no such exercise.
    """
    verdict, problem = judge_here(exercise, factory)
    progress_file.store_verdict(verdict)
    text, page = as_text(verdict, language), as_html(verdict, language)
    if problem is not None:
        text += "\n" + render_text(problem.diagnostic, problem.sources)
        page += render_html(problem.diagnostic, problem.sources)
    _show(text, page, verdict)


def judge_here(exercise: str, factory: object) -> tuple[Verdict, TLError | None]:
    """The verdict on a factory of this process, and the error that kept it from compiling."""
    spec = load(exercise)
    try:
        documents = seal_all(spec, factory)
    except NotImplementedError:
        return untouched(spec), None
    except TLError as problem:
        return refused(spec, problem.diagnostic), problem
    return _resident().judge(spec, documents), None


def hint(exercise: str, *, language: str = "en") -> None:
    """Shows the next hint of an exercise; after the last one, the first again.

    Raises:
        TL601: there is no such exercise.
    """
    hints = load(exercise).hints
    if not hints:
        _show_text(f"{exercise} has no hints.")
        return
    index = _shown_hints.get(exercise, 0) % len(hints)
    _shown_hints[exercise] = index + 1
    words = hints[index].zh if language == "zh" else hints[index].en
    label = "提示" if language == "zh" else "Hint"
    _show_text(f"{label} {index + 1}/{len(hints)}: {words}")


def answer(question: str, value: str) -> None:
    """Keeps your answer to a question or prediction; it is practice and costs nothing.

    Args:
        question: its id, for example `d2.fusion.p1`.
        value: what you chose.
    """
    progress_file.store_answer(question, str(value))
    _show_text(f"{question}: {value} is stored")


def progress() -> None:
    """Shows what you have checked so far in this folder."""
    checks = progress_file.read().get("checks", {})
    if not checks:
        _show_text("Nothing checked yet.")
        return
    _show_text("\n".join(f"{exercise}: {state}" for exercise, state in sorted(checks.items())))


def _show_text(text: str) -> None:
    _display({"text/plain": text, "text/html": f"<pre>{html.escape(text)}</pre>"}, text)


def _show(text: str, page: str, verdict: Verdict) -> None:
    data: dict[str, object] = {"text/plain": text, "text/html": page}
    data[VERDICT_MIME] = to_data(verdict)
    _display(data, text)


def _display(data: dict[str, object], text: str) -> None:
    """Shows a bundle in a notebook, the text anywhere else."""
    if "IPython" not in sys.modules:
        print(text)
        return
    from IPython.core.getipython import get_ipython
    from IPython.core.interactiveshell import InteractiveShell

    shell = get_ipython()
    if not isinstance(shell, InteractiveShell):
        print(text)
        return
    shell.display_pub.publish(data)


_resident()
