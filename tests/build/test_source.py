"""Course sources: what is read, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tlcourse.build.source import read_source, twin_hash
from tlcourse.diagnostics import TLError

Make = Callable[..., str]
Write = Callable[..., Path]


def refusal(path: Path) -> TLError:
    with pytest.raises(TLError) as caught:
        read_source(path)
    return caught.value


def test_header_cells_tags_and_hash_are_read(write_source: Write, prose: Make, code: Make) -> None:
    path = write_source("01_count.py", prose("goals", "One.", "一。", "lecture"), code("two", "2"))
    source = read_source(path)
    assert source.id == "d9.count"
    assert [(cell.kind, cell.stem, cell.language) for cell in source.cells] == [
        ("markdown", "goals", "en"),
        ("markdown", "goals", "zh"),
        ("code", "two", None),
    ]
    assert source.cells[0].tags == ("lang:en", "lecture")
    path.write_text(path.read_text(encoding="utf-8").replace("\n2\n", "\n3\n"), encoding="utf-8")
    assert read_source(path).sha256 != source.sha256


def test_each_language_has_its_cells_in_order(write_source: Write, prose: Make, code: Make) -> None:
    cells = (prose("goals", "One.", "一。"), code("two", "2"), prose("end", "End.", "完。"))
    source = read_source(write_source("01_count.py", *cells))
    assert [cell.text for cell in source.cells_in("en")] == ["One.", "2", "End."]
    assert [cell.text for cell in source.cells_in("zh")] == ["一。", "2", "完。"]


def test_ids_are_equal_in_both_languages(write_source: Write, prose: Make, code: Make) -> None:
    cells = (prose("the_goals", "One.", "一。"), code("two", "2"))
    source = read_source(write_source("01_count.py", *cells))
    ids = [[cell.id for cell in source.cells_in(language)] for language in ("en", "zh")]
    assert ids == [["the-goals", "two"]] * 2


def test_code_whose_figure_has_words_may_have_a_twin(write_source: Write) -> None:
    english = '\n# %% tags=["lang:en"] stem="show"\nshow()\n'
    chinese = f'\n# %% tags=["lang:zh"] stem="show" en_sha="{twin_hash("show()")}"\nshow("zh")\n'
    source = read_source(write_source("01_count.py", english, chinese))
    assert [cell.text for cell in source.cells_in("zh")] == ['show("zh")']


def test_exercise_knows_its_id_by_its_file(write_source: Write, code: Make) -> None:
    assert read_source(write_source("exercises/halve.py", code("a", "1"))).id == "d9.halve"


def test_a_file_without_header_is_no_source(tmp_path: Path) -> None:
    path = tmp_path / "plain.py"
    path.write_text("x = 1\n", encoding="utf-8")
    assert "header" in refusal(path).diagnostic.what


def test_id_must_say_where_the_file_stands(write_source: Write, code: Make) -> None:
    problem = refusal(write_source("01_count.py", code("a", "1"), id="d9.other"))
    assert problem.code == "TL801"
    assert "its id is d9.other, its place says d9.count" in problem.diagnostic.what


@pytest.mark.parametrize(
    "cell", ["# %%\n1\n", '# %% stem=""\n1\n', '# %% stem="Two words"\n1\n', '# %% stem="é"\n1\n']
)
def test_a_cell_needs_a_stem(cell: str, write_source: Write, code: Make) -> None:
    problem = refusal(write_source("01_count.py", code("a", "1"), f"\n{cell}"))
    assert problem.code == "TL801"
    assert "cell 2 has no stem" in problem.diagnostic.what


def test_a_stem_comes_once(write_source: Write, code: Make) -> None:
    problem = refusal(write_source("01_count.py", code("a", "1"), code("a", "2")))
    assert "these stems come twice: a" in problem.diagnostic.what


@pytest.mark.parametrize("missing", ["en", "zh"])
def test_prose_needs_both_languages(missing: str, write_source: Write, prose: Make) -> None:
    parts = prose("goals", "One.", "一。").split("\n# %%")
    kept = [part for part in parts if f"lang:{missing}" not in part]
    problem = refusal(write_source("01_count.py", "\n# %%".join(kept)))
    assert problem.code == "TL801"
    assert "these cells have no twin: goals" in problem.diagnostic.what


def test_twins_have_the_same_tags_and_order(write_source: Write, prose: Make) -> None:
    pair = prose("goals", "One.", "一。", "lecture")
    other = pair.replace('["lang:zh", "lecture"]', '["lang:zh"]')
    assert (
        "`goals` differs from its twin"
        in refusal(write_source("01_count.py", other)).diagnostic.what
    )
    first, second = prose("a", "One.", "一。"), prose("b", "Two.", "二。")
    _, a_en, a_zh = first.split("\n# %%")
    _, b_en, b_zh = second.split("\n# %%")
    text = "".join(f"\n# %%{part}" for part in (a_en, b_en, b_zh, a_zh))
    assert "`b` differs from its twin" in refusal(write_source("01_count.py", text)).diagnostic.what


def test_a_changed_english_cell_is_noticed(write_source: Write, prose: Make) -> None:
    cells = prose("goals", "One.", "一。").replace("# One.", "# One and two.")
    problem = refusal(write_source("01_count.py", cells))
    assert problem.code == "TL802"
    assert "`goals`" in problem.diagnostic.what
    assert f'en_sha="{twin_hash("One and two.")}"' in problem.diagnostic.fix


def test_the_fix_that_the_error_names_mends_it(write_source: Write, prose: Make) -> None:
    cells = prose("goals", "One.", "一。").replace("# One.", "# One and two.")
    write_source("01_count.py", cells.replace(twin_hash("One."), twin_hash("One and two.")))
    path = write_source("01_count.py", cells.replace(twin_hash("One."), twin_hash("One and two.")))
    assert read_source(path).cells[1].text == "一。"
