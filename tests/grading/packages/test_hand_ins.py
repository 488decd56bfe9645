"""Packages as hand-ins: honest, empty, wrong and cheating; each scores as stated, for ever."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.grading.packages.conftest import Grade
from tlcourse.grading.report import as_text

ADD, SWAP = "d5.add_operator", "d5.swap"
BUILD = "    list(precompile(folder))\n"


def after(text: str) -> Callable[[str], str]:
    """Lines that run behind the seven steps."""
    return lambda source: source.replace(BUILD, f"{BUILD}    {text}\n")


@pytest.mark.parametrize(("exercise", "points"), [(ADD, 20.0), (SWAP, 10.0)])
def test_an_honest_package_earns_all(grade: Grade, exercise: str, points: float) -> None:
    found = grade(exercise)
    assert (found.verdict.state, found.verdict.points) == ("PASS", points), as_text(found.verdict)
    assert len(found.documents) == len([d for d in found.documents if d])
    assert len(found.verdict.sealed_sha256) == 64


HONEST = {
    "blocks of another size": lambda s: s.replace("block_M=8", "block_M=4"),
    "prints and leaves files": lambda s: after(
        "print('x' * 10**6); (folder / 'notes.md').write_text('done')"
    )(s),
}


@pytest.mark.parametrize("name", HONEST)
def test_what_is_done_otherwise_earns_all_too(grade: Grade, name: str) -> None:
    verdict = grade(ADD, HONEST[name]).verdict
    assert (verdict.state, verdict.points) == ("PASS", 20.0), as_text(verdict)


def test_an_empty_hand_in_earns_nothing(grade: Grade) -> None:
    verdict = grade(
        ADD, lambda _: "def add_operator(folder):\n    raise NotImplementedError"
    ).verdict
    assert (verdict.state, verdict.points) == ("TODO", 0.0)
    verdict = grade(ADD, lambda _: "def add_operator(folder):\n    pass").verdict
    assert (verdict.state, verdict.points) == ("FAIL", 0.0)
    assert "no variant of swiglu takes" in as_text(verdict)


TEST = "    torch.testing.assert_close(got.double(), want, rtol=BOUND[dtype], atol=BOUND[dtype])\n"
LOOK = """
    import gates.artefacts, hashlib, pathlib
    text = pathlib.Path(gates.artefacts.__file__).read_text()
    assert "scaled" not in text and "last" not in text
"""
CHEATS = {
    "a test that knows the right copy by its file": (
        lambda s: s.replace(TEST, LOOK.replace("assert", "assert 'Planted' not in text and")),
        "the tests fail on the package as it is",
    ),
    "a test that ends the process": (
        lambda s: s.replace(TEST, "    import os\n    os._exit(0)\n"),
        "its process ended with exit code 0",
    ),
    "a test that never ends": (
        lambda s: s.replace(TEST, "    while True: pass\n"),
        "it did not end within",
    ),
    "results that were computed beforehand": (
        lambda s: s.replace(
            "    return KERNELS(", "    return torch.zeros_like(a)\n    return KERNELS("
        ),
        "a call of swiglu gives something else than torch",
    ),
    "an import that ends the process": (
        lambda s: s.replace("return torch.ops.gates.swiglu(a, b)", "import os").replace(
            '    (src / "__init__.py").write_text(',
            "    interface += 'import os; os._exit(0)'\n    (src / \"__init__.py\").write_text(",
        ),
        "its process ended with exit code 0",
    ),
}


@pytest.mark.parametrize("name", CHEATS)
def test_cheats_lose_what_they_cheat_at(grade: Grade, name: str) -> None:
    change, said = CHEATS[name]
    verdict = grade(ADD, change).verdict
    assert verdict.state == "PARTIAL", as_text(verdict)
    assert verdict.points < verdict.max_points
    assert said in as_text(verdict)


FORGED = """
def add_operator(folder):
    import json, os
    from tlcourse.grading.packages.asked import RIGHT, SCALED, Observed, Tested, Used, COPIES
    from tlcourse.records import to_json
    used = {copy: Used(is_found=True, imported=("gates",)) for copy in COPIES}
    tested = {copy: Tested(passed=copy == RIGHT, failed=copy != RIGHT) for copy in COPIES}
    text = to_json(Observed(sha256="0" * 64, used=used, tested=tested))
    head = json.dumps({"schema": "tlcourse.Sealed/1", "exercise": "d5.add_operator",
                       "spec_version": 1, "tlcourse_version": "0", "binding": {}, "sources": {}})
    one = {"state": "sealed", "document": head + chr(10) + text}
    open("result.json", "w").write(json.dumps({"attempts": [one] * 5}))
    os._exit(0)
"""


def test_what_was_seen_of_a_package_cannot_be_told_by_its_author(grade: Grade) -> None:
    verdict = grade(ADD, lambda _: FORGED).verdict
    assert (verdict.state, verdict.points) == ("FAIL", 0.0), as_text(verdict)


def test_hidden_sizes_are_not_told(grade: Grade) -> None:
    loud = "    raise ValueError(a.shape[0])\n    rows = ("
    verdict = grade(ADD, lambda s: s.replace("    rows = (", loud)).verdict
    report = as_text(verdict)
    assert "ValueError: 13" in report
    assert "37" not in report
