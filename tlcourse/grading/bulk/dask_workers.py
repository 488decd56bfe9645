"""Workers of a Dask cluster in place of processes of this machine."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Executor
from contextlib import contextmanager
from socket import create_connection
from typing import Any, cast
from urllib.parse import urlsplit

from tlcourse.diagnostics import TLError, error

_WAIT_SECONDS = 20
_TRIES_OF_A_TASK = 2


@contextmanager
def dask_workers(address: str) -> Generator[Executor]:
    """An executor that gives jobs to the workers behind a scheduler.

    Args:
        address: of the scheduler, for example `tcp://10.0.0.1:8786`.

    Raises:
        TL633: there is no scheduler, no worker, or dask.distributed is not installed.
    """
    try:
        from distributed import Client
    except ImportError as problem:
        raise _no_cluster(address, "dask.distributed is not installed") from problem
    try:
        _check_answers(address)
        client = cast(Any, Client(address, timeout=_WAIT_SECONDS))
    except (OSError, ValueError) as problem:
        raise _no_cluster(address, str(problem) or "nothing answers there") from problem
    with client:
        if not client.scheduler_info()["workers"]:
            raise _no_cluster(address, "the scheduler has no worker")
        yield client.get_executor(retries=_TRIES_OF_A_TASK, pure=False)


def _check_answers(address: str) -> None:
    """Whether somebody listens there at all: the client would try for long.

    Raises:
        OSError: nobody does.
        ValueError: it is no address.
    """
    place = urlsplit(address)
    if place.hostname is None or place.port is None:
        raise ValueError("an address is tcp://HOST:PORT")
    with create_connection((place.hostname, place.port), timeout=_WAIT_SECONDS):
        pass


def _no_cluster(address: str, why: str) -> TLError:
    return error(
        "TL633",
        f"no Dask cluster can be used at {address}",
        why=why,
        fix="install tlcourse[class] everywhere, start `dask scheduler`, then on each machine "
        f"`dask worker {address} --nthreads 1 --nworkers N`",
    )
