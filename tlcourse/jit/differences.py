"""What a kernel object relies on that upstream does otherwise."""

from __future__ import annotations

from tlcourse.jit.kernel import Kernel
from tlcourse.lint import LintReport, lint
from tlcourse.pipeline import lower_tile


def differences(kernel: Kernel) -> LintReport:
    """The differences from upstream that a kernel relies on; it is neither compiled nor run.

    Raises:
        PassFailure: a pass of the TIR phase refused the kernel.
    """
    lowered = lower_tile(kernel.module, kernel.sources, chip=kernel.settings.chip)
    warnings = kernel.prim_func.warnings if kernel.prim_func is not None else ()
    return lint(kernel.module, lowered, kernel.sources, warnings)
