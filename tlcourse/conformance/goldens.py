"""Suite goldens: our code generation against the real compiler, for upstream's kernel sources."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from xdsl.utils.exceptions import ParseError, VerifyException

from tlcourse.bishengir import compile_text
from tlcourse.bishengir.read_back import read_back
from tlcourse.bishengir.run import run_tool
from tlcourse.conformance.child import Child, environment
from tlcourse.conformance.known import excluded
from tlcourse.conformance.reasons import ended, reason_of, too_slow
from tlcourse.conformance.results import Case, Settings
from tlcourse.diagnostics import TLError
from tlcourse.records import Mode

FOLDER = Path("unittest/npuir")
STEPS = (
    "generated",
    "verified",
    "compiled",
    "read back",
    "upstream's compiled",
    "upstream's read back",
)

# The release of the wheel spells this attribute in another way than upstream's older files.
_SPELLINGS = (("syn_instr_mode", "sync_instr_mode"),)


def run(settings: Settings, tell: Callable[[Case, int], None]) -> list[Case]:
    """Judges all kernel sources; `tell` is called from several threads.

    Raises:
        TL350: bishengir-opt is not on this machine.
    """
    run_tool([], "module {}", timeout_s=settings.case_limit_s)
    root = settings.folder.resolve() / FOLDER
    files = [path for path in sorted(root.glob("test_*.py")) if settings.only in path.name]

    def work(file: Path) -> Case:
        case = judge(settings, file)
        tell(case, len(files))
        return case

    with ThreadPoolExecutor(settings.jobs) as pool:
        return list(pool.map(work, files))


def judge(settings: Settings, file: Path) -> Case:
    """Generates, verifies, compiles and reads what one source makes, and upstream's beside it."""
    began = time.monotonic()
    with TemporaryDirectory(prefix="tlcourse-") as scratch:
        mode, text, reason = _generate(settings, file, Path(scratch))
    steps = {"generated": bool(text)}
    limit = settings.case_limit_s
    if text:
        reason = _refusal(lambda: run_tool([], text, timeout_s=limit), "does not verify")
        steps["verified"] = not reason
    golden = file.parent / "mlir_files" / (file.stem.removeprefix("test_") + ".mlir")
    theirs = _compiled(_current(golden), mode, limit) if golden.exists() else _Compiled()
    steps["upstream's compiled"], steps["upstream's read back"] = theirs.steps
    if text and not reason:
        ours = _compiled(text, mode, limit)
        steps["compiled"], steps["read back"] = ours.steps
        # Where upstream's own text does not compile either, nothing can be asked of ours.
        reason = ours.refused or ours.unread if theirs.text else ours.unread
    steps = {name: steps[name] for name in STEPS if name in steps}
    return _case(file.name, reason or theirs.unread, steps, time.monotonic() - began)


def _case(name: str, reason: str, steps: dict[str, bool], seconds: float) -> Case:
    why = excluded("goldens", name) if reason else ""
    outcome = "cannot" if why else "failed" if reason else "passed"
    return Case(
        folder=str(FOLDER),
        name=name,
        outcome=outcome,
        reason=why or reason,
        seconds=seconds,
        steps=steps,
    )


def _generate(settings: Settings, file: Path, scratch: Path) -> tuple[Mode, str, str]:
    """The mode, the text that our code generation gave, and if there is none, why."""
    result = scratch / "result"
    arguments = [str(result), str(file)]
    env = environment(settings, scratch)
    with Child("golden_child", arguments, env=env, folder=scratch) as child:
        code = child.wait(settings.case_limit_s)
        if code is None:
            return "Expert", "", too_slow(settings.case_limit_s)
        if not result.exists():
            return "Expert", "", ended(code, child.log())
    found = json.loads(result.read_text(encoding="utf-8"))
    texts = [path.read_text(encoding="utf-8") for path in sorted(scratch.glob("output/*.mlir"))]
    text = texts[0] if texts else ""
    return found["mode"], text, "" if text else found["reason"] or "it writes no MLIR"


def _current(golden: Path) -> str:
    text = golden.read_text(encoding="utf-8")
    for old, new in _SPELLINGS:
        text = text.replace(old, new)
    return text


@dataclass(frozen=True, kw_only=True)
class _Compiled:
    """What the real pipeline made of a module.

    Args:
        text: executable HIVM, empty if the pipeline refused.
        refused: why it did.
        unread: what we do not read of it, or write so that the tool reads something else.
    """

    text: str = ""
    refused: str = ""
    unread: str = ""

    @property
    def steps(self) -> tuple[bool, bool]:
        """Whether it compiled, and whether the result came back the same."""
        return bool(self.text), bool(self.text) and not self.unread


def _compiled(text: str, mode: Mode, limit_s: float) -> _Compiled:
    try:
        done = compile_text(text, mode=mode, timeout_s=limit_s)
    except TLError as problem:
        return _Compiled(refused=_words(problem, "does not compile"))
    return _Compiled(text=done, unread=_unread(done, limit_s))


def _unread(text: str, limit_s: float) -> str:
    try:
        found = read_back(text, timeout_s=limit_s)
    except TLError as problem:
        return _words(problem, "is not read back")
    except (ParseError, VerifyException) as problem:
        return f"is not read: {str(problem).strip().splitlines()[-1].strip()}"
    if found.unknown:
        return f"holds what no dialect defines: {', '.join(found.unknown)}"
    return "" if found.passed else "comes back as another module"


def _refusal(work: Callable[[], object], word: str) -> str:
    try:
        work()
    except TLError as problem:
        return _words(problem, word)
    return ""


def _words(problem: TLError, word: str) -> str:
    return f"{word}: {reason_of(problem)}; {problem.diagnostic.why}"
