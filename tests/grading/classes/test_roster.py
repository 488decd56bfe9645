from pathlib import Path

import pytest

from tests.grading.classes.class_files import make_class
from tlcourse.diagnostics import TLError
from tlcourse.grading.classes.roster import roster


def test_columns_beyond_id_and_name_may_be_missing_or_empty(tmp_path: Path) -> None:
    folder = make_class(tmp_path / "class")
    ana, ana2, bo = roster(folder)
    assert (ana.lms, ana2.extra_hours, bo.language, bo.group) == ("4711", 24.0, "zh", "B")
    (folder / "roster.csv").write_text("\ufeffname,id\nAna,ana\n", encoding="utf-8")
    (only,) = roster(folder)
    assert (only.id, only.name, only.language) == ("ana", "Ana", "en")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "there is no such file"),
        ("", "its first line names no column id and no column name"),
        ("name\nAna\n", "its first line names no column id"),
        ("id,name\nana\n", "line 2 has no name"),
        (b"\xff\xfe\x00", "it is not UTF-8 text"),
        ("id,name\n../bo,Bo\n", "'../bo' is no id: it cannot name a folder"),
        ("id,name\n.,Bo\n", "'.' is no id: it cannot name a folder"),
        ('id,name\n"a\nb",Bo\n', "'a\\nb' is no id: it cannot name a folder"),
        (f"id,name\n{'b' * 101},Bo\n", f"'{'b' * 40}' is no id: it cannot name a folder"),
        ("id,name\nbo,Bo\nBo,Bo\n", "the ids bo and Bo are one folder on some systems"),
        ("id,name\n,Bo\n", "'' is no id: it cannot name a folder"),
        ("id,name\nbo,Bo\nbo,Bob\n", "the id bo stands twice"),
        ("id,name,language\nbo,Bo,de\n", "line 2 has the language de; it is en or zh"),
        ("id,name,extra_time\nbo,Bo,-1\n", "line 2 has the extra time '-1'; it is hours"),
        ("id,name,extra_time\nbo,Bo,two\n", "line 2 has the extra time 'two'; it is hours"),
    ],
)
def test_unusable_roster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | bytes | None, why: str
) -> None:
    folder = make_class(tmp_path / "class")
    path = folder / "roster.csv"
    path.unlink()
    if isinstance(text, bytes):
        path.write_bytes(text)
    elif text is not None:
        path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    with pytest.raises(TLError) as caught:
        roster(Path())
    assert caught.value.code == "TL621"
    assert caught.value.diagnostic.what == "class has no usable roster.csv"
    assert caught.value.diagnostic.why == why
