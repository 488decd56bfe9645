"""Questions that the mixed-kernel passes ask: which core an op is for, and what is unused.

Before the split one function holds the work of both kinds of core. Matrix ops and the
fixpipe are the cube core's, vector ops the vector cores'; a load is for whoever reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast

from xdsl.dialects import func, memref, scf, tensor
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, Region, SSAValue, Use
from xdsl.traits import is_side_effect_free

from tlcourse.dialects.bufferization import ToTensorOp
from tlcourse.dialects.hivm.attrs import CoreTypeAttr, EnumWord, FuncCoreTypeAttr
from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.hivm.core import DebugOp
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.hivm.dma import FixpipeOp, LoadOp, ND2NZOp, StoreOp
from tlcourse.dialects.hivm.macros import CubeMacroOp, MixGroupMatmulOp, MixMatmulOp
from tlcourse.dialects.hivm.sync import BlockFlagOp
from tlcourse.dialects.hivm.vector import VectorPipeOp

Core = Literal["CUBE", "VECTOR"]
CORE_ATTRIBUTE = "hivm.tcore_type"
_CORES: dict[str, Core] = {"CUBE": "CUBE", "VECTOR": "VECTOR"}


def device_functions(module: ModuleOp, kind: str) -> list[func.FuncOp]:
    """The device functions whose core type is `kind`: AIC, AIV or MIX."""
    return [
        op
        for op in module.body.block.ops
        if isinstance(op, func.FuncOp) and core_type_of(op) == kind
    ]


def core_type_of(function: func.FuncOp) -> str:
    """AIC, AIV or MIX; empty for a host function."""
    attribute = function.attributes.get("hivm.func_core_type")
    return attribute.data if isinstance(attribute, EnumWord) else ""


def set_core_type(function: func.FuncOp, kind: str) -> None:
    """Writes the core type of a function."""
    function.attributes["hivm.func_core_type"] = FuncCoreTypeAttr(kind)


def core_of(op: Operation) -> Core | None:
    """The core that an op needs; None where both may run it (scalars, control flow, views)."""
    marked = op.attributes.get(CORE_ATTRIBUTE)
    if isinstance(marked, EnumWord):
        return _CORES.get(marked.data)
    match op:
        case MixMatmulOp() | MixGroupMatmulOp():
            return None
        case MmadL1Op() | FixpipeOp() | ND2NZOp() | CubeMacroOp():
            return "CUBE"
        case VectorPipeOp() | StoreOp():
            return "VECTOR"
        case LoadOp():
            return _core_of_load(op)
        case BlockFlagOp():
            return "CUBE" if op.tcore_type.data == "CUBE" else "VECTOR"
        case DebugOp() if isinstance(op.arg.type, TensorType):
            return _core_of_print(op.arg)
        case _:
            return None


def mark(op: Operation, core: Core) -> None:
    """Writes the core of an op."""
    op.attributes[CORE_ATTRIBUTE] = CoreTypeAttr(core)


def loaded_tensors(load: LoadOp) -> list[SSAValue]:
    """The tensors that hold what a load has brought in."""
    if load.results:
        return list(load.results)
    return _tensors_of(filled_buffer(load))


def filled_buffer(load: LoadOp) -> SSAValue:
    """The whole buffer that a load fills, or fills a part of."""
    place = load.dst
    while isinstance(place.owner, memref.SubviewOp):
        place = place.owner.source
    return place


def _tensors_of(buffer: SSAValue) -> list[SSAValue]:
    """The tensors that a buffer and parts of it are read as."""
    found: list[SSAValue] = []
    for use in buffer.uses:
        if isinstance(use.operation, ToTensorOp):
            found.append(use.operation.tensor)
        elif isinstance(use.operation, memref.SubviewOp):
            found += _tensors_of(use.operation.result)
    return found


def readers(value: SSAValue) -> list[Operation]:
    """Ops that read a tensor, looking through slices of it and tiles that it is a part of."""
    return [op for use in value.uses for op in readers_by(use)]


def readers_by(use: Use) -> list[Operation]:
    """Ops that read a tensor through one use of it, see `readers`."""
    is_part = isinstance(use.operation, tensor.InsertSliceOp) and use.index == 0
    if isinstance(use.operation, tensor.ExtractSliceOp) or is_part:
        return readers(use.operation.results[0])
    return [use.operation]


def is_matrix_input(op: Operation, value: SSAValue) -> bool:
    """Whether a matrix op multiplies the value."""
    return isinstance(op, MmadL1Op) and value in (op.a, op.b)


def _core_of_load(load: LoadOp) -> Core:
    if load.tcoretype is not None and load.tcoretype.data in ("CUBE", "VECTOR"):
        return "CUBE" if load.tcoretype.data == "CUBE" else "VECTOR"
    for value in loaded_tensors(load):
        if any(isinstance(op, MmadL1Op) for op in readers(value)):
            return "CUBE"
    return "VECTOR"


def _core_of_print(shown: SSAValue) -> Core | None:
    """A tile is printed by the core that makes it, else by one that reads it."""
    maker = shown.owner
    readers_too = [use.operation for use in shown.uses if not isinstance(use.operation, DebugOp)]
    for op in (maker, *readers_too):
        core = core_of(op) if isinstance(op, Operation) else None
        if core is not None:
            return core
    if isinstance(maker, tensor.ExtractSliceOp):
        return _core_of_print(maker.source)
    return None


def erase_unused(region: Region) -> None:
    """Erases ops that nobody needs: unused values, tensor ops without readers, empty loops."""
    changed = True
    while changed:
        changed = False
        for op in reversed(list(region.walk())):
            if _is_unused(op):
                op.detach()
                op.erase()
                changed = True


def _is_unused(op: Operation) -> bool:
    if any(result.uses for result in op.results):
        return False
    if isinstance(op, (scf.ForOp, scf.IfOp)):
        return not _has_effect(op.regions)
    if isinstance(op, PipeOp):
        return bool(op.results) and not fills_workspace(op)
    if isinstance(op, (memref.AllocOp, ToTensorOp, tensor.EmptyOp)):
        return True
    return bool(op.results) and is_side_effect_free(op) and not op.regions


def _has_effect(regions: Sequence[Region]) -> bool:
    inner = [op for region in regions for op in region.walk()]
    return any(not isinstance(op, scf.YieldOp) and not is_plain(op) for op in inner)


def is_plain(op: Operation) -> bool:
    """Whether an op, or a loop around such ops, does nothing but make its results."""
    if isinstance(op, (scf.ForOp, scf.IfOp, memref.AllocOp, ToTensorOp)):
        return True
    if isinstance(op, PipeOp):
        return bool(op.results) and not fills_workspace(op)
    return is_side_effect_free(op)


def fills_workspace(op: PipeOp) -> bool:
    """Whether an op on tensors writes into memory that others see."""
    owner = op.destinations()[0].owner
    return isinstance(owner, ToTensorOp) and owner.writable is not None


def tensor_type(value: SSAValue) -> TensorType[Attribute]:
    """The type of a value that is a tensor."""
    assert isinstance(value.type, TensorType)
    return cast(TensorType[Attribute], value.type)


def empty_like(value: SSAValue) -> tensor.EmptyOp:
    """A tensor without contents, of the type of another one."""
    return tensor.EmptyOp([], tensor_type(value))
