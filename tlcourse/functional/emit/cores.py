"""Which cores a kernel needs, and which statements each of them runs.

With `T.Scope` a kernel runs on a cube core and two vector cores: each runs what its scope
holds and everything that stands in no scope. Without, one core runs the whole kernel.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.dialects.signature import kernel_of, mode_of

_CUBE_SCOPES = ("shared.dyn", "wmma.accumulator", "wmma.matrix_a", "wmma.matrix_b")


def cores_of(module: ModuleOp) -> tuple[tl.Core, ...]:
    """The kinds of core that run a kernel: both, cube alone or vector alone.

    A Developer kernel holds no scopes; it runs as one vector core that also multiplies, for
    the whole tile: its sub-block id is 0, and the tile is not split in halves.
    """
    ops = list(kernel_of(module).walk())
    if any(isinstance(op, tl.ScopeOp) for op in ops):
        return ("cube", "vector")
    if mode_of(module) == "Developer":
        return ("vector",)
    if any(isinstance(op, tl.GemmOp) for op in ops):
        return ("cube",)
    scopes = [tl.scope_of(op.result) for op in ops if isinstance(op, tl.AllocOp)]
    return ("cube",) if scopes and all(scope in _CUBE_SCOPES for scope in scopes) else ("vector",)


def users_on(value: SSAValue, core: tl.Core) -> list[Operation]:
    """The ops on a core that access a buffer or region, directly or through regions of it."""
    users: list[Operation] = []
    for use in value.uses:
        if isinstance(use.operation, tl.RegionOp):
            users += users_on(use.operation.result, core)
        elif runs_on(use.operation, core):
            users.append(use.operation)
    return users


def runs_on(op: Operation, core: tl.Core) -> bool:
    """Whether a core runs an op: no scope around the op belongs to the other kind."""
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, tl.ScopeOp) and parent.core.data != core:
            return False
        parent = parent.parent_op()
    return True
