"""The table of vector ops: one row holds an op's names, meaning, dtypes and cost class.

The row is all there is to know about a regular op. The T functions, the `tl` and `hivm` op
classes, both executors and the parametrised tests are made from it. `meaning` is a template
over torch: `{0}`, `{1}` are the sources and `{o}` the destination, all views of one dtype
and of shapes that broadcast to the destination's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CostClass = Literal["simple", "cast", "transcendental", "reduce", "scalar"]

FLOATS = ("float16", "float32")
INTS = ("int8", "int16", "int32", "int64")
NUMBERS = INTS + FLOATS


@dataclass(frozen=True, kw_only=True)
class VectorOp:
    """One vector op.

    Args:
        mnemonic: name in HIVM and of the T function, for example `vadd`.
        alias: the older T name, for example `npuir_add`.
        arity: number of sources.
        meaning: torch statement for floating point dtypes.
        integer_meaning: torch statement for integers, where it differs.
        dtypes: TileLang dtypes that the HIVM verifier admits.
        cost: cost class of the timing model.
        scalar_source: the last source may be a scalar.
        doc: one line for the T function, in terms of A, B and C.
    """

    mnemonic: str
    alias: str
    arity: int
    meaning: str
    integer_meaning: str = ""
    dtypes: tuple[str, ...] = NUMBERS
    cost: CostClass = "simple"
    scalar_source: bool = False
    doc: str

    def torch_statement(self, dtype: str) -> str:
        """The statement that computes the op in `dtype`."""
        return self.integer_meaning if self.integer_meaning and "int" in dtype else self.meaning


def _binary(
    mnemonic: str,
    meaning: str,
    doc: str,
    *,
    integer_meaning: str = "",
    dtypes: tuple[str, ...] = NUMBERS,
    cost: CostClass = "simple",
) -> VectorOp:
    return VectorOp(
        mnemonic=mnemonic,
        alias="npuir_" + mnemonic[1:],
        arity=2,
        meaning=meaning,
        integer_meaning=integer_meaning,
        dtypes=dtypes,
        cost=cost,
        scalar_source=True,
        doc=doc,
    )


def _unary(
    mnemonic: str,
    meaning: str,
    doc: str,
    *,
    dtypes: tuple[str, ...] = FLOATS,
    cost: CostClass = "simple",
) -> VectorOp:
    return VectorOp(
        mnemonic=mnemonic,
        alias="npuir_" + mnemonic[1:],
        arity=1,
        meaning=meaning,
        dtypes=dtypes,
        cost=cost,
        doc=doc,
    )


_ROWS = (
    _binary("vadd", "torch.add({0}, {1}, out={o})", "C = A + B."),
    _binary("vsub", "torch.sub({0}, {1}, out={o})", "C = A - B."),
    _binary("vmul", "torch.mul({0}, {1}, out={o})", "C = A * B."),
    _binary(
        "vdiv",
        "torch.div({0}, {1}, out={o})",
        "C = A / B; integers divide towards zero.",
        integer_meaning="torch.div({0}, {1}, rounding_mode='trunc', out={o})",
        cost="transcendental",
    ),
    _binary("vmax", "torch.maximum({0}, {1}, out={o})", "C = max(A, B); NaN wins."),
    _binary("vmin", "torch.minimum({0}, {1}, out={o})", "C = min(A, B); NaN wins."),
    _unary("vexp", "torch.exp({0}, out={o})", "B = e ** A.", cost="transcendental"),
    _unary("vln", "torch.log({0}, out={o})", "B = ln A.", cost="transcendental"),
    _unary("vsqrt", "torch.sqrt({0}, out={o})", "B = sqrt(A).", cost="transcendental"),
    _unary("vrsqrt", "torch.rsqrt({0}, out={o})", "B = 1 / sqrt(A).", cost="transcendental"),
    _unary("vrec", "torch.reciprocal({0}, out={o})", "B = 1 / A.", cost="transcendental"),
    _unary("vabs", "torch.abs({0}, out={o})", "B = |A|.", dtypes=NUMBERS),
    _unary(
        "vrelu",
        "torch.clamp_min({0}, 0, out={o})",
        "B = max(A, 0).",
        dtypes=(*FLOATS, "int32"),
    ),
)

VECTOR_OPS: dict[str, VectorOp] = {row.mnemonic: row for row in _ROWS}
