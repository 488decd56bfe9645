from tlcourse.diagnostics import SourceFile
from tlcourse.spans import character_column, span_at


def _columns(text: str, line: int, column: int) -> str:
    span = span_at(SourceFile(id="s", text=text, title="s"), line, column)
    assert span.line == span.end_line == line
    return text.splitlines()[line - 1][span.column - 1 : span.end_column - 1]


def test_largest_expression_at_the_point() -> None:
    text = "def f():\n    T.copy(A[0:4, k], B)\n"
    assert _columns(text, 2, 5) == "T.copy(A[0:4, k], B)"
    assert _columns(text, 2, 12) == "A[0:4, k]"


def test_word_where_the_text_does_not_parse() -> None:
    assert _columns("%%time\nT.copy(a, b)\n", 2, 8) == "a"


def test_columns_count_characters() -> None:
    line = "变 = f(x)"
    assert character_column(line, len("变 = ".encode())) == 5
    assert _columns(line + "\n", 1, 5) == "f(x)"


def test_point_outside_the_text() -> None:
    span = span_at(SourceFile(id="s", text="a\n", title="s"), 9, 3)
    assert (span.line, span.column, span.end_column) == (9, 3, 4)
