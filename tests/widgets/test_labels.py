from __future__ import annotations

import re
from pathlib import Path

import tlcourse.widgets.labels as labels

WIDGETS = Path(labels.__file__).parent


def test_both_languages_fill_in_the_same_values() -> None:
    english, chinese = labels.table("en"), labels.table("zh")
    for key, words in english.items():
        assert set(re.findall(r"\{(\d)", words)) == set(re.findall(r"\{(\d)", chinese[key])), key


def test_no_chinese_label_is_left_in_english() -> None:
    for key, words in labels.table("zh").items():
        assert re.search(r"[\u4e00-\u9fff]", words), key


def test_label_fills_in_values() -> None:
    assert labels.label("changed_of", "en", 3, 9) == "3 of 9 passes changed the IR"
    assert labels.label("changed_of", "zh", 3, 9) == "9 个 pass 中 3 个改变了 IR"


def test_every_word_that_the_viewer_asks_for_exists() -> None:
    script = "".join(
        (WIDGETS / name).read_text(encoding="utf-8") for name in ("passes_parts.js", "passes.js")
    )
    asked = set(re.findall(r"words\.(\w+)", script)) | set(
        re.findall(r'button\("[^"]+", "(\w+)"\)', script)
    )
    assert len(asked) > 15
    assert asked <= labels.table("en").keys()
