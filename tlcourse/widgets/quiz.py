"""A question with choices that writes the chosen letter into the code cell that asks it.

The code cell is the answer: what is chosen stands in its text, where it survives saving, opening
again and collecting. Where no script runs, the letter is typed there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tlcourse.widgets import standalone
from tlcourse.widgets.labels import Language

SCRIPTS = ("quiz.js",)
_LETTER = re.compile(r"(?:^|\s)([a-z])\s*[:：]\s*")
_WORDS: dict[str, tuple[str, str]] = {
    "title": ("Your prediction: {0}", "你的预测：{0}"),
    "choose": ("Choose; arrow keys or the letter do too.", "请选择；也可按方向键或字母键。"),
    "written": ("{0} is written into the cell.", "{0} 已写入单元格。"),
    "by_hand": (
        "Write {0} in place of the value in the cell above, then run it.",
        "请在上面的单元格中把值换成 {0}，再运行它。",
    ),
}


@dataclass(frozen=True, kw_only=True)
class Quiz:
    """A question as a cell asks it.

    Args:
        question: its id, for example `d2.fusion.p1`.
        choices: letter and words of each choice.
        chosen: the letter that stands in the cell; `?` is none.
        language: `en` or `zh`.
    """

    question: str
    choices: tuple[tuple[str, str], ...]
    chosen: str = "?"
    language: Language = "en"

    def __repr__(self) -> str:
        listed = ", ".join(f"{letter}: {words}" for letter, words in self.choices)
        return f"Quiz({self.question}; {listed}; chosen {self.chosen})"

    def state(self) -> str:
        """The whole state of the viewer."""
        words = {key: said[self.language == "zh"] for key, said in _WORDS.items()}
        return standalone.packed(
            {"labels": words, "question": self.question, "choices": self.choices}
        )

    def handle(self, on_choice: Callable[[str], None]) -> dict[str, object]:
        """What a notebook needs to show it; nothing where its package is not installed.

        Args:
            on_choice: is called with each letter that is chosen while the kernel runs.
        """
        try:
            from tlcourse.widgets.viewers import viewer_handle
        except ImportError:
            return {}
        known = self.chosen if self.chosen in dict(self.choices) else ""
        return viewer_handle(SCRIPTS, self.state(), repr(self), view=known, on_view=on_choice)


def choices_in(source: str, question: str) -> tuple[tuple[str, str], ...]:
    """The choices that a cell names in the comment behind its question; none where it has none.

    Args:
        source: text of the cell, for example `answer("q.p1", "?")  # a: two  b: three`.
        question: id of the question.
    """
    for line in source.splitlines():
        code, sign, comment = line.partition("#")
        if not sign or not re.search(rf"answer\(\s*[\"']{re.escape(question)}[\"']", code):
            continue
        parts = _LETTER.split(comment)[1:]
        found = tuple(
            (letter, words.strip()) for letter, words in zip(parts[::2], parts[1::2], strict=True)
        )
        return found if len(found) > 1 else ()
    return ()
