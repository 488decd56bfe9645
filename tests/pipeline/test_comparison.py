from __future__ import annotations

from tlcourse.pipeline.comparison import Stage, compare_stages, stages_of


def _text(*lines: str) -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f"builtin.module {{\n  func.func @k(%n: index) {{\n{body}\n    func.return\n  }}\n}}\n"


EMPTY = _text()
BARRIER = _text("hivm.hir.pipe_barrier[<PIPE_V>]")
TWO = _text("hivm.hir.pipe_barrier[<PIPE_V>]", "hivm.hir.pipe_barrier[<PIPE_MTE2>]")


def _stages(*names: str, text: str = EMPTY) -> list[Stage]:
    return [Stage(name=name, before=EMPTY, after=text) for name in names]


def _sides(rows) -> list[tuple[str, bool, bool]]:
    return [(row.pass_name, bool(row.embedded), bool(row.real)) for row in rows]


def test_neighbours_of_one_name_are_one_stage():
    stages = stages_of(EMPTY, [("a", BARRIER), ("a", TWO), ("b", TWO)])
    assert [(one.name, one.before, one.after) for one in stages] == [
        ("a", EMPTY, TWO),
        ("b", TWO, TWO),
    ]


def test_passes_are_aligned_by_name_and_the_rest_stands_between():
    ours = _stages("a", "own", "b", text=BARRIER)
    theirs = _stages("other", "a", "b", "more", text=BARRIER)
    assert _sides(compare_stages(ours, theirs)) == [
        ("other", False, True),
        ("a", True, True),
        ("own", True, False),
        ("b", True, True),
        ("more", False, True),
    ]


def test_a_clean_up_does_not_decide_what_lies_beside_what():
    ours = _stages("cse", "plan", "canonicalize-ext", "cse", text=BARRIER)
    theirs = _stages("plan", "cse", "canonicalize-ext", "cse", "cse", text=BARRIER)
    rows = compare_stages(ours, theirs)
    assert ("plan", True, True) in _sides(rows)


def test_a_pass_that_one_has_alone_and_that_did_nothing_is_left_out():
    assert compare_stages(_stages("a"), _stages("b")) == ()
    assert _sides(compare_stages(_stages("a"), _stages("a"))) == [("a", True, True)]


def test_what_a_pass_did_is_told_in_counts():
    (row,) = compare_stages(_stages("a", text=BARRIER), _stages("a", text=TWO))
    assert row.embedded is not None
    assert row.real is not None
    assert (dict(row.embedded.ops), row.embedded.changed) == ({"hivm.hir.pipe_barrier": 1}, True)
    assert row.real.after.barriers == 2
    assert not row.same
    assert row.diff[:2] == ("--- embedded", "+++ real")
    assert "+    hivm.hir.pipe_barrier[<PIPE_MTE2>]" in row.diff


def test_modules_of_one_normal_form_are_the_same():
    left = _text("%c = arith.constant 1 : index", "%s = arith.addi %n, %c : index")
    right = left.replace("%s", "%sum").replace("%c", "%one")
    (row,) = compare_stages(_stages("a", text=left), _stages("a", text=right))
    assert row.same
    (gone,) = compare_stages(
        [Stage(name="a", before=left, after=right)], [Stage(name="a", before=left, after=right)]
    )
    assert gone.embedded is not None
    assert not gone.embedded.changed


def test_one_pass_can_be_asked_for():
    both = _stages("a", "b", text=BARRIER)
    assert _sides(compare_stages(both, both, only="b")) == [("b", True, True)]
