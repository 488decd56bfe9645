"""What every HIVM op that runs on a pipe knows: its pipe, its core, its meaning and its cost.

`meaning` is a template over torch for the simulator: `{0}`, `{1}` are the sources in order
(views, or Python numbers for scalars) and `{o}` the destination view. Besides torch it may
call the helpers of `tlcourse.simulator.numeric`. `cost` names the formula of the timing
model. So the simulator knows no op by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.dialects.builtin import MemRefType, TensorType
from xdsl.ir import Attribute, SSAValue

from tlcourse.dialects.hivm.assembly import HivmTextOp
from tlcourse.dialects.hivm.attrs import AddressSpaceAttr, EnumWord

Core = Literal["CUBE", "VECTOR"]
Batch = Literal["", "tiles", "matrices"]


@dataclass(frozen=True, kw_only=True)
class Cost:
    """How the timing model charges an op.

    Args:
        kind: the formula: `vector`, `dma` (GM to or from a core), `nd2nz`, `mmad`, `fixpipe`.
        cost_class: for `vector`, a class of `Timing.vector_cycles_per_repeat`.
    """

    kind: Literal["vector", "dma", "nd2nz", "mmad", "fixpipe"]
    cost_class: str = ""


class DestinationOp(HivmTextOp):
    """An op that reads some values and writes others; on tensors these become its results."""

    def sources(self) -> Sequence[SSAValue]:
        """Values read."""
        raise NotImplementedError

    def destinations(self) -> Sequence[SSAValue]:
        """Values written."""
        raise NotImplementedError

    def reads_destination(self) -> bool:
        """Whether the op also reads what it writes (accumulation)."""
        return False


class PipeOp(DestinationOp):
    """An op that a pipe executes."""

    @property
    def pipe(self) -> str:
        """The pipe, for example `PIPE_MTE2`."""
        raise NotImplementedError

    @property
    def core(self) -> Core:
        """The kind of core that has the pipe."""
        raise NotImplementedError

    @property
    def cost(self) -> Cost:
        """How the timing model charges the op."""
        raise NotImplementedError

    def sources(self) -> Sequence[SSAValue]:
        """Values read, in the order of the template's numbers."""
        raise NotImplementedError

    def destinations(self) -> Sequence[SSAValue]:
        """Values written; `{o}` is the first."""
        raise NotImplementedError

    def pairs_elements(self) -> bool:
        """Whether each element of the result comes from the one at its place in each source."""
        return True

    def batch(self) -> Batch:
        """How `meaning` computes many blocks in one statement.

        `tiles`: it holds with further dimensions in front of those of all tiles. `matrices`: it
        moves or multiplies matrices, whose fractals are one way to store them. Empty: it cannot.
        """
        return ""

    def scalars_like(self) -> str:
        """The operand of the template whose dtype scalar sources get."""
        return "{o}"

    def meaning(self) -> str:
        """The torch statement that computes the op."""
        raise NotImplementedError


def space_of(value: SSAValue) -> str:
    """The address space of a memref value: `gm`, `ub`, ...; empty where it has none yet."""
    kind = value.type
    if not isinstance(kind, MemRefType) or not isinstance(kind.memory_space, EnumWord):
        return ""
    return kind.memory_space.data


def gm() -> EnumWord:
    """The attribute `#hivm.address_space<gm>`."""
    return AddressSpaceAttr("gm")


def result_types(*destinations: SSAValue) -> list[Attribute]:
    """Result types of an op: those of its destinations that are tensors."""
    kinds: list[Attribute] = [value.type for value in destinations]
    return [kind for kind in kinds if isinstance(kind, TensorType)]
