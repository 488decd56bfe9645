"""Grading on a Dask cluster: a scheduler and a worker as the docs start them."""

from __future__ import annotations

import csv
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import create_connection, socket

import pytest

from tests.grading.hand_ins import UNTOUCHED, write
from tlcourse.diagnostics import TLError
from tlcourse.grading.bulk.dask_workers import dask_workers

pytest.importorskip("distributed")


@contextmanager
def started(*arguments: str) -> Iterator[None]:
    command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=60)


def free_port() -> int:
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port: int) -> None:
    for _ in range(600):
        try:
            create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the scheduler does not answer")


@pytest.mark.slow
def test_a_cluster_grades_as_this_machine_does(tmp_path: Path) -> None:
    write(tmp_path / "all.ipynb", "1 / 0")
    (tmp_path / "bo.ipynb").write_bytes(UNTOUCHED.read_bytes())
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    command = [sys.executable, "-c", "from tlcourse.cli import main; main()", "grade"]
    worker = ("worker", address, "--nthreads", "1", "--nworkers", "1")
    with started("scheduler", "--host", "127.0.0.1", "--port", str(port)):
        wait_for(port)
        with started(*worker):
            for name, options in (("far", ("--dask", address)), ("near", ("--jobs", "1"))):
                report = ("--report", str(tmp_path / "out" / name))
                paths = (str(tmp_path / "all.ipynb"), str(tmp_path / "bo.ipynb"))
                subprocess.run([*command, *paths, *report, *options], check=True, timeout=240)
    far, near = (tmp_path / "out" / name / "results.jsonl" for name in ("far", "near"))
    assert far.read_bytes() == near.read_bytes()
    grades = (tmp_path / "out" / "far" / "grades.csv").read_text(encoding="utf-8")
    assert [row[0] for row in csv.reader(grades.splitlines())] == ["id", "all", "bo"]


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere", "tcp://127.0.0.1"])
def test_no_cluster(address: str) -> None:
    with pytest.raises(TLError) as caught, dask_workers(address):
        pass
    assert caught.value.code == "TL633"
