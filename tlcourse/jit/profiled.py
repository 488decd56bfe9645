"""A kernel with all that the files of a profile need."""

from __future__ import annotations

from collections.abc import Sequence

from tlcourse.jit.kernel import Kernel
from tlcourse.jit.profiling import chip_from, profile_recording
from tlcourse.profile import Profile


def profile_of(
    kernel: Kernel,
    arguments: Sequence[object] = (),
    *,
    chip: str | None = None,
    block: int | None = None,
    cold: bool = False,
) -> Profile:
    """Times a kernel; `tlcourse.profile.write_profile` writes the result.

    Args:
        kernel: the kernel.
        arguments: as for `kernel.profile`; none makes some up.
        chip: name of the chip; None is the one of the settings.
        block: the block whose core group is shown; None is the one that ends last.
        cold: L2 is empty at the start.

    Raises:
        TL401 to TL412: the arguments do not fit.
        TL425: the chip is unknown.
        TL434: an argument is a number, or has a size that is known at a launch only.
        TL470 to TL472: numbers are needed; there is no such block; the kernel stands still.
    """
    given = arguments or kernel.get_profiler().inputs()
    recording = kernel.record(*given, chip=chip)
    found = kernel.settings.chip if chip is None else chip_from(chip)
    timeline = profile_recording(recording, found, cold=cold, block=block, all_blocks=True)
    return Profile(
        recording=recording, timeline=timeline, chip=found, cold=cold, sources=kernel.sources
    )
