"""The table of vector ops: one row holds an op's names, meaning, dtypes and cost class.

The row is all there is to know about a regular op. The T functions, the `tl` and `hivm` op
classes, both executors and the parametrised tests are made from it. `meaning` is a template
over torch: `{0}`, `{1}` are the sources and `{o}` the destination, all views of one dtype
and of shapes that broadcast to the destination's. `numeric` is `tlcourse.tile_math`.

VECTOR_OPS are instructions of one form; CHOICE_OPS are instructions with a bool tile or a
property of their own, COMPOSITE_OPS become several instructions after the TIR phase.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CostClass = Literal["simple", "cast", "transcendental", "reduce", "scalar"]

FLOATS = ("float16", "float32")
WIDE_INTS = ("int16", "int32", "int64")
INTS = ("int8", *WIDE_INTS)
NUMBERS = WIDE_INTS + FLOATS
BITS = (
    "bool",
    *(f"{sign}int{width}" for width in (8, 16, 32, 64) for sign in ("", "u")),
)
STORED = (*BITS, "float16", "bfloat16", "float32")

Mask = Literal["", "source", "destination"]


@dataclass(frozen=True, kw_only=True)
class VectorOp:
    """One vector op.

    Args:
        mnemonic: name in HIVM and of the T function, for example `vadd`.
        alias: the older T name, for example `npuir_add`.
        arity: number of sources.
        meaning: torch statement; empty for composites, which are expanded before they run.
        integer_meaning: torch statement for integers, where it differs.
        bits_meaning: torch statement for floats taken as their bits; `BITS` is the integer dtype.
        dtypes: TileLang dtypes that the HIVM verifier admits.
        cost: cost class of the timing model.
        scalar_source: the last source may be a scalar.
        repeats: the instruction repeats sources along extents of 1.
        mask: the first source, or the destination, is a bool tile.
        doc: one line for the T function, in terms of A, B and C.
    """

    mnemonic: str
    alias: str
    arity: int
    meaning: str = ""
    integer_meaning: str = ""
    bits_meaning: str = ""
    dtypes: tuple[str, ...] = NUMBERS
    cost: CostClass = "simple"
    scalar_source: bool = False
    repeats: bool = True
    mask: Mask = ""
    doc: str

    def torch_statement(self, dtype: str) -> str:
        """The statement that computes the op in `dtype`."""
        if self.integer_meaning and "int" in dtype:
            return self.integer_meaning
        if self.bits_meaning and "float" in dtype:
            return self.bits_meaning.replace("BITS", f"torch.int{dtype[-2:]}")
        return self.meaning

    def through_float32(self, dtype: str) -> bool:
        """Whether the op on `dtype` is computed in float32, with casts around it."""
        return dtype == "bfloat16" and "float32" in self.dtypes and dtype not in self.dtypes


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


def _bitwise(mnemonic: str, doc: str, *, on_floats: bool) -> VectorOp:
    function = f"torch.bitwise_{mnemonic[1:]}"
    on_bits = f"{function}({{0}}.view(BITS), {{1}}.view(BITS), out={{o}}.view(BITS))"
    return VectorOp(
        mnemonic=mnemonic,
        alias="npuir_" + mnemonic[1:],
        arity=2,
        meaning=f"{function}({{0}}, {{1}}, out={{o}})",
        bits_meaning=on_bits if on_floats else "",
        dtypes=STORED if on_floats else BITS,
        repeats=on_floats,
        doc=doc,
    )


def _composite(
    mnemonic: str,
    doc: str,
    *,
    alias: str = "",
    arity: int = 1,
    dtypes: tuple[str, ...] = FLOATS,
) -> VectorOp:
    return VectorOp(
        mnemonic=mnemonic,
        alias=alias or "npuir_" + mnemonic[1:],
        arity=arity,
        dtypes=dtypes,
        scalar_source=arity == 2,
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
        dtypes=("int64", *FLOATS),
        cost="transcendental",
    ),
    _binary("vmax", "torch.maximum({0}, {1}, out={o})", "C = max(A, B); NaN wins."),
    _binary("vmin", "torch.minimum({0}, {1}, out={o})", "C = min(A, B); NaN wins."),
    _bitwise("vand", "C = A and B, bit by bit.", on_floats=True),
    _bitwise("vor", "C = A or B, bit by bit.", on_floats=True),
    _bitwise("vxor", "C = A xor B, bit by bit.", on_floats=False),
    _binary("vshl", "torch.bitwise_left_shift({0}, {1}, out={o})", "C = A << B.", dtypes=WIDE_INTS),
    VectorOp(
        mnemonic="vpow",
        alias="npuir_pow",
        arity=2,
        meaning="torch.pow({0}, {1}, out={o})",
        # The instruction is for int32; floats take steps.
        dtypes=("int32", *FLOATS),
        cost="scalar",
        repeats=False,
        doc="C = A ** B.",
    ),
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
    VectorOp(
        mnemonic="vnot",
        alias="npuir_not",
        arity=1,
        meaning="torch.bitwise_not({0}, out={o})",
        bits_meaning="torch.bitwise_not({0}.view(BITS), out={o}.view(BITS))",
        dtypes=STORED,
        doc="B = not A, bit by bit; floats by the bits that store them.",
    ),
)
_CHOICES = (
    VectorOp(
        mnemonic="vshr",
        alias="npuir_shr",
        arity=2,
        meaning="numeric.shift_right({o}, {0}, {1}, ROUND)",
        dtypes=WIDE_INTS,
        scalar_source=True,
        doc="C = A >> B, with the sign of A.",
    ),
    VectorOp(
        mnemonic="vcmp",
        alias="npuir_cmp",
        arity=2,
        meaning="torch.MODE({0}, {1}, out={o})",
        dtypes=NUMBERS,
        scalar_source=True,
        repeats=False,
        mask="destination",
        doc="C = A compared with B, a bool tile.",
    ),
    VectorOp(
        mnemonic="vselect",
        alias="npuir_select",
        arity=3,
        meaning="torch.where({0}, {1}, {2}, out={o})",
        dtypes=(*WIDE_INTS, "uint16", "uint32", "float16", "bfloat16", "float32"),
        mask="source",
        doc="Out = A where Cond, else B.",
    ),
)
_COMPOSITES = (
    _composite("vsigmoid", "B = 1 / (1 + e ** -A)."),
    _composite("vcos", "B = cos A, near 0: 1 - A^2/2 + A^4/24 - A^6/720.", alias="npuir_vcos"),
    _composite("vsin", "B = sin A, near 0: A - A^3/6 + A^5/120 - A^7/5040.", alias="npuir_vsin"),
    _composite(
        "verf",
        "B = erf A, near 0: 2/sqrt(pi) (A - A^3/3 + A^5/10 - A^7/42).",
        alias="npuir_verf",
    ),
    _composite("vfloor", "B = A, rounded down.", dtypes=("float16", "bfloat16", "float32")),
    _composite("vtanh", "B = tanh A, in float32.", alias="npuir_vtanh"),
    _composite("vfloordiv", "C = A / B, rounded down.", arity=2, dtypes=("int64", *FLOATS)),
)

VECTOR_OPS: dict[str, VectorOp] = {row.mnemonic: row for row in _ROWS}
CHOICE_OPS: dict[str, VectorOp] = {row.mnemonic: row for row in _CHOICES}
COMPOSITE_OPS: dict[str, VectorOp] = {row.mnemonic: row for row in _COMPOSITES}
ALL_OPS: dict[str, VectorOp] = VECTOR_OPS | CHOICE_OPS | COMPOSITE_OPS
