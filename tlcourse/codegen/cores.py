"""Which kind of core runs what: the cube core (AIC) or the vector cores (AIV)."""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from tlcourse.codegen.regions import name_of
from tlcourse.codegen.scalar_math import needs_vector_unit
from tlcourse.codegen.writer import Writer
from tlcourse.dialects import tl

VECTOR_STATEMENTS = (tl.ElementwiseOp, tl.BroadcastOp, tl.CastOp, tl.TileOp)
_WORDS = {"AIC": "cube core", "AIV": "vector cores"}
_SCOPE_WORDS = {"AIC": "Cube", "AIV": "Vector"}
_SCOPE_CORES = {"cube": "AIC", "vector": "AIV"}
# Memories of Expert mode by the alloc call's scope string, and the core that has them.
SPACES = {"global": "gm", "shared": "ub", "shared.dyn": "cbuf", "wmma.accumulator": "cc"}
SPACE_WORDS = {"gm": "GM", "ub": "UB", "cbuf": "L1", "cc": "L0C"}
_SPACE_CORES = {"ub": "AIV", "cbuf": "AIC", "cc": "AIC"}


def scope_core(scope: tl.ScopeOp) -> str:
    """The core of a `T.Scope`."""
    return _SCOPE_CORES[scope.core.data]


def space_of(value: SSAValue) -> str:
    """The memory of a tile operand in Expert mode: gm, ub, cbuf or cc; empty for others."""
    return SPACES.get(tl.scope_of(value), "")


def core_of(op: Operation) -> str | None:
    """The core that an op of Tile IR needs in Expert mode, by the memories it touches."""
    if isinstance(op, (tl.ForOp, tl.ScopeOp, tl.RegionOp, tl.KernelOp)):
        return None
    touched = [op.result] if isinstance(op, tl.AllocOp) else list(op.operands)
    spaces = [space_of(value) for value in touched if isinstance(value.type, MemRefType)]
    return next((_SPACE_CORES[space] for space in spaces if space in _SPACE_CORES), None)


def expert_core(kernel: tl.KernelOp) -> str:
    """The core of an Expert kernel: MIX where it has a `T.Scope`.

    Else that of the first statement that moves or changes a tile.

    Differs from upstream: there the last allocation decides.
    """
    if any(isinstance(op, tl.ScopeOp) for op in kernel.walk()):
        return "MIX"
    ops = sorted(kernel.walk(), key=lambda op: isinstance(op, tl.AllocOp))
    return next((core for op in ops if (core := core_of(op))), "AIV")


def developer_core(kernel: tl.KernelOp) -> str:
    """The core of a Developer kernel: MIX where both matrix and vector ops occur.

    Differs from upstream: a bool tile or a UB tile beside a gemm does not hide the gemm.
    """
    cube = any(isinstance(op, tl.GemmOp) for op in kernel.walk())
    vector = any(isinstance(op, VECTOR_STATEMENTS) or needs_vector_unit(op) for op in kernel.walk())
    if cube and vector:
        return "MIX"
    return "AIC" if cube else "AIV"


def require_core(writer: Writer, op: Operation) -> None:
    """Checks that an op stands where its core runs it.

    Raises:
        TL212: it stands in the other core's scope, in no scope of a kernel for both cores,
            or in a kernel that has no scopes and uses both cores.
    """
    core = core_of(op)
    if core is None or core == writer.core:
        return
    scope = _enclosing_scope(op)
    what = f"This statement needs the {_WORDS[core]}, {_reason(op)}"
    fix = f'put it into `with T.Scope("{_SCOPE_WORDS[core]}"):`'
    if scope is not None:
        where = f'it stands in T.Scope("{_SCOPE_WORDS[scope_core(scope)]}")'
    elif _has_scopes(op):
        where = "it stands outside both scopes, so that it would run on both kinds of core"
    else:
        where = f"this kernel has no T.Scope, so that all of it runs on the {_WORDS[writer.core]}"
        fix += ", and what the other core does into the other scope"
    raise writer.error(
        "TL212",
        what,
        op,
        why=f"{where}; each kind of core reaches only its own memories and GM",
        fix=fix,
    )


def in_scope(op: Operation) -> bool:
    """Whether an op stands in a `T.Scope`."""
    return _enclosing_scope(op) is not None


def _reason(op: Operation) -> str:
    touched = [op.result] if isinstance(op, tl.AllocOp) else list(op.operands)
    tiles = [v for v in touched if isinstance(v.type, MemRefType) and space_of(v) in _SPACE_CORES]
    return f"because {name_of(tiles[0])} lies in {SPACE_WORDS[space_of(tiles[0])]}"


def _enclosing_scope(op: Operation) -> tl.ScopeOp | None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, tl.ScopeOp):
        parent = parent.parent_op()
    return parent


def _has_scopes(op: Operation) -> bool:
    top = op
    while (parent := top.parent_op()) is not None:
        top = parent
    return any(isinstance(inner, tl.ScopeOp) for inner in top.walk())
