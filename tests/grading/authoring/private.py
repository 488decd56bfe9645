"""Private files for tests of authoring."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tlcourse.grading.authoring.mutants import place
from tlcourse.grading.spec import specs_folder


def private_copy(
    exercise: str, folder: Path, monkeypatch: pytest.MonkeyPatch, changed: Mapping[str, str]
) -> None:
    """Puts a changed copy of an exercise's mutants where private ones are looked for."""
    public = specs_folder().parent / "mutants" / place(exercise).with_suffix(".toml")
    text = public.read_text(encoding="utf-8")
    for old, new in changed.items():
        assert old in text, old
        text = text.replace(old, new, 1)
    target = folder / place(exercise).with_suffix(".mutants.toml")
    target.parent.mkdir(parents=True)
    target.write_text(text, encoding="utf-8")
    monkeypatch.setenv("TLCOURSE_PRIVATE", str(folder))
