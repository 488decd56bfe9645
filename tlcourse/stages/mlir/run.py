"""Calls a function of a module, as the passes from tosa to llvm leave it, on torch tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType
from xdsl.ir import Attribute

from tlcourse.diagnostics import SourceMap
from tlcourse.stages.mlir.faults import wrong_arguments
from tlcourse.stages.mlir.machine import Function, Machine
from tlcourse.stages.mlir.values import Address, Array, Value, address, element_dtype, unwritten

_SHORT = {"float16": "f16", "float32": "f32", "float64": "f64", "bool": "i1"}


@dataclass(frozen=True, kw_only=True)
class TensorKind:
    """Shape and dtype of a tensor that goes in or comes out."""

    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]

    def __str__(self) -> str:
        """As MLIR writes it."""
        words = _SHORT.get(self.dtype.name, self.dtype.name.replace("int", "i"))
        return "tensor<" + "".join(f"{extent}x" for extent in self.shape) + f"{words}>"


@dataclass(frozen=True, kw_only=True)
class Border:
    """What a function takes and gives back while it still speaks of tensors."""

    name: str
    inputs: tuple[TensorKind, ...]
    outputs: tuple[TensorKind, ...]


def border_of(function: func.FuncOp) -> Border:
    """Reads it off a function.

    Raises:
        TL364: something but tensors of fixed extents goes in or out.
    """
    name = function.sym_name.data
    kinds = function.function_type
    return Border(
        name=name,
        inputs=tuple(_kind(name, one) for one in kinds.inputs.data),
        outputs=tuple(_kind(name, one) for one in kinds.outputs.data),
    )


def _kind(name: str, kind: Attribute) -> TensorKind:
    number = element_dtype(kind)
    shape = kind.get_shape() if isinstance(kind, TensorType) else (DYNAMIC_INDEX,)
    if number is None or DYNAMIC_INDEX in shape:
        raise wrong_arguments(name, f"{kind} is no tensor of fixed extents whose numbers are known")
    return TensorKind(shape=shape, dtype=number)


def call(
    module: ModuleOp,
    border: Border,
    tensors: Sequence[torch.Tensor],
    sources: SourceMap | None = None,
) -> tuple[torch.Tensor, ...]:
    """Runs a function on tensors, whatever it has become.

    Its results come back as results, or it writes them into parameters behind the others.

    Args:
        module: the module at any stage; not changed.
        border: what the function took and gave at the first stage.
        tensors: one contiguous CPU tensor per parameter of the first stage; not changed.
        sources: the texts that locations point into.

    Raises:
        TL362: an op cannot be run.
        TL363: memory outside of a buffer is touched.
        TL364: the tensors are not those of the first stage, or the function has gone.
        TL365: the function does not end.
    """
    _check(border, tensors)
    machine = Machine(module, sources or {})
    function = machine.function(border.name)
    if function is None:
        raise wrong_arguments(border.name, "the module has no such function any more")
    outputs = [unwritten(one.shape, one.dtype) for one in border.outputs]
    inputs = [cast("Array", one.detach().clone().numpy()) for one in tensors]
    given = _arguments(function, [*inputs, *outputs], len(inputs))
    results = machine.call(function, given)
    made = [one for one in results if isinstance(one, np.ndarray)] or outputs
    return tuple(torch.from_numpy(np.ascontiguousarray(one)) for one in made)


def _arguments(function: Function, arrays: list[Array], inputs: int) -> list[Value]:
    count = len(function.body.blocks[0].args)
    if count not in (inputs, len(arrays)):
        why = f"it takes {count} arguments by now, and {inputs} or {len(arrays)} were expected"
        raise wrong_arguments(function.sym_name.data, why)
    if isinstance(function, func.FuncOp):
        return list(arrays[:count])
    places: list[Address] = [address(one) for one in arrays[:count]]
    return list(places)


def _check(border: Border, tensors: Sequence[torch.Tensor]) -> None:
    given = [
        TensorKind(shape=tuple(one.shape), dtype=np.dtype(str(one.dtype).removeprefix("torch.")))
        if one.dtype is not torch.bfloat16
        else None
        for one in tensors
    ]
    if tuple(given) != border.inputs:
        wanted = ", ".join(map(str, border.inputs))
        got = ", ".join("bfloat16" if one is None else str(one) for one in given)
        raise wrong_arguments(border.name, f"it takes ({wanted}), and was given ({got})")
