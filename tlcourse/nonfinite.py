"""The first inf or NaN of a launch: how both executors look for it, and what they say.

A launch that ends with finite outputs pays for one sum of each, or of a part of a large one. Only
where an output holds inf or NaN is the launch run once more, on copies and watched, until a
statement leaves something worse than all it read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

CODE = "TL509"
# Of larger outputs some stretches are looked at, so that the look stays cheap beside the launch:
# from 32,768 numbers on torch would wake its other threads for the sum.
_WHOLE = 1 << 18
_STRETCHES, _STRETCH = 64, 500
_KINDS = ("", "inf", "NaN")


def worst(tensor: torch.Tensor) -> int:
    """The worst number in a tensor: 0 finite, 1 infinite, 2 NaN."""
    if not tensor.is_floating_point() or not tensor.numel():
        return 0
    low, high = torch.aminmax(tensor)
    return max(worst_number(low.item()), worst_number(high.item()))


def worst_number(number: float) -> int:
    """The same of one number."""
    return 2 if math.isnan(number) else int(math.isinf(number))


def is_left_in(output: object) -> bool:
    """Whether an output of a launch holds inf or NaN, as far as it is looked at."""
    if not isinstance(output, torch.Tensor) or not output.is_floating_point():
        return False
    seen = output.reshape(-1)
    if seen.numel() > _WHOLE:
        seen = seen.as_strided(
            (_STRETCHES, _STRETCH), (seen.numel() // _STRETCHES, 1), seen.storage_offset()
        )
    # The sum is a third of the time of a look at each; a large finite one may overflow.
    return not math.isfinite(seen.float().sum().item()) and worst(seen) > 0


def words(
    kind: int, dtype: torch.dtype, where: str, outputs: Sequence[str]
) -> tuple[str, str, str, str]:
    """What, why, fix and the label at the statement.

    Args:
        kind: what it leaves, as `worst` says it.
        dtype: of what it writes.
        where: block and loop turns in words.
        outputs: names of the outputs that hold inf or NaN at the end.
    """
    name, largest = _KINDS[kind], f"{torch.finfo(dtype).max:,.6g}"
    reason = (
        f"{str(dtype).removeprefix('torch.')} holds numbers up to {largest}, and a number divided "
        "by 0 is infinite"
        if name == "inf"
        else "inf - inf, 0 * inf, 0 / 0 and a root or logarithm of a number below 0 are no numbers"
    )
    return (
        f"the first {name} of this launch arises {where}; inf or NaN is left in "
        f"{' and '.join(outputs)}",
        f"{reason}; what is computed from it is mostly inf or NaN, too",
        "look at what this line reads with T.print; keep sums and scores in float32, scale before "
        "the range ends, and take the maximum off before T.vexp",
        f"{name} is stored here first",
    )
