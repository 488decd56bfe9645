"""Which protections hold on this machine while learners' code runs, and which are off."""

from __future__ import annotations

import os
from dataclasses import dataclass

from tlcourse.diagnostics import TLError, error
from tlcourse.grading.forked import WarmParent, works_here
from tlcourse.grading.hand_in import Runner, spawned
from tlcourse.grading.sandbox import isolation

ALWAYS = ("CPU time", "memory", "size of files", "output", "no standard input", "own folder")
_FILES = "files of this machine are hidden"
_NETWORK = "no network"
_COUNT = "number of processes"
_OTHERS = "other processes are out of reach"
# What each way of shutting in cannot give.
_OFF: dict[str, tuple[str, ...]] = {
    "namespaces": (),
    "bubblewrap": (),
    "landlock": (f"{_NETWORK} (only TCP is cut off)", _COUNT),
    "nothing": (_FILES, _NETWORK, _COUNT, _OTHERS),
    "no limits": (*ALWAYS[:3], _FILES, _NETWORK, _COUNT, _OTHERS),
}


@dataclass(frozen=True, kw_only=True)
class Protection:
    """How learners' code is shut in.

    Args:
        how: `namespaces`, `bubblewrap`, `landlock`, `nothing`, or `no limits` where the system
            has none.
        off: protections that do not hold.
        forks: whether hand-ins are forked from a warm parent.
    """

    how: str
    off: tuple[str, ...]
    forks: bool

    def in_words(self) -> str:
        """One sentence for a terminal and for the report."""
        start = "forked from a warm parent" if self.forks else "each in a new Python"
        told = f"off: {', '.join(self.off)}" if self.off else "all protections hold"
        return f"learners' code runs {start}, shut in by {self.how}; {told}"


def protection_of(parent: WarmParent | None) -> Protection:
    """What holds; a warm parent is started to find out.

    Args:
        parent: the warm parent that would fork; None where nothing forks.
    """
    kind = parent.kind if parent is not None else "nothing"
    bubblewrap = isolation() == "bubblewrap"
    if kind != "namespaces" and bubblewrap:
        off = (_COUNT,) if os.geteuid() == 0 else ()  # the system does not hold root to it
        return Protection(how="bubblewrap", off=off, forks=False)
    if parent is None:
        how = "no limits" if os.name == "nt" else "nothing"
        return Protection(how=how, off=_OFF[how], forks=False)
    return Protection(how=kind, off=_OFF[kind], forks=True)


def parent_here() -> WarmParent | None:
    """A warm parent, where this system forks."""
    return WarmParent() if works_here() else None


def runner_of(parent: WarmParent | None, protection: Protection) -> Runner:
    """What runs hand-ins under a protection."""
    return parent.run if parent is not None and protection.forks else spawned


def require(protection: Protection) -> None:
    """Refuses to go on where a protection is off.

    Raises:
        TL630: one is.
    """
    if protection.off:
        raise _weak(protection)


def _weak(protection: Protection) -> TLError:
    return error(
        "TL630",
        f"the sandbox is not complete: off are {', '.join(protection.off)}",
        why=f"--require-sandbox was asked for, and this system gives {protection.how}",
        fix="grade on a Linux where user namespaces are on, or install bubblewrap; "
        "`--selftest` tries each protection",
    )
