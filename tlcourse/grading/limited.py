"""Takes limits upon itself, then runs a module: the first thing that runs in a sandbox.

Usage: python -m tlcourse.grading.limited LIMITS MODULE ARGUMENTS.., where LIMITS is the JSON of
`tlcourse.grading.sandbox.Limits`. Limits can only be lowered, so the module cannot undo them.
"""

from __future__ import annotations

import json
import runpy
import sys

_OPEN_FILES = 64


def take(limits: dict[str, int]) -> None:
    """Limits this process and all that it starts."""
    if sys.platform == "win32":
        return
    import resource

    caps = {
        # The signal of the soft limit says that time is up; who ignores it is killed soon after.
        resource.RLIMIT_CPU: (limits["cpu_seconds"], limits["cpu_seconds"] + 1),
        resource.RLIMIT_AS: (limits["memory_bytes"],) * 2,
        resource.RLIMIT_FSIZE: (limits["file_bytes"],) * 2,
        # Files that are open and deleted take up disk that nobody sees.
        resource.RLIMIT_NOFILE: (_OPEN_FILES, _OPEN_FILES),
        resource.RLIMIT_CORE: (0, 0),
    }
    if limits["processes"]:
        caps[resource.RLIMIT_NPROC] = (limits["processes"],) * 2
    for what, (soft, hard) in caps.items():
        resource.setrlimit(what, (soft, hard))


if __name__ == "__main__":
    take(json.loads(sys.argv[1]))
    sys.argv = sys.argv[2:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
