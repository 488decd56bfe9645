import json
from dataclasses import replace
from pathlib import Path

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.grading.bulk.job import Done
from tlcourse.grading.bulk.store import Store, read_all
from tlcourse.records import Check, Verdict

CHECK = Check(name="runs", state="PASS", points=5.0, max_points=5.0, reason="it runs")
VERDICT = Verdict(exercise="d1.x", state="PASS", points=5.0, max_points=5.0, checks=(CHECK,))
DONE = Done(key="a", verdict=VERDICT, prints=(1, 2**47))


def test_what_was_added_is_there_for_the_next_process(tmp_path: Path) -> None:
    store = Store(tmp_path / "report" / "store.jsonl")
    store.add(DONE)
    store.close()
    again = Store(tmp_path / "report" / "store.jsonl")
    assert "a" in again
    assert again["a"] == DONE
    again.forget("a")
    assert "a" not in again
    again.close()
    assert read_all(tmp_path / "report" / "store.jsonl") == [DONE]
    assert read_all(tmp_path / "none") == []


@pytest.mark.parametrize("cut", [1, 7, 60])
def test_a_line_that_was_being_written_is_cut_off_and_costs_no_other(
    tmp_path: Path, cut: int
) -> None:
    path = tmp_path / "store.jsonl"
    store = Store(path)
    store.add(DONE)
    store.add(replace(DONE, key="b"))
    store.close()
    path.write_bytes(path.read_bytes()[:-cut])
    store = Store(path)
    assert ("a" in store, "b" in store) == (True, False)
    store.add(replace(DONE, key="c"))
    store.close()
    assert [done.key for done in read_all(path)] == ["a", "c"]


def test_spoilt_lines_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "store.jsonl"
    store = Store(path)
    store.add(DONE)
    store.close()
    lines = ["no json", "3", "{}", json.dumps({"schema": "tlcourse.Done/1", "done": {"key": 1}})]
    path.write_text("".join(f"{line}\n" for line in lines) + path.read_text())
    assert read_all(path) == [DONE]


def test_the_graders_own_faults_are_not_kept(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.jsonl")
    store.add(replace(DONE, verdict=replace(VERDICT, state="ERROR")))
    assert len(store) == 0
    store.close()


def test_one_process_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "report" / "store.jsonl"
    store = Store(path)
    with pytest.raises(TLError) as caught:
        Store(path)
    assert caught.value.code == "TL631"
    assert "the report folder report is in use" in caught.value.diagnostic.what
    store.close()
    Store(path).close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here is always full")
def test_a_full_disk_is_named() -> None:
    store = Store.__new__(Store)
    store._path = Path("store.jsonl")
    store._done = {}
    with Path("/dev/full").open("wb", buffering=0) as store._stream:
        with pytest.raises(OSError, match="No space") as caught:
            store.add(DONE)
    assert caught.value.filename == "store.jsonl"
    assert "a" not in store
