import pytest

from tlcourse.diagnostics import TLError
from tlcourse.grading import protection
from tlcourse.grading.protection import Protection, protection_of, require
from tlcourse.grading.selftest import run_selftest


class Parent:
    """A warm parent of which only the kind is looked at."""

    def __init__(self, kind: str) -> None:
        self.kind = kind


@pytest.mark.parametrize(
    ("kind", "bubblewrap", "how", "is_complete"),
    [
        ("namespaces", False, "namespaces", True),
        ("landlock", False, "landlock", False),
        ("nothing", False, "nothing", False),
        (None, False, "nothing", False),
        ("landlock", True, "bubblewrap", True),
    ],
)
def test_what_is_off_is_said_and_refused_on_demand(
    monkeypatch: pytest.MonkeyPatch, kind: str | None, bubblewrap: bool, how: str, is_complete: bool
) -> None:
    found = "bubblewrap" if bubblewrap else "limits only"
    monkeypatch.setattr(protection, "isolation", lambda: found)
    monkeypatch.setattr(protection.os, "geteuid", lambda: 1000)
    seen = protection_of(Parent(kind) if kind else None)
    assert (seen.how, not seen.off) == (how, is_complete)
    if is_complete:
        assert "all protections hold" in seen.in_words()
        require(seen)
        return
    assert f"off: {seen.off[0]}" in seen.in_words()
    with pytest.raises(TLError) as caught:
        require(seen)
    assert caught.value.code == "TL630"


def test_a_sandbox_that_does_not_hold_fails_the_selftest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A runner without any walls, said to have all of them."""
    from tlcourse.grading import selftest
    from tlcourse.grading.forked import WarmParent, works_here

    if not works_here():
        pytest.skip("only Linux forks hand-ins")
    monkeypatch.setattr(selftest, "known_ids", list)
    parent = WarmParent(["nothing"])
    try:
        pretended = Protection(how="namespaces", off=(), forks=True)
        failed = {test.name for test in run_selftest(parent.run, pretended) if not test.ok}
        honest = protection_of(parent)
        assert (
            not [t for t in run_selftest(parent.run, honest) if not t.ok] or honest.how != "nothing"
        )
    finally:
        parent.stop()
    assert {"another's file", "the network", "a process of ours"} <= failed
    assert not failed & {"endless loop", "8 GiB of memory", "standard input"}
