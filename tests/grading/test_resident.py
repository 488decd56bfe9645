import pytest

from tlcourse.grading import resident
from tlcourse.grading.child import Result
from tlcourse.grading.resident import Resident
from tlcourse.grading.spec import load
from tlcourse.grading.tracing import Attempt

UNTOUCHED = Result(attempts=(Attempt(state="untouched"),) * 4)


def _module(tmp_path, monkeypatch: pytest.MonkeyPatch, text: str) -> str:
    (tmp_path / "stand_in.py").write_text(text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return "stand_in"


def test_a_verdict_and_another_after_the_process_died() -> None:
    resident = Resident()
    resident.start()
    try:
        assert resident.judge(load("d2.minicv"), UNTOUCHED).state == "TODO"
        assert resident._process is not None
        resident._process.kill()
        resident._process.wait()
        assert resident.judge(load("d2.minicv"), UNTOUCHED).state == "TODO"
    finally:
        resident.stop()


def test_settings_of_who_grades_do_not_change_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TLCOURSE_STEP_LIMIT", "TILELANG_ASCEND_DEVICE_NAME", "TLCOURSE_PRIVATE", "OTHER"):
        monkeypatch.setenv(name, "1")
    environment = resident._environment()
    assert environment.keys() >= {"TLCOURSE_PRIVATE", "OTHER", "PYTHONPATH"}
    assert not environment.keys() & {"TLCOURSE_STEP_LIMIT", "TILELANG_ASCEND_DEVICE_NAME"}


def test_the_process_ends_with_the_one_that_asks() -> None:
    resident = Resident()
    resident.start()
    assert resident._process is not None
    assert resident._process.stdin is not None
    resident._process.stdin.close()
    assert resident._process.wait(timeout=60) == 0


def test_a_judge_that_dies_costs_nothing(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    dies = _module(tmp_path, monkeypatch, "print('ready', flush=True)\ninput()\n")
    verdict = Resident(dies).judge(load("d2.minicv"), UNTOUCHED)
    assert verdict.state == "ERROR"
    assert "graded again" in verdict.checks[0].hint


def test_a_judge_that_hangs_is_a_timeout(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import time\nprint('ready', flush=True)\ntime.sleep(600)\n"
    hangs = _module(tmp_path, monkeypatch, text)
    resident = Resident(hangs, seconds=0.5)
    verdict = resident.judge(load("d2.minicv"), UNTOUCHED)
    assert verdict.state == "TIMEOUT"
    assert resident._process is None
