"""What a block issues, as plain numbers: no tensors, no times, no chip constants.

A recording holds one stream for each class of blocks. It can be stored, and timed again with
other constants as often as wanted. Equal costs are one `Shape`, so that a constant is looked
at once for hundreds of instructions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tlcourse.diagnostics import Span


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """What decides how long an instruction takes.

    Args:
        kind: `vector`, `dma`, `nd2nz`, `fixpipe`, `l0`, `mmad`, `scalar`; empty for flags.
        cost_class: of a vector op; for `l0` the side, `a` or `b`.
        core: `cube` or `vector`.
        instructions: hardware instructions that it becomes; 0 is not issued at all.
        repeats: of a vector op, turns of 256 bytes; of `mmad`, its cycles.
        elements: elements of a loop on the scalar unit.
        bytes: moved through GM, or out of L1.
        source_bytes: of `fixpipe`, bytes read from L0C.
        segments: contiguous pieces that a DMA moves.
        aligned: every piece starts at a multiple of 512 bytes of GM.
        tensor: the tensor in GM, a place in `Recording.tensors`; -1 is none.
        writes: the bytes go to GM.
        operations: multiplications and additions of `mmad`, elements of a vector op.
        dtype: of the operand that decides them.
    """

    kind: str
    cost_class: str = ""
    core: str = "vector"
    instructions: int = 1
    repeats: int = 0
    elements: int = 0
    bytes: int = 0
    source_bytes: int = 0
    segments: int = 0
    aligned: bool = True
    tensor: int = -1
    writes: bool = False
    operations: int = 0
    dtype: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """One entry of a pipe's queue.

    Args:
        pipe: `S`, `V`, `M`, `MTE1`, `MTE2`, `MTE3`, `FIX`.
        site: place in `Recording.sites`.
        shape: place in `Recording.shapes`.
        waits: raises that must have happened, places in `Stream.raises`.
        sets: what it raises when it and all before it on its pipe are complete.
        barrier: it waits until all before it on its pipe is complete.
    """

    pipe: str
    site: int
    shape: int
    waits: tuple[int, ...] = ()
    sets: tuple[int, ...] = ()
    barrier: bool = False


@dataclass(frozen=True, kw_only=True)
class CoreStream:
    """What one core issues, in order; `name` is `aic`, `aiv0` or `aiv1`."""

    name: str
    block: int
    works: tuple[Work, ...]


@dataclass(frozen=True, kw_only=True)
class Stream:
    """The cores of a block, or of all blocks where they wait for each other.

    Args:
        cores: what each issues.
        raises: what each raise is: `flag` inside a core, `cross` between cores, `drain` of a
            pipe for a barrier, `link` between the parts of one op.
        slots: how many blocks the stream holds.
    """

    cores: tuple[CoreStream, ...]
    raises: tuple[str, ...]
    slots: int = 1


@dataclass(frozen=True, kw_only=True)
class TensorUse:
    """A tensor in GM: its size, what all blocks move, and what of that L2 does not hold.

    Args:
        missing_cold: bytes that come from HBM or go there when L2 is empty at the start.
        missing_warm: the same when the launch before used the same tensors.
    """

    name: str
    size_bytes: int
    read_bytes: int = 0
    written_bytes: int = 0
    missing_cold: int = 0
    missing_warm: int = 0

    @property
    def moved_bytes(self) -> int:
        """Bytes read and written."""
        return self.read_bytes + self.written_bytes


@dataclass(frozen=True, kw_only=True)
class SiteName:
    """An op of the program as the timeline shows it."""

    op: str
    span: Span | None = None


@dataclass(frozen=True, kw_only=True)
class Recording:
    """All that is needed to time a launch.

    Args:
        kernel: its name.
        kind: `vector`, `cube` or `mix`.
        blocks: number of blocks.
        class_of: for each block, the place of its stream in `streams`.
        streams: one for each class of blocks.
    """

    schema: ClassVar[str] = "tlcourse.Recording/1"
    kernel: str
    kind: str
    blocks: int
    class_of: tuple[int, ...]
    streams: tuple[Stream, ...]
    shapes: tuple[Shape, ...]
    sites: tuple[SiteName, ...]
    tensors: tuple[TensorUse, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Total:
    """What all blocks of a launch did with one op on one pipe.

    Args:
        count: instructions.
        bytes: moved through GM.
        operations: multiplications and additions of products, elements of vector ops.
    """

    count: int = 0
    bytes: int = 0
    operations: int = 0
