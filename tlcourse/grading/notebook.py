"""What a notebook calls: `check`, `hint`, `answer` and `progress`."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from tlcourse.chinese import chosen_language
from tlcourse.diagnostics import SourceFile
from tlcourse.grading import progress_file
from tlcourse.grading.child import Result
from tlcourse.grading.hand_in import is_packed, look_into
from tlcourse.grading.report import as_html, as_text
from tlcourse.grading.resident import shared
from tlcourse.grading.sandbox import Limits
from tlcourse.grading.sealed import from_text
from tlcourse.grading.spec import Spec, known_ids, load
from tlcourse.grading.tracing import Attempt, attempt_all, order_of
from tlcourse.grading.words import Language, say
from tlcourse.records import Verdict, to_data
from tlcourse.widgets.quiz import Quiz, choices_in

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

VERDICT_MIME = "application/vnd.tlcourse.verdict+json"
_shown_hints: dict[str, int] = {}


def check(exercise: str, factory: object, *, language: Language | None = None) -> None:
    """Judges your kernel on the public cases and shows the verdict.

    Args:
        exercise: its id, for example `d2.minicv`.
        factory: your function that makes the kernel; it is called once per set of shapes.
        language: `en` or `zh`; default: that of TLCOURSE_LANG.

    Raises:
        TL601: there is no such exercise.
    """
    language = language or chosen_language()
    spec = load(exercise)
    result = _traced(spec, factory, language)
    if isinstance(result, Verdict):
        verdict, attempts = result, ()
    else:
        attempts = result.attempts
        verdict = shared().judge(spec, result, public_only=True, language=language)
    progress_file.store_verdict(verdict)
    sources = _sources(attempts)
    _show(as_text(verdict, language, sources), as_html(verdict, language, sources), verdict)


def _traced(spec: Spec, factory: object, language: Language) -> Result | Verdict:
    """What the function gives for the public cases; a package is looked into elsewhere."""
    order = order_of(spec, spec.public_cases)
    result = Result(attempts=attempt_all(order, factory))
    if not is_packed(order, result):
        return result
    return look_into(spec, order, result, limits=Limits(), language=language)[0]


def _sources(attempts: tuple[Attempt, ...]) -> dict[str, SourceFile]:
    """The learner's texts that a verdict may point into."""
    found: dict[str, SourceFile] = {}
    for attempt in attempts:
        found |= attempt.sources
        found |= from_text(attempt.document).sources if attempt.state == "sealed" else {}
    return found


def hint(exercise: str, *, language: Language | None = None) -> None:
    """Shows the next hint of an exercise; after the last one, the first again.

    Raises:
        TL601: there is no such exercise.
    """
    language = language or chosen_language()
    hints = load(exercise).hints
    if not hints:
        _show_text(say("no hints", language, exercise=exercise))
        return
    index = _shown_hints.get(exercise, 0) % len(hints)
    _shown_hints[exercise] = index + 1
    _show_text(hint_texts(exercise, language)[index])


def hint_texts(exercise: str, language: Language) -> list[str]:
    """All hints of an exercise in their order, each with its number.

    Raises:
        TL601: there is no such exercise.
    """
    hints = load(exercise).hints
    texts = [one.zh if language == "zh" else one.en for one in hints]
    return [
        say("hint", language, index=index, count=len(hints), words=words)
        for index, words in enumerate(texts, start=1)
    ]


def answer(question: str, value: str, *, language: Language | None = None) -> None:
    """Keeps your answer to a question or prediction; it is practice and costs nothing.

    Args:
        question: its id, for example `d2.fusion.p1`.
        value: what you chose.
        language: `en` or `zh`; default: that of TLCOURSE_LANG.
    """
    language = language or chosen_language()
    text = say("no choice", language)
    if value != "?":
        progress_file.store_answer(question, str(value))
        text = say("stored", language, question=question, value=value)
    _display(_text_bundle(text) | _choices(question, str(value), language), text)


def _choices(question: str, value: str, language: Language) -> dict[str, object]:
    """The choices of the cell that asks, as buttons that write into it."""
    choices = choices_in(_this_cell(), question)
    if not choices:
        return {}
    quiz = Quiz(question=question, choices=choices, chosen=value, language=language)
    return quiz.handle(lambda chosen: progress_file.store_answer(question, chosen))


def _this_cell() -> str:
    """The text of the cell that runs, as the front end sent it; nothing outside a notebook."""
    parent = getattr(_shell(), "get_parent", dict[str, object])()
    content = cast("dict[str, object]", parent.get("content", {}))
    return str(content.get("code", ""))


def progress(*, day: int | None = None, language: Language | None = None) -> None:
    """Shows what you have checked so far in this working copy.

    Args:
        day: only this day, with the exercises that are still open.
        language: `en` or `zh`; default: that of TLCOURSE_LANG.
    """
    language = language or chosen_language()
    stored = progress_file.read()
    checks, caps = stored.get("checks", {}), stored.get("caps", {})
    if day is not None:
        names = [name for name in known_ids() if name.startswith(f"d{day}.")]
        checks = {name: checks.get(name, say("open", language)) for name in names}
    lines = [f"{name}: {state}" for name, state in sorted(checks.items())]
    lines = [_capped(line, caps, language) for line in lines]
    _show_text("\n".join(lines) if lines else say("nothing yet", language))


def _capped(line: str, caps: Mapping[str, str], language: Language) -> str:
    """A line of progress; it says where a checkpoint limits the points."""
    name = line.partition(":")[0]
    if name not in caps:
        return line
    return line + say("capped", language, percent=caps[name])


def show_page(page: str) -> None:
    """Shows markup in a notebook, its words anywhere else."""
    words = html.unescape(re.sub(r"<[^>]+>", " ", page.replace("</tr>", "\n")))
    _display({"text/plain": words, "text/html": page}, words)


def _show_text(text: str) -> None:
    _display(_text_bundle(text), text)


def _text_bundle(text: str) -> dict[str, object]:
    return {"text/plain": text, "text/html": f"<pre>{html.escape(text)}</pre>"}


def _show(text: str, page: str, verdict: Verdict) -> None:
    data: dict[str, object] = {"text/plain": text, "text/html": page}
    data[VERDICT_MIME] = to_data(verdict)
    _display(data, text)


def _display(data: dict[str, object], text: str) -> None:
    """Shows a bundle in a notebook, the text anywhere else."""
    shell = _shell()
    if shell is None:
        print(text)
        return
    shell.display_pub.publish(data)


def _shell() -> InteractiveShell | None:
    """The notebook's shell, if there is one."""
    if "IPython" not in sys.modules:
        return None
    from IPython.core.getipython import get_ipython
    from IPython.core.interactiveshell import InteractiveShell

    shell = get_ipython()
    return shell if isinstance(shell, InteractiveShell) else None


# In a notebook the trusted process loads while the learner writes; elsewhere at the first check.
if "ipykernel" in sys.modules:
    shared()
