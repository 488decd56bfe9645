"""Which language is spoken, and the Chinese of errors: TLCOURSE_LANG=zh asks for it.

The title of an error is translated as a whole. What is said of the learner's own names and numbers
stays as it is, under it.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

Language = Literal["en", "zh"]
FRAME: Mapping[str, str] = {
    "error": "错误",
    "warning": "警告",
    "note": "说明",
    "why": "原因",
    "fix": "改法",
    "see": "另见",
}


@dataclass(frozen=True, kw_only=True)
class Chinese:
    """An error in Chinese, whoever caused it.

    Args:
        title: what is wrong.
        why: the usual reason; may be empty.
        fix: the usual way out; may be empty.
    """

    title: str
    why: str = ""
    fix: str = ""


def chosen_language() -> Language:
    """The language of TLCOURSE_LANG; English where it is unset or another one."""
    return "zh" if os.environ.get("TLCOURSE_LANG", "").lower().startswith("zh") else "en"


@cache
def chinese_errors() -> Mapping[str, Chinese]:
    """The errors by code, from chinese_errors.toml beside this file."""
    text = Path(__file__).with_name("chinese_errors.toml").read_text(encoding="utf-8")
    return {code: Chinese(**row) for code, row in tomllib.loads(text).items()}
