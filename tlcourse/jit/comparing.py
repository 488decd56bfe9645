"""One kernel in both back halves, stage by stage."""

from __future__ import annotations

from tlcourse.bishengir.steps import real_steps, stages
from tlcourse.jit.kernel import Kernel
from tlcourse.pipeline import PassOptions
from tlcourse.pipeline.comparison import Comparison, compare_stages, stages_of


def compare_back_halves(kernel: Kernel, *, only: str | None = None) -> Comparison:
    """What the embedded passes do and what the real compiler's do, from the same MLIR on.

    Args:
        kernel: the kernel.
        only: the name of the one pass that is wanted; None takes all.

    Raises:
        TL350: the real compiler is not on this machine.
        TLError: one of the two refuses the kernel.
    """
    trace = kernel.trace("embedded")
    settings = kernel.settings
    start = next(trace.texts[one.text_id] for one in trace.snapshots if one.phase == "codegen")
    ours = [(s.pass_name, trace.texts[s.text_id]) for s in trace.snapshots if s.phase == "npuir"]
    options = PassOptions().with_configs(settings.pass_configs).for_real_compiler()
    steps = real_steps(settings.mode, options, settings.chip.name)
    theirs = list(stages(start, steps, sources=kernel.sources))
    rows = compare_stages(stages_of(start, ours), stages_of(start, theirs), only=only)
    return Comparison(kernel=trace.kernel, mode=settings.mode, rows=rows)
