"""RUN lines of upstream's lit tests: what they run, and whether all of it is embedded here."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tlcourse.conformance.filecheck_run import DEFAULT_PREFIXES
from tlcourse.pipeline.pipeline_text import parse_pipeline
from tlcourse.pipeline.registry import passes

_RUN = re.compile(r"^\s*//\s*RUN:\s?(.*)$")
_TOOL = "bishengir-opt"
# Flags that change nothing here: ours reads unknown operations, and works in one thread.
_IDLE = ("allow-unregistered-dialect", "mlir-disable-threading")
_PREFIX = re.compile(r"^--?check-prefix(?:es)?(?:=(.*))?$")


@dataclass(frozen=True, kw_only=True)
class Job:
    """What one RUN line asks for.

    Args:
        pipeline: the passes, as text of a pipeline.
        split: the file holds several modules.
        verify: errors announced in comments must come.
        generic: the result is written in generic form.
        prefixes: what stands for `CHECK`; empty if nothing is compared.
        cannot: why it cannot be run here; empty if it can.
    """

    pipeline: str = ""
    split: bool = False
    verify: bool = False
    generic: bool = False
    prefixes: tuple[str, ...] = ()
    cannot: str = ""


def jobs(text: str) -> tuple[Job, ...]:
    """The jobs of a file; RUN lines of other tools are left out."""
    return tuple(_job(line) for line in run_lines(text) if _TOOL in line.split("|")[0])


def run_lines(text: str) -> Iterator[str]:
    """The RUN lines, those joined that end with a backslash."""
    joined = ""
    for line in text.splitlines():
        found = _RUN.match(line)
        if found is None:
            continue
        joined += found[1].strip()
        if joined.endswith("\\"):
            joined = joined[:-1] + " "
            continue
        yield joined
        joined = ""


def _job(line: str) -> Job:
    try:
        commands = _commands(line)
    except ValueError as problem:
        return Job(cannot=f"cannot read its RUN line: {problem}")
    first, *rest = commands
    flags = _Flags()
    reason = flags.read(first[1:]) if first[0] == _TOOL else f"needs {first[0]}"
    tools = [words[0] for words in rest]
    if not reason and tools not in ([], ["FileCheck"]):
        reason = f"needs {' and '.join(tool for tool in tools if tool != 'FileCheck')}"
    reason = reason or _missing(flags.pipeline())
    return Job(
        pipeline=flags.pipeline(),
        split="split-input-file" in flags.said,
        verify="verify-diagnostics" in flags.said,
        generic="mlir-print-op-generic" in flags.said,
        prefixes=_prefixes(rest[-1]) if rest else (),
        cannot=reason,
    )


def _commands(line: str) -> list[list[str]]:
    reader = shlex.shlex(line, posix=True, punctuation_chars="|")
    reader.whitespace_split = True
    reader.commenters = ""
    commands: list[list[str]] = [[]]
    for word in reader:
        if word == "|":
            commands.append([])
        else:
            commands[-1].append(word)
    if not all(commands):
        raise ValueError("a command is empty")
    return commands


@dataclass
class _Flags:
    """The arguments of the tool: passes in order, and flags."""

    texts: list[str] = field(default_factory=lambda: list[str]())
    said: set[str] = field(default_factory=lambda: set[str]())

    def read(self, words: Sequence[str]) -> str:
        """Takes the arguments; why they cannot be followed, empty if they can."""
        for word in words:
            name, equals, value = word.lstrip("-").partition("=")
            if word in ("%s", "-", "<"):
                continue
            if not word.startswith("-"):
                return f"gives {word} to the tool"
            if name in ("debug-only", "debug", "mlir-print-ir-after-all", "o"):
                return f"needs --{name}"
            if name == "pass-pipeline":
                self.texts.append(value)
            elif name in _FLAGS:
                self.said.add(name)
            else:
                self.texts.append(f"{name}{{{value}}}" if equals else name)
        return ""

    def pipeline(self) -> str:
        return ",".join(self.texts)


_FLAGS = ("split-input-file", "verify-diagnostics", "mlir-print-op-generic", *_IDLE)


def _missing(pipeline: str) -> str:
    from tlcourse.diagnostics import TLError

    try:
        names = [one.name for one in parse_pipeline(pipeline)]
    except TLError:
        return "cannot read its pipeline"
    known = {name for name, entry in passes().items() if entry.level == "npuir"}
    lacking = dict.fromkeys(name for name in names if name not in known)
    if lacking:
        return f"not embedded: {', '.join(lacking)}"
    return "" if names else "no pass: it only reads and prints"


def _prefixes(words: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    for word, after in zip(words, [*words[1:], ""], strict=True):
        prefix = _PREFIX.match(word)
        if prefix is not None:
            found += (prefix[1] or after).split(",")
    return tuple(found) or DEFAULT_PREFIXES
