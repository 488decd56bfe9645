"""Chooses the workers: processes of this machine, or a Dask cluster."""

from __future__ import annotations

import os
from concurrent.futures import Executor
from contextlib import AbstractContextManager

from tlcourse.grading.bulk.engine import LocalWorkers


def workers(jobs: int | None, dask: str | None = None) -> AbstractContextManager[Executor]:
    """What grades.

    Args:
        jobs: how many hand-ins are graded at once here; without it, one for each core.
        dask: address of a scheduler to use instead.

    Raises:
        TL633: there is no cluster at that address.
    """
    if dask is not None:
        from tlcourse.grading.bulk.dask_workers import dask_workers

        return dask_workers(dask)
    return LocalWorkers(jobs or os.cpu_count() or 1)
