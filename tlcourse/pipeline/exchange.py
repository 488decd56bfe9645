"""One back half's pass in the place of the other's, at the points where both mean the same.

Embedded pipeline: a real pass runs as a child process on our module. Real pipeline: it is cut
before and after the pass, and ours runs between the two stretches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tlcourse.bishengir.bisheng_pass import RealStepPass
from tlcourse.bishengir.steps import RealStep, real_steps, run_steps, stages
from tlcourse.diagnostics import SourceMap, error
from tlcourse.dialects.text import context, from_text, to_text
from tlcourse.pipeline.order import NPUIR_PASSES, Setting, Step

EXCHANGE_POINTS = (
    "convert-to-hivm-op",
    "hivm-infer-mem-scope",
    "hivm-plan-memory",
    "hivm-mark-real-core-type",
    "hivm-split-mix-kernel",
    "hivm-inject-sync",
    "hivm-graph-sync-solver",
    "hivm-enable-multi-buffer",
)
"""Passes whose work before and after is the same in both pipelines."""

Told = Callable[[str, str, bool], None]


def check_swap(names: Sequence[str]) -> None:
    """Refuses passes that are no exchange points.

    Raises:
        TL325: one is none.
    """
    wrong = [name for name in names if name not in EXCHANGE_POINTS]
    if wrong:
        raise error(
            "TL325",
            f"{wrong[0]} cannot be exchanged with the pass of the other back half",
            why="around it the two pipelines do not hold the same IR",
            fix=f"choose among {', '.join(EXCHANGE_POINTS)}",
        )


def idle_swaps(setting: Setting) -> tuple[str, ...]:
    """Passes in `swap` that this compile does not run, so that nothing is exchanged."""
    running = {step.make(setting).name for step in NPUIR_PASSES if step.runs(setting)}
    return tuple(name for name in setting.options.swap if name not in running)


def with_real_passes(setting: Setting) -> tuple[Step, ...]:
    """The embedded pipeline, with real passes in the places that `swap` names.

    Raises:
        TL325: a pass cannot be exchanged.
        TL350: the real compiler is not on this machine.
    """
    swap = setting.options.swap
    check_swap(swap)
    if not swap:
        return NPUIR_PASSES
    seen: Counter[str] = Counter()
    steps: list[Step] = []
    for step in NPUIR_PASSES:
        name = step.make(setting).name if step.runs(setting) else ""
        if name in swap:
            step = _real(step, _of_pass(setting, name)[seen[name]])
            seen[name] += 1
        steps.append(step)
    return tuple(steps)


def _real(step: Step, entry: RealStep) -> Step:
    def make(setting: Setting) -> ModulePass:
        return RealStepPass(entry)

    return replace(step, make=make)


def _of_pass(setting: Setting, name: str) -> list[RealStep]:
    return [step for step in _steps(setting) if step.name == name]


def _steps(setting: Setting) -> tuple[RealStep, ...]:
    return real_steps(setting.mode, setting.options.for_real_compiler(), setting.chip.name)


def run_real_with_ours(
    mlir: ModuleOp, setting: Setting, sources: SourceMap, tell: Told | None = None
) -> ModuleOp:
    """Runs the real pipeline, with our passes in the places that `swap` names.

    Args:
        mlir: code generation's module; not changed.
        setting: mode, chip and options.
        sources: texts for the caret of an error.
        tell: gets name and text after each pass, and whether it was a real one.

    Returns:
        executable HIVM.

    Raises:
        TL325: a pass cannot be exchanged.
        TL350 to TL353: the real compiler is missing, or fails.
    """
    check_swap(setting.options.swap)
    ours = _ours(setting)
    text, stretch = to_text(mlir, locations=True), list[RealStep]()
    for step in _steps(setting):
        waiting = ours.get(step.name)
        if not waiting:
            stretch.append(step)
            continue
        text = _stretch(text, stretch, sources, tell)
        module = from_text(text)
        waiting.pop(0).apply(context(), module)
        text, stretch = to_text(module, locations=True), []
        if tell is not None:
            tell(step.name, text, False)
    return from_text(_stretch(text, stretch, sources, tell))


def _ours(setting: Setting) -> dict[str, list[ModulePass]]:
    """Our passes that stand in, by name, in order."""
    found: dict[str, list[ModulePass]] = {}
    for step in NPUIR_PASSES:
        if step.runs(setting):
            one = step.make(setting)
            if one.name in setting.options.swap:
                found.setdefault(one.name, []).append(one)
    return found


def _stretch(text: str, steps: Sequence[RealStep], sources: SourceMap, tell: Told | None) -> str:
    if tell is not None:
        for name, after in stages(text, steps, sources=sources):
            tell(name, after, True)
    return run_steps(text, steps, sources=sources)
