"""From composite tile ops to the basic ones that an executor or a code generator knows.

Tile IR holds a composite as one op until after the TIR phase, as the learner wrote it. All
that runs or translates Tile IR expands it first, so that every way computes the same steps.
Temporaries lie where the composite's destination lies; a step bears the composite's location.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects.builtin import IntegerType, MemRefType, ModuleOp
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.dialects.composites import COMPOSITES
from tlcourse.dialects.conversions import expand_cast, is_one_cast
from tlcourse.dialects.move_expansions import expand_reduce, expand_transpose
from tlcourse.dialects.power import power
from tlcourse.dialects.vector_ops import ALL_OPS
from tlcourse.dialects.workbench import Workbench

Expansion = Callable[[Any], None]


def expanded(module: ModuleOp) -> ModuleOp:
    """A module without composites: a clone, or the module itself where it has none."""
    if not any(_has_steps(op) for op in module.walk()):
        return module
    clone = module.clone()
    expand(clone)
    return clone


def expand(module: ModuleOp) -> None:
    """Replaces each composite of a module by its steps and their temporaries."""
    for op in [op for op in module.walk() if _has_steps(op)]:
        _EXPANSIONS[type(op)](op)


def _has_steps(op: Operation) -> bool:
    return type(op) in _EXPANSIONS and not (isinstance(op, tl.CastOp) and is_one_cast(op))


def _by_steps(op: tl.ElementwiseOp) -> None:
    COMPOSITES[op.row.mnemonic](Workbench(op), op)
    op.detach()
    op.erase()


def _power(op: tl.ElementwiseOp) -> None:
    """Powers of integers are an instruction, those of floats are not."""
    if isinstance(tl.memref_of(op.destination).element_type, IntegerType):
        _widen(op)
        return
    power(Workbench(op), op)
    op.detach()
    op.erase()


def _widen(op: tl.ElementwiseOp) -> None:
    """Repeats sources that the instruction would have to repeat and cannot."""
    bench, wide = Workbench(op), dict[SSAValue, SSAValue]()
    for index, source in enumerate(op.sources):
        if _is_narrow(source, op.destination):
            wide[source] = wide[source] if source in wide else bench.filled(source)
            op.operands[index] = wide[source]


def _is_narrow(source: SSAValue, destination: SSAValue) -> bool:
    if not isinstance(source.type, MemRefType):
        return False
    have, want = tl.memref_of(source).get_shape(), tl.memref_of(destination).get_shape()
    pairs = zip(reversed(have), reversed(want), strict=False)
    return any(extent == 1 and wanted != 1 for extent, wanted in pairs)


def _elementwise() -> dict[type[Operation], Expansion]:
    classes = tl.ELEMENTWISE | tl.CHOICES
    composites: dict[type[Operation], Expansion] = {classes[name]: _by_steps for name in COMPOSITES}
    return composites | {
        classes[name]: _widen
        for name, row in ALL_OPS.items()
        if name not in COMPOSITES and not row.repeats
    }


_EXPANSIONS: Mapping[type[Operation], Expansion] = {
    **_elementwise(),
    tl.ELEMENTWISE["vpow"]: _power,
    tl.ReduceOp: expand_reduce,
    tl.TransposeOp: expand_transpose,
    tl.CastOp: expand_cast,
}
