"""From the arguments of a call to what an executor gets: checked, unwrapped, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from numbers import Integral, Real
from typing import cast

import torch

from tlcourse import device, extents
from tlcourse.config import read_config
from tlcourse.diagnostics import SourceMap
from tlcourse.jit import symbols
from tlcourse.jit.binding_errors import BindingErrors
from tlcourse.jit.dtypes import TORCH_DTYPES, int_range, poisoned
from tlcourse.records import Parameter, Signature

Number = int | float


@dataclass(frozen=True, kw_only=True)
class Bound:
    """Arguments ready for an executor.

    Args:
        buffers: one entry per parameter but the symbols: a contiguous CPU tensor, or a number.
        symbols: value of each symbol.
        outputs: the tensors that the call returns, in the order of out_idx.
    """

    buffers: tuple[torch.Tensor | Number, ...]
    symbols: Mapping[str, int]
    outputs: tuple[torch.Tensor, ...]


def bind(
    signature: Signature,
    arguments: Sequence[object],
    sources: SourceMap,
    *,
    written: frozenset[str] = frozenset(),
    unused: frozenset[str] = frozenset(),
    allow_cpu: bool = False,
    shapes_only: bool = False,
) -> Bound:
    """Checks a call's arguments and gives them the form that executors take, without copies.

    Args:
        signature: the kernel.
        arguments: one per parameter that is neither a symbol nor an output.
        sources: the texts that the signature's spans point into.
        written: names of the parameters that the kernel writes.
        unused: names of the tensors that it neither reads nor writes; they may be None.
        allow_cpu: let CPU tensors pass; outputs are CPU tensors then.
        shapes_only: tensors become tensors without numbers; extents may stand for one.

    Raises:
        TL401, TL402: another number of arguments; one is None, and the kernel uses it.
        TL403: a number for a tensor, or the other way round.
        TL404: a tensor is not on the npu.
        TL405, TL406: a tensor has another dtype; it is not contiguous.
        TL407, TL408: a shape differs from the declared one; shapes disagree about a symbol.
        TL409: a tensor that is written shares memory with another one.
        TL411: a scalar does not fit its dtype.
        TL412: the shape of an output, or of a tensor left out, does not follow from the others.
    """
    errors = BindingErrors(signature=signature, sources=sources)
    matched = _matched(signature, arguments, errors, shapes_only=shapes_only)
    left_out = [p for p, argument in matched if argument is None and p.name in unused]
    given = [(p, argument) for p, argument in matched if p not in left_out]
    places = _places(allow_cpu=allow_cpu, shapes_only=shapes_only)
    values = {p.name: _value(p, argument, places, errors) for p, argument in given}
    tensors = [(p, v) for p, _ in given if isinstance(v := values[p.name], torch.Tensor)]
    known = _symbol_values(signature, tensors, values, errors)
    on_npu = places == ("npu",) or any(a is not values[p.name] for p, a in given)
    make = _empty if shapes_only else poisoned
    made = {p.name: make(_shape(p, known, errors), p.dtype) for p in outputs_of(signature)}
    rest = {p.name: make(_shape(p, known, errors), p.dtype) for p in left_out}
    _check_overlaps(tensors, written, errors)
    buffers = values | made | rest
    return Bound(
        buffers=tuple(buffers[p.name] for p in signature.parameters if p.kind != "symbol"),
        symbols={p.name: known[p.name] for p in signature.parameters if p.kind == "symbol"},
        outputs=tuple(device.wrap(t) if on_npu and not t.is_meta else t for t in made.values()),
    )


def check_names(signature: Signature, named: Mapping[str, object], sources: SourceMap) -> None:
    """Refuses arguments that are given by name.

    Args:
        signature: the kernel.
        named: the arguments, by the names given.
        sources: the texts that the signature's spans point into.

    Raises:
        TL413: there is one.
    """
    if named:
        errors = BindingErrors(signature=signature, sources=sources)
        raise errors.named(inputs_of(signature), next(iter(named)))


def inputs_of(signature: Signature) -> list[Parameter]:
    """The parameters that take an argument of a launch, in order."""
    outputs = outputs_of(signature)
    return [p for p in signature.parameters if p.kind != "symbol" and p not in outputs]


def outputs_of(signature: Signature) -> list[Parameter]:
    """The parameters that a launch allocates and returns, in the order of out_idx."""
    return [signature.parameters[index] for index in signature.out_idx]


def _matched(
    signature: Signature,
    arguments: Sequence[object],
    errors: BindingErrors,
    *,
    shapes_only: bool,
) -> list[tuple[Parameter, object]]:
    wanted = inputs_of(signature)
    if len(arguments) != len(wanted):
        raise errors.count(wanted, outputs_of(signature), len(arguments))
    matched = list(zip(wanted, arguments, strict=True))
    return [(p, without_numbers(p, one)) for p, one in matched] if shapes_only else matched


def _places(*, allow_cpu: bool, shapes_only: bool) -> tuple[str, ...]:
    """The devices that tensors may be on."""
    return ("meta",) if shapes_only else ("npu", "cpu") if allow_cpu else ("npu",)


def without_numbers(parameter: Parameter, argument: object) -> object:
    """A tensor on the meta device for a tensor or for a tuple of extents; all else as it is."""
    if isinstance(argument, torch.Tensor):
        sizes, strides = argument.shape, argument.stride()
        return torch.empty_strided(sizes, strides, dtype=argument.dtype, device="meta")
    if parameter.kind != "tensor" or type(argument) not in (tuple, list, torch.Size):
        return argument
    given = cast("Sequence[object]", argument)
    shape = tuple(extent for extent in given if isinstance(extent, int) and extent >= 0)
    return _empty(shape, parameter.dtype) if len(shape) == len(given) else given


def _empty(shape: tuple[int, ...], dtype: str) -> torch.Tensor:
    return torch.empty(shape, dtype=TORCH_DTYPES[dtype], device="meta")


def _value(
    parameter: Parameter, argument: object, places: Sequence[str], errors: BindingErrors
) -> torch.Tensor | Number:
    if argument is None:
        raise errors.missing(parameter)
    if isinstance(argument, torch.Tensor) != (parameter.kind == "tensor"):
        raise errors.kind(parameter, argument)
    if isinstance(argument, torch.Tensor):
        return _tensor(parameter, argument, places, errors)
    return _number(parameter, argument, errors)


def _tensor(
    parameter: Parameter, tensor: torch.Tensor, places: Sequence[str], errors: BindingErrors
) -> torch.Tensor:
    if tensor.device.type not in places:
        raise errors.device(parameter, tensor)
    if tensor.dtype != TORCH_DTYPES[parameter.dtype]:
        raise errors.dtype(parameter, tensor)
    if tensor.dim() != len(parameter.extents) and _is_memory(tensor):
        # On the device the declared shape alone decides where a row lies.
        rank = len(parameter.extents)
        tensor = tensor.view(*tensor.shape, *(1,) * (rank - tensor.dim()))
        tensor = tensor.flatten(0, tensor.dim() - rank)
    if tensor.dim() != len(parameter.extents):
        raise errors.rank(parameter, tensor)
    if tensor.layout != torch.strided or not tensor.is_contiguous():
        raise errors.layout(parameter, tensor)
    return tensor if tensor.is_meta else device.unwrap(tensor)


def _is_memory(tensor: torch.Tensor) -> bool:
    """Whether a tensor counts as plain memory: contiguous, with the bounds of the device."""
    return read_config().bounds == "device" and tensor.is_contiguous()


def _number(parameter: Parameter, argument: object, errors: BindingErrors) -> Number:
    if not isinstance(argument, Real):
        raise errors.kind(parameter, argument)
    if "float" in parameter.dtype:
        return argument.__float__()
    if not isinstance(argument, Integral):
        raise errors.scalar(parameter, argument)
    least, most = (0, 1) if parameter.dtype == "bool" else int_range(parameter.dtype)
    if not least <= argument.__int__() <= most:
        raise errors.scalar(parameter, argument)
    return argument.__int__()


def _symbol_values(
    signature: Signature,
    tensors: Sequence[tuple[Parameter, torch.Tensor]],
    values: Mapping[str, object],
    errors: BindingErrors,
) -> dict[str, int]:
    """Values of symbols and integer scalars; every dimension is compared with its extent."""
    names = [p for p in signature.parameters if p.kind == "symbol"]
    origins = symbols.bind([p.name for p in names], [(p, tuple(t.shape)) for p, t in tensors])
    known = {name: value for name, value in values.items() if isinstance(value, int)}
    known |= {name: origin.value for name, origin in origins.items()}
    for parameter, tensor in tensors:
        for dimension, size in enumerate(tensor.shape):
            _check_dimension(parameter, dimension, size, known, origins, errors)
    for parameter in names:
        if parameter.name not in known:
            raise errors.unknown(parameter, parameter.name)
    return known


def _check_dimension(
    parameter: Parameter,
    dimension: int,
    size: int,
    known: Mapping[str, int],
    origins: Mapping[str, symbols.Origin],
    errors: BindingErrors,
) -> None:
    extent = parameter.extents[dimension]
    names = extents.symbols(extent)
    wanted = _evaluated(extent, known)
    if wanted == size:
        return
    unknown = [name for name in names if name not in known]
    if unknown:
        raise errors.unsolved(parameter, dimension, size, unknown[0])
    origin = next((origins[name] for name in names if name in origins), None)
    if origin is None and wanted is not None and dimension == 0 and size > wanted:
        # More rows than declared: on the device a kernel may reach them, see `bounds`.
        if read_config().bounds == "device":
            return
    if origin is None:
        raise errors.extent(parameter, dimension, size, wanted)
    raise errors.symbol(parameter, dimension, size, wanted, origin)


def _evaluated(extent: str, known: Mapping[str, int]) -> int | None:
    """The value of an extent; None where a symbol is unknown or it divides by zero."""
    try:
        return extents.evaluate(extent, known)
    except (KeyError, ZeroDivisionError):
        return None


def _shape(
    parameter: Parameter, known: Mapping[str, int], errors: BindingErrors
) -> tuple[int, ...]:
    """The extents of a tensor that nobody gives."""
    shape: list[int] = []
    for extent in parameter.extents:
        size = _evaluated(extent, known)
        if size is None or size < 0:
            raise errors.unknown(parameter, extent)
        shape.append(size)
    return tuple(shape)


def _check_overlaps(
    tensors: Sequence[tuple[Parameter, torch.Tensor]],
    written: frozenset[str],
    errors: BindingErrors,
) -> None:
    for (first, here), (second, there) in combinations(tensors, 2):
        if not written & {first.name, second.name} or not share_memory(here, there):
            continue
        raise errors.overlap(*((first, second) if first.name in written else (second, first)))


def share_memory(here: torch.Tensor, there: torch.Tensor) -> bool:
    """Whether the bytes of two contiguous tensors overlap; without numbers there are none."""
    if here.is_meta:
        return False
    starts = here.data_ptr(), there.data_ptr()
    ends = starts[0] + here.nbytes, starts[1] + there.nbytes
    return max(starts) < min(ends)
