"""A limit of time."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.jit.tuning.limit import limited


def test_work_that_takes_too_long_is_ended() -> None:
    with pytest.raises(TLError) as caught, limited(0.05):
        time.sleep(30)
    assert caught.value.code == "TL454"
    assert "0.05 s" in caught.value.diagnostic.what


def test_nothing_is_left_behind() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with limited(30):
        pass
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_other_threads_have_no_limit() -> None:
    done: list[bool] = []

    def work() -> None:
        with limited(0.001):
            time.sleep(0.02)
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]
