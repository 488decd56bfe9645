"""Which dtype comes out when two scalars meet, and how one dtype is turned into another."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, Float32Type, IntegerType
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects.dtypes import DTYPES
from tlcourse.language.builder import builder
from tlcourse.language.names import near_name

INDEX = "int32"
Conversion = Callable[[SSAValue], Operation]


def check_dtype(dtype: object) -> str:
    """A dtype name that exists.

    Raises:
        TL116: there is no such dtype.
    """
    name = short_name(dtype) if isinstance(dtype, str) else ""
    if name in DTYPES:
        return name
    shown = str(dtype) if isinstance(dtype, str) else f"{dtype!r} ({type(dtype).__name__})"
    raise builder().fail(
        "TL116",
        f"there is no dtype {shown}",
        why=f"the dtypes are {', '.join(DTYPES)}",
        fix=f"{near_name(shown, DTYPES)}write the dtype as a text, for example 'float16'",
        at={"dtype": ""},
    )


def short_name(dtype: str) -> str:
    """The name of a dtype; TVM's `float` and `int`, without a width, have 32 bits."""
    return {"float": "float32", "int": "int32"}.get(str(dtype), str(dtype))


def is_float(dtype: str) -> bool:
    """Whether a dtype is a floating point one."""
    return "float" in dtype


def is_integer(dtype: str) -> bool:
    """Whether a dtype is an integer one; bool is not."""
    return "int" in dtype


def is_unsigned(dtype: str) -> bool:
    """Whether a dtype has no negative values; bool counts."""
    return dtype.startswith("u") or dtype == "bool"


def promote(left: str, right: str) -> str:
    """The dtype in which two scalars are combined: floats win, then the wider one."""
    if left == right:
        return left
    if {left, right} == {"float16", "bfloat16"}:
        return "float32"
    return max(left, right, key=_rank)


def dtype_of_number(value: int | float, partner: str) -> str:
    """The dtype of a Python number beside a scalar of dtype `partner`."""
    if isinstance(value, bool):
        return "bool" if partner == "bool" else partner
    if isinstance(value, int):
        return INDEX if partner == "bool" else partner
    return partner if is_float(partner) else "float32"


def convert(value: SSAValue, source: str, target: str) -> SSAValue:
    """A scalar of dtype `source` as one of dtype `target`; floats turn to integers towards zero."""
    if source == target or DTYPES[source].mlir == DTYPES[target].mlir:
        return value
    if target == "bool":
        return _is_not_zero(value, source)
    kind = DTYPES[target].mlir
    return builder().emit(_conversion(source, target)(value, kind)).results[0]


def _rank(dtype: str) -> tuple[bool, int, bool]:
    bits = 1 if dtype == "bool" else DTYPES[dtype].bits
    return is_float(dtype), bits, dtype.startswith("u")


def _is_not_zero(value: SSAValue, source: str) -> SSAValue:
    zero = builder().constant(0, source)
    if is_float(source):
        return builder().emit(arith.CmpfOp(value, zero, "une")).result
    return builder().emit(arith.CmpiOp(value, zero, "ne")).result


def _conversion(source: str, target: str) -> Callable[..., Operation]:
    if is_float(source) and is_float(target):
        return _float_to_float(source, target)
    if is_float(source):
        return arith.FPToUIOp if is_unsigned(target) else arith.FPToSIOp
    if is_float(target):
        return arith.UIToFPOp if is_unsigned(source) else arith.SIToFPOp
    if _width(source) > _width(target):
        return arith.TruncIOp
    return arith.ExtUIOp if is_unsigned(source) else arith.ExtSIOp


def _float_to_float(source: str, target: str) -> Callable[..., Operation]:
    if DTYPES[source].bits == DTYPES[target].bits:
        return _through_float32
    return arith.ExtFOp if DTYPES[source].bits < DTYPES[target].bits else arith.TruncFOp


def _through_float32(value: SSAValue, kind: AnyFloat) -> Operation:
    wide = builder().emit(arith.ExtFOp(value, Float32Type()))
    return arith.TruncFOp(wide.result, kind)


def _width(dtype: str) -> int:
    kind = DTYPES[dtype].mlir
    return cast("IntegerType", kind).width.data
