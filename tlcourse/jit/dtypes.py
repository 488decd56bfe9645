"""Dtypes of kernel parameters as torch and Python know them. Needs neither xDSL nor dialects."""

from __future__ import annotations

import math

import torch

TORCH_DTYPES: dict[str, torch.dtype] = {
    "float16": torch.float16,
    "float32": torch.float32,
    "float64": torch.float64,
    "bfloat16": torch.bfloat16,
    "int8": torch.int8,
    "int16": torch.int16,
    "int32": torch.int32,
    "int64": torch.int64,
    "uint8": torch.uint8,
    "uint16": torch.uint16,
    "uint32": torch.uint32,
    "uint64": torch.uint64,
    "bool": torch.bool,
}

SHORT_DTYPES: dict[str, str] = {
    "float16": "fp16",
    "float32": "fp32",
    "float64": "fp64",
    "bfloat16": "bf16",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "bool": "i1",
}
"""Dtypes in the short words of a kernel object's `signature`."""

_POISON_BYTE = 0x7B


def torch_name(dtype: torch.dtype) -> str:
    """A torch dtype by its bare name, such as `float16`."""
    return str(dtype).removeprefix("torch.")


def int_range(dtype: str) -> tuple[int, int]:
    """The least and the greatest value of an integer dtype."""
    info = torch.iinfo(TORCH_DTYPES[dtype])
    return info.min, info.max


def poisoned(shape: tuple[int, ...], dtype: str) -> torch.Tensor:
    """A new CPU tensor whose every element says that nobody wrote it: NaN, 0x7B7B.. or True."""
    tensor = torch.empty(shape, dtype=TORCH_DTYPES[dtype])
    if tensor.is_floating_point():
        return tensor.fill_(math.nan)
    tensor.view(torch.uint8).fill_(1 if dtype == "bool" else _POISON_BYTE)
    return tensor
