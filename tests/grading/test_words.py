import re
import string

import pytest

from tlcourse.grading.words import WORDS, number, plain

_HALF_WIDTH = re.compile("[\u4e00-\u9fff}][,:;(]|[,:;)][\u4e00-\u9fff]")


@pytest.mark.parametrize("key", WORDS)
def test_both_languages_have_the_same_holes(key: str) -> None:
    def holes(text: str) -> list[str]:
        return sorted({name for _, name, _, _ in string.Formatter().parse(text) if name})

    english, chinese = WORDS[key]
    assert holes(english) == holes(chinese)


@pytest.mark.parametrize("key", WORDS)
def test_chinese_texts_have_full_width_punctuation(key: str) -> None:
    assert not _HALF_WIDTH.search(WORDS[key][1])


def test_numbers_and_foreign_text() -> None:
    assert [number(value) for value in (0.12345, float("nan"), float("-inf"))] == [
        "0.123",
        "NaN",
        "-infinity",
    ]
    assert plain("a\x1b[31m\n b") == "a [31m b"
    assert len(plain("x" * 1000)) == 400
