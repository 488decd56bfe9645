"""The dtype table: TileLang names, MLIR types, torch names and widths. Nothing else exists."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
)
from xdsl.ir import Attribute


@dataclass(frozen=True, kw_only=True)
class Dtype:
    """One row: `bits` in memory of GM; on chip a bool takes one bit."""

    name: str
    mlir: Attribute
    torch: str
    bits: int


def _row(name: str, mlir: Attribute, bits: int) -> Dtype:
    return Dtype(name=name, mlir=mlir, torch=name, bits=bits)


DTYPES: dict[str, Dtype] = {
    row.name: row
    for row in (
        _row("float16", Float16Type(), 16),
        _row("float32", Float32Type(), 32),
        _row("float64", Float64Type(), 64),
        _row("bfloat16", BFloat16Type(), 16),
        _row("int8", IntegerType(8), 8),
        _row("int16", IntegerType(16), 16),
        _row("int32", IntegerType(32), 32),
        _row("int64", IntegerType(64), 64),
        _row("uint8", IntegerType(8), 8),
        _row("uint16", IntegerType(16), 16),
        _row("uint32", IntegerType(32), 32),
        _row("uint64", IntegerType(64), 64),
        _row("bool", IntegerType(1), 8),
    )
}

_BY_MLIR = {row.mlir: row for row in reversed(DTYPES.values())}


def dtype_of(mlir: Attribute) -> Dtype:
    """The row of an MLIR element type; integers without a sign read as signed.

    Raises:
        KeyError: the language has no such dtype.
    """
    return _BY_MLIR[mlir]
