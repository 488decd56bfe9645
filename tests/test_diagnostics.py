from tlcourse.diagnostics import Label, SourceFile, Span, error, render_html, render_text

SOURCE = SourceFile(id="cell:0badcafe", text="x = 1\n    T.copy(p_ub, p_l1)\n", title="this cell")
FIRST = Span(source=SOURCE.id, line=2, column=12, end_line=2, end_column=16)
SECOND = Span(source=SOURCE.id, line=2, column=18, end_line=2, end_column=22)


def test_text_has_four_parts_and_carets() -> None:
    problem = error(
        "TL203",
        "T.copy cannot move a tile from UB to L1",
        labels=(Label(span=FIRST, text="UB"), Label(span=SECOND, text="L1")),
        why="no path joins them",
        fix="go through GM",
        sources={SOURCE.id: SOURCE},
    )
    assert str(problem).splitlines() == [
        "error[TL203]: T.copy cannot move a tile from UB to L1",
        "  --> this cell, line 2",
        "   |",
        " 2 |     T.copy(p_ub, p_l1)",
        "   |            ^^^^ UB",
        "  --> this cell, line 2",
        "   |",
        " 2 |     T.copy(p_ub, p_l1)",
        "   |                  ^^^^ L1",
        "  = why: no path joins them",
        "  = fix: go through GM",
        "  = see: docs/errors.md#TL203",
    ]
    assert problem.code == "TL203"


def test_place_without_text_is_named_only() -> None:
    problem = error("TL203", "what", labels=(Label(span=FIRST, text="UB"),), why="w", fix="f")
    assert "  --> cell:0badcafe, line 2: UB" in str(problem)


def test_html_is_escaped() -> None:
    problem = error("TL101", "<script>", why="a < b", fix="f")
    page = render_html(problem.diagnostic, {})
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_span_over_several_lines_underlines_the_first() -> None:
    span = Span(source=SOURCE.id, line=1, column=1, end_line=2, end_column=5)
    problem = error("TL101", "w", labels=(Label(span=span),), why="w", fix="f")
    assert "   | ^^^^^" in render_text(problem.diagnostic, {SOURCE.id: SOURCE}).splitlines()
