"""Arguments like those of a call before: what `bind` found is known, only memory differs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import torch

from tlcourse.config import read_config
from tlcourse.device.dispatch import HostBacked
from tlcourse.diagnostics import SourceMap
from tlcourse.jit.binding import Bound, bind, share_memory
from tlcourse.records import Signature

Key = tuple[tuple[torch.dtype, torch.Size], ...]
_MOST = 64


class Known:
    """The calls of one kernel that were bound, by dtypes and shapes of their tensors.

    Only calls with npu tensors alone are kept, for a kernel that makes no outputs.

    Args:
        signature: the kernel.
        sources: the texts that the signature's spans point into.
        written: names of the parameters that the kernel writes.
        unused: names of the tensors that it neither reads nor writes.
    """

    def __init__(
        self,
        signature: Signature,
        sources: SourceMap,
        written: frozenset[str],
        unused: frozenset[str],
    ) -> None:
        self._signature, self._sources = signature, sources
        self._written, self._unused = written, unused
        self._bound: dict[Key, Bound] = {}

    def bind(self, arguments: Sequence[object]) -> Bound:
        """What `tlcourse.jit.binding.bind` gives; it raises the same errors."""
        known = self._find(arguments)
        if known is not None:
            return known
        written, unused = self._written, self._unused
        bound = bind(self._signature, arguments, self._sources, written=written, unused=unused)
        self._keep(arguments, bound)
        return bound

    def _find(self, arguments: Sequence[object]) -> Bound | None:
        """The arguments bound, where a call of the kind was; None where `bind` must look."""
        known = self._bound.get(_key(arguments)) if self._bound else None
        if known is None:
            return None
        tensors = tuple(one.raw for one in arguments if isinstance(one, HostBacked))
        if any(share_memory(here, there) for here, there in combinations(tensors, 2)):
            return None
        return Bound(buffers=tensors, symbols=known.symbols, outputs=())

    def _keep(self, arguments: Sequence[object], bound: Bound) -> None:
        """Remembers a call. What passes with the bounds of the device alone is not kept."""
        key = _key(arguments)
        if not key or bound.outputs or read_config().bounds == "device":
            return
        if len(self._bound) == _MOST:
            self._bound.clear()
        # Tensors of the first call would stay in memory.
        self._bound[key] = Bound(buffers=(), symbols=bound.symbols, outputs=())


def _key(arguments: Sequence[object]) -> Key:
    """Empty where an argument is something else, or in pieces."""
    key: list[tuple[torch.dtype, torch.Size]] = []
    for one in arguments:
        if not isinstance(one, HostBacked) or not one.raw.is_contiguous():
            return ()
        key.append((one.raw.dtype, one.raw.shape))
    return tuple(key)
