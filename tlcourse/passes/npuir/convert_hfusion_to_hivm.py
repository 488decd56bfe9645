"""Pass convert-hfusion-to-hivm: ops on whole tensors become vector instructions."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tlcourse.dialects.hfusion import ElemwiseOp
from tlcourse.dialects.hivm.vector import ELEMENTWISE
from tlcourse.dialects.rewriting import replace
from tlcourse.passes.npuir.linalg_moves import MOVES, lowered

# Source: what bishengir-opt 1.2.0 converts, tried word by word.
_LINALG = {
    "exp": "vexp",
    "log": "vln",
    "abs": "vabs",
    "add": "vadd",
    "sub": "vsub",
    "mul": "vmul",
    "div": "vdiv",
    "max_signed": "vmax",
    "min_signed": "vmin",
    "max_unsigned": "vmax",
    "min_unsigned": "vmin",
}
_HFUSION = {
    "relu": "vrelu",
    "sqrt": "vsqrt",
    "rsqrt": "vrsqrt",
    "rec": "vrec",
    "vnot": "vnot",
    "vor": "vor",
    "vand": "vand",
    "minf": "vmin",
    "maxf": "vmax",
    "absi": "vabs",
    "powi": "vpow",
}
_TABLES = {"linalg": _LINALG, "hfusion": _HFUSION}


@dataclass(frozen=True)
class ConvertHFusionToHIVMPass(ModulePass):
    """What an elementwise op computes has a vector instruction of the same meaning.

    ```
    linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(%x) outs(%e) -> tensor<224xf32>
      -->
    hivm.hir.vexp ins(%x) outs(%e) -> tensor<224xf32>
    ```

    Algorithm: the word of the op is looked up in a table. A function without an instruction of
    its own stays as it is; upstream's hfusion-normalize-ops writes such a one as several
    others before.

    linalg's fill, copy, transpose and broadcast become vbrc, copy and vtranspose; a tile to be
    repeated gets extents of 1 first.

    Differs from upstream: linalg's reduce and matmul are left to code generation, which writes
    HIVM ops for them at once.
    """

    name = "convert-hfusion-to-hivm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in [inner for inner in op.walk() if isinstance(inner, ElemwiseOp)]:
            dialect = inner.name.split(".")[0]
            mnemonic = _TABLES[dialect].get(inner.word, "")
            if mnemonic in ELEMENTWISE:
                replace(inner, [ELEMENTWISE[mnemonic](inner.inputs, inner.outputs[0])])
        for inner in [inner for inner in op.walk() if isinstance(inner, MOVES)]:
            replace(inner, lowered(inner))
