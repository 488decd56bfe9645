"""The real pipeline entry by entry: what stands in it, a stretch of it, all its stages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tlcourse.bishengir.failures import strange
from tlcourse.bishengir.options import BishengOptions, pipeline_text
from tlcourse.bishengir.recipe import DEFAULT_TIMEOUT_S, without_own_places
from tlcourse.bishengir.run import run_tool
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.diagnostics import SourceMap
from tlcourse.records import Mode

# The last entry makes library calls of the ops; before it the IR is executable HIVM.
_LAST = "convert-hivm-to-std"
_PIPELINE = re.compile(r"^builtin\.module\((.*)\)$", re.MULTILINE)
_NAME = re.compile(r"(?:func\.func\()?([\w-]+)")
_STAGE = re.compile(r"^// -----// IR Dump stage-(\d+) //----- //\n", re.MULTILINE)
_END_OF_MODULE = re.compile(r"^\}.*\n?", re.MULTILINE)
# The tool passes these to one-shot-bufferize beside the text, so its text lacks them.
_UNSAID = (
    ("allow-return-allocs-from-loops=false", "allow-return-allocs-from-loops=true"),
    ("allow-unknown-ops=false", "allow-unknown-ops=true"),
    ("bufferize-function-boundaries=false", "bufferize-function-boundaries=true"),
    ("infer-layout-map", "identity-layout-map"),
)


@dataclass(frozen=True, kw_only=True)
class RealStep:
    """One entry of the real pipeline.

    Args:
        name: the pass.
        text: the entry with its options, inside `func.func(..)` where it runs on functions.
    """

    name: str
    text: str

    @property
    def options(self) -> dict[str, str]:
        """The options, name to value; those without a value are left out."""
        _, _, inside = self.text.partition("{")
        words = inside.rstrip(")").rstrip("}").split()
        return {key: value for key, _, value in (word.partition("=") for word in words) if value}


@lru_cache(maxsize=32)
def real_steps(
    mode: Mode, options: BishengOptions | None = None, chip_name: str = DEFAULT_CHIP.name
) -> tuple[RealStep, ...]:
    """All entries from code generation's MLIR to executable HIVM, in order.

    Args:
        mode: the mode of the kernel.
        options: what the compiler may do on its own.
        chip_name: target.

    Raises:
        TL350 to TL353: see `run_tool`.
        TL354: the tool is another program.
    """
    pipeline = pipeline_text(mode, options or BishengOptions(), chip_name)
    arguments = [f"--pass-pipeline={pipeline}", "--dump-pass-pipeline"]
    told = run_tool(arguments, "module {}", timeout_s=DEFAULT_TIMEOUT_S)
    found = _PIPELINE.search(told.stderr)
    if found is None:
        raise strange(told.stdout, "module {}", None)
    steps = tuple(_step(entry) for entry in _entries(found[1]))
    return tuple(step for step in steps if step.name != _LAST)


def run_steps(
    text: str,
    steps: Sequence[RealStep],
    *,
    for_xdsl: bool = True,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    sources: SourceMap | None = None,
) -> str:
    """Runs a stretch of the pipeline in one process; stepping is one entry at a time.

    Args:
        text: the module before it.
        steps: the entries.
        for_xdsl: lower affine ops at the end; xDSL does not read all their maps. Entries that
            follow in another run want them as they are.
        timeout_s: seconds for the run.
        sources: texts for the caret of an error.

    Returns:
        the module after it in generic form, with locations.

    Raises:
        TL301, TL350 to TL353: see `run_tool`.
    """
    last = ["lower-affine"] if for_xdsl else []
    pipeline = ",".join([*(step.text for step in steps), *last])
    arguments = [
        f"--pass-pipeline=builtin.module({pipeline})",
        "--mlir-print-op-generic",
        "--mlir-print-ir-after-failure",
    ]
    done = run_tool(arguments, text, timeout_s=timeout_s, sources=sources)
    return without_own_places(done.stdout)


def stages(
    text: str,
    steps: Sequence[RealStep],
    *,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    sources: SourceMap | None = None,
) -> Iterator[tuple[str, str]]:
    """The whole module after each entry: the name of the pass, readable text with locations.

    In the pipeline itself entries on functions run function by function; here each entry has
    done with all functions before the next begins, which gives the same result.

    Args, Raises: as `run_steps`.
    """
    entries = [f"{step.text},print-ir{{label=stage-{i}}}" for i, step in enumerate(steps)]
    arguments = [
        f"--pass-pipeline=builtin.module({','.join(entries)})",
        "--mlir-print-ir-after-failure",
        "-o=/dev/null",
    ]
    told = run_tool(arguments, text, timeout_s=timeout_s, sources=sources).stderr
    heads = list(_STAGE.finditer(told))
    for head in heads:
        end = _END_OF_MODULE.search(told, head.end())
        assert end, "a stage is a whole module"
        yield steps[int(head[1])].name, without_own_places(told[head.end() : end.end()])


def _step(entry: str) -> RealStep:
    found = _NAME.match(entry)
    assert found, entry
    for without, given in _UNSAID if found[1] == "one-shot-bufferize" else ():
        entry = entry.replace(without, given)
    return RealStep(name=found[1], text=entry)


def _entries(pipeline: str) -> Iterator[str]:
    """The pipeline cut at the commas that stand outside all brackets."""
    depth, start = 0, 0
    for index, sign in enumerate(pipeline):
        depth += (sign in "({") - (sign in ")}")
        if sign == "," and depth == 0:
            yield pipeline[start:index]
            start = index + 1
    yield pipeline[start:]
