"""CHECK lines as LLVM reads them."""

from __future__ import annotations

import pytest

from tlcourse.conformance.filecheck_run import check_text

TEXT = "first\nlast: scratch\nend\n"


@pytest.mark.parametrize(
    ("checks", "answered"),
    [
        ("// CHECK: first\n// CHECK-NOT: scratch\n// CHECK: last", True),
        ("// CHECK: first\n// CHECK-NOT: scratch\n// CHECK: last{{.*}}scratch", True),
        ("// CHECK: first\n// CHECK-NOT: scratch\n// CHECK-NEXT: last: scratch", True),
        ("// CHECK: first\n// CHECK-NOT: last\n// CHECK: scratch", False),
        ("// CHECK: first\n// CHECK-NOT: scratch\n// CHECK: end", False),
        ("// CHECK: first\n// CHECK-NOT: scratch", False),
    ],
)
def test_excluded_text_may_stand_in_the_next_match(checks: str, answered: bool) -> None:
    assert (check_text(checks, TEXT) == "") == answered


def test_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_text("// CHECK-DAG: last\n// CHECK-DAG: first\n// CHECK: end", TEXT) == ""
    assert capsys.readouterr().out == ""
