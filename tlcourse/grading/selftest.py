"""`tlcourse grade --selftest`: does this machine grade as it must, and does its sandbox hold?

Every probe is a hand-in that tries something; what it can do is seen from what it seals.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from socket import socket

from tlcourse.grading.authoring import mutants
from tlcourse.grading.authoring.cheats import Cheat, cheats, write_cheat
from tlcourse.grading.child import HAND_IN, RESULT, Work
from tlcourse.grading.hand_in import Runner, graded
from tlcourse.grading.protection import Protection
from tlcourse.grading.resident import Resident
from tlcourse.grading.sandbox import Limits
from tlcourse.grading.spec import known_ids, load, specs_folder
from tlcourse.grading.tracing import Order
from tlcourse.records import Verdict, to_json

_LIMITS = Limits(cpu_seconds=2, wall_seconds=20, memory_bytes=4 * 2**30, file_bytes=2**20)
_CHEATS = Limits(cpu_seconds=4, wall_seconds=40)
_ENTRY = "probe"
# What a hand-in tries, and which protection must hold for it to fail.
_PROBES: dict[str, tuple[str, str]] = {
    "endless loop": ("while True: pass", ""),
    "8 GiB of memory": ("bytearray(8 * 2**30)", ""),
    "a file of 2 MiB": ("open('big', 'wb').write(bytes(2**21))", ""),
    "standard input": ("input()", ""),
    "another's file": ("open({secret!r}).read()", "files of this machine are hidden"),
    "a file elsewhere": ("open({secret!r}, 'a').write('x')", "files of this machine are hidden"),
    "the network": ("__import__('socket').create_connection({address!r}, 2)", "no network"),
    "a process of ours": ("os.kill({pid}, 0)", "other processes are out of reach"),
    "1,000 processes": (
        "for _ in range(1000):\n    if os.fork() == 0: time.sleep(9); os._exit(0)",
        "number of processes",
    ),
}


@dataclass(frozen=True, kw_only=True)
class Tested:
    """One test: what, whether it went as it must, and what happened."""

    name: str
    ok: bool
    said: str


def selftest(runner: Runner, protection: Protection, resident: Resident) -> Iterator[Tested]:
    """Tries the sandbox and the cheats, then the course's solutions, untouched and wrong ones.

    A protection that is known to be off is said to be off and fails no test.
    """
    with tempfile.TemporaryDirectory() as folder, socket() as listening:
        secret = Path(folder) / "secret"
        secret.write_text("secret", encoding="utf-8")
        secret.chmod(0o666)
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        values = {
            "secret": str(secret),
            "address": listening.getsockname(),
            "pid": resident.pid or 1,
        }
        for name, (text, needs) in _PROBES.items():
            if needs and any(off.startswith(needs) for off in protection.off):
                yield Tested(name=name, ok=True, said=f"not tried: off here: {needs}")
            else:
                yield _probed(runner, name, text.format(**values))
    for cheat in cheats():
        yield _cheated(cheat, runner, protection, resident)
    for exercise in known_ids():
        yield from _course(exercise, runner, resident)


def _probed(runner: Runner, name: str, code: str) -> Tested:
    order = Order(
        exercise="d0.probe",
        spec_version=1,
        entry=_ENTRY,
        names=(),
        bindings=({},),
        kind="written",
    )
    source = f"import os, time\n{code}\ndef {_ENTRY}(): return 'done'"
    with tempfile.TemporaryDirectory(prefix="tlcourse-") as folder:
        work = Path(folder)
        asked = Work(order=order, setup=(), solutions=(source,))
        (work / HAND_IN).write_text(to_json(asked), encoding="utf-8")
        outcome = runner(work, _LIMITS)
        path = work / RESULT
        result = path.read_text(encoding="utf-8") if path.is_file() else ""
    did_it = '"state":"sealed"' in result
    said = "it could do that" if did_it else "refused" if result else outcome.state
    return Tested(name=name, ok=not did_it, said=said)


def _cheated(cheat: Cheat, runner: Runner, protection: Protection, resident: Resident) -> Tested:
    """A way around an exercise that was once found: it must score what it scored."""
    name = f"cheat: {cheat.name}"
    if cheat.needs and any(off.startswith(cheat.needs) for off in protection.off):
        return Tested(name=name, ok=True, said=f"not tried: off here: {cheat.needs}")
    with tempfile.TemporaryDirectory(prefix="tlcourse-") as folder:
        path = write_cheat(cheat, Path(folder))
        verdict = graded(path, limits=_CHEATS, resident=resident, runner=runner).verdict
    ok = (verdict.state, verdict.points) == (cheat.state, cheat.points)
    return Tested(name=name, ok=ok, said=_points(verdict))


def _course(exercise: str, runner: Runner, resident: Resident) -> Iterator[Tested]:
    root = specs_folder().parents[1]
    day, slug = exercise.split(".")
    points = float(load(exercise).points)
    for kind, wanted in (("solutions", ("PASS", points)), ("exercises", ("TODO", 0.0))):
        path = root / kind / f"day{day[1:]}" / f"{slug}.ipynb"
        if not path.is_file():
            continue
        verdict = graded(path, resident=resident, runner=runner).verdict
        found = (verdict.state, verdict.points)
        if load(exercise).kind == "written" and found[0] == "TODO":
            wanted = found  # a person gives its points
        yield Tested(name=f"{kind} of {exercise}", ok=found == wanted, said=_points(verdict))
    if (root / "solutions").is_dir():
        yield from _mutants(exercise, runner, resident)


def _mutants(exercise: str, runner: Runner, resident: Resident) -> Iterator[Tested]:
    """The wrong hand-ins of an exercise: each must get its state, none full marks."""
    file = mutants.read_mutants(exercise)
    solved = mutants.solution_of(exercise)
    for mutant in file.mutants:
        source = mutants.edited(mutant, file.sources, mutants.solution_source(solved))
        with tempfile.TemporaryDirectory(prefix="tlcourse-") as folder:
            path = mutants.write_with(solved, source, Path(folder) / "mutant.ipynb")
            verdict = graded(path, resident=resident, runner=runner).verdict
        is_right = verdict.state == mutant.state and verdict.points < verdict.max_points
        name = f"mutant {mutant.name} of {exercise}"
        yield Tested(name=name, ok=is_right, said=_points(verdict))


def _points(verdict: Verdict) -> str:
    return f"{verdict.state} {verdict.points:g}/{verdict.max_points:g}"


def run_selftest(runner: Runner, protection: Protection) -> list[Tested]:
    """All tests, with a trusted process of their own."""
    resident = Resident()
    resident.start()
    try:
        return list(selftest(runner, protection, resident))
    finally:
        resident.stop()
