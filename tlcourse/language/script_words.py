"""The language's words for Tile IR's scalar ops and scopes, for printing a kernel as text."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import arith
from xdsl.ir import Operation

ALLOCATIONS: Mapping[str, str] = {
    "shared": "alloc_ub",
    "shared.dyn": "alloc_shared",
    "local.fragment": "alloc_fragment",
    "local": "alloc_local",
    "local.var": "alloc_var",
    "wmma.accumulator": "alloc_L0C",
    "wmma.matrix_a": "alloc_L0A",
    "wmma.matrix_b": "alloc_L0B",
}
INFIX: Mapping[str, str] = {
    "arith.addi": "+",
    "arith.addf": "+",
    "arith.subi": "-",
    "arith.subf": "-",
    "arith.muli": "*",
    "arith.mulf": "*",
    "arith.divf": "/",
    "arith.floordivsi": "//",
    "arith.divui": "//",
    "arith.remui": "%",
    "tl.floormod": "%",
    "arith.andi": "&",
    "arith.ori": "|",
    "arith.xori": "^",
    "arith.shli": "<<",
    "arith.shrsi": ">>",
    "arith.shrui": ">>",
}
FUNCTIONS: Mapping[str, str] = {
    "arith.minsi": "T.min",
    "arith.minui": "T.min",
    "arith.minimumf": "T.min",
    "arith.maxsi": "T.max",
    "arith.maxui": "T.max",
    "arith.maximumf": "T.max",
    "arith.select": "T.if_then_else",
    "math.exp": "T.exp",
    "math.exp2": "T.exp2",
    "math.log": "T.log",
    "math.log2": "T.log2",
    "math.sqrt": "T.sqrt",
    "math.rsqrt": "T.rsqrt",
    "math.absf": "T.abs",
    "math.absi": "T.abs",
}
CONVERSIONS = frozenset(
    f"arith.{word}"
    for word in (
        "extf",
        "truncf",
        "sitofp",
        "uitofp",
        "fptosi",
        "fptoui",
        "extsi",
        "extui",
        "trunci",
    )
)
# By the number that the comparison holds.
PREDICATES: Mapping[type[Operation], Mapping[int, str]] = {
    arith.CmpiOp: {
        0: "==",
        1: "!=",
        2: "<",
        3: "<=",
        4: ">",
        5: ">=",
        6: "<",
        7: "<=",
        8: ">",
        9: ">=",
    },
    arith.CmpfOp: {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 6: "!=", 13: "!="},
}
