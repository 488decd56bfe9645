"""The HIVM dialect: AscendNPU IR's ops on cores, pipes and memories, as `hivm.hir.*`."""

from __future__ import annotations

from xdsl.ir import Dialect

from tlcourse.dialects.hivm.attrs import ATTRIBUTES
from tlcourse.dialects.hivm.choices import CHOICES
from tlcourse.dialects.hivm.core import CORE
from tlcourse.dialects.hivm.cube import CUBE
from tlcourse.dialects.hivm.custom import CUSTOM, SyncEventSlotAttr
from tlcourse.dialects.hivm.dma import DMA
from tlcourse.dialects.hivm.macros import MACROS
from tlcourse.dialects.hivm.sequences import SEQUENCES
from tlcourse.dialects.hivm.shapes import SHAPES
from tlcourse.dialects.hivm.sync import SYNC
from tlcourse.dialects.hivm.vector import VECTOR

HIVM = Dialect(
    "hivm",
    [*CORE, *DMA, *CUBE, *MACROS, *VECTOR, *CHOICES, *SHAPES, *SEQUENCES, *SYNC, *CUSTOM],
    [*ATTRIBUTES, SyncEventSlotAttr],
)

__all__ = ["HIVM"]
