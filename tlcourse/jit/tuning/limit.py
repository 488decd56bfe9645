"""A time limit for work in this thread."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

from tlcourse.jit.tuning.errors import timed_out


@contextmanager
def limited(seconds: float) -> Generator[None]:
    """Ends what runs inside after some seconds.

    Only the main thread of a Unix process can be interrupted; elsewhere there is no limit.

    Raises:
        TL454: the time is over.
    """
    if not hasattr(signal, "setitimer") or seconds <= 0 or not _is_main():
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise timed_out(seconds)

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()
