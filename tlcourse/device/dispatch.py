"""Runs a torch operation on npu tensors: on their CPU tensors, under the device's rules.

The rules are those of hardware: tensors of one operation lie on one device, a result
stays on the device unless another is asked for, a write reaches every view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from typing import cast

import torch

from tlcourse.device.doubles import warn_of_float64
from tlcourse.device.errors import UnsupportedError, mixed_devices, unsupported
from tlcourse.device.generator import cpu_draws_from_npu, npu_generator
from tlcourse.device.place import lies_on_npu
from tlcourse.device.torch_internals import Op, call_own_kernel, has_own_kernel, schema_of

_CPU = torch.device("cpu")
# The npu computes some operations on float16 and float32 together, the CPU refuses them.
_MIXED = (
    "expected scalar type Float but found Half",
    "to have the same dtype, but got: c10::Half != float",
    "to have the same dtype, but got: float != c10::Half",
)

# Argument positions that have to lie on the npu, where others may lie on the CPU.
_CHECKED: dict[str, tuple[int, ...]] = {
    "aten::copy_": (),
    "aten::_copy_from": (),
    "aten::set_": (),
    "aten::index": (0,),
    "aten::index_put": (0, 2),
    "aten::index_put_": (0, 2),
    "aten::_index_put_impl_": (0, 2),
}


class HostBacked(torch.Tensor):
    """A tensor whose numbers lie in another one, `raw`, on the CPU."""

    raw: torch.Tensor

    def follow_raw(self) -> None:
        """Takes over shape, strides and offset of `raw` after an operation changed them."""
        raise NotImplementedError


Wrap = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True, kw_only=True, slots=True)
class _OpFacts:
    """What an operation's schema says, read once.

    Args:
        name: its name, such as `aten::add`.
        writes: it changes one of its arguments.
        takes_device: it has the keyword `device`.
        takes_generator: it has the keyword `generator`.
        draws: it draws random numbers and has no such keyword.
        has_own_kernel: somebody registered a kernel of the npu for it.
        checked: positions whose tensors have to lie on the npu; None is all of them.
    """

    name: str
    writes: bool
    takes_device: bool
    takes_generator: bool
    draws: bool
    has_own_kernel: bool
    checked: tuple[int, ...] | None


def run(op: Op, args: Sequence[object], kwargs: dict[str, object], wrap: Wrap) -> object:
    """Runs `op` on the CPU tensors of its arguments and returns its results on the npu.

    Args:
        op: the operation.
        args: its arguments, npu tensors among them.
        kwargs: its keyword arguments.
        wrap: makes the npu tensor over a CPU tensor.

    Raises:
        TL440: npu and CPU tensors are mixed.
        TL442: the result is asked for on an npu that does not exist.
        TL444: torch has no such operation for the tensors that stand behind those of the npu.
        TL445: a generator of another device is given.
    """
    facts = _facts(op)
    if facts.has_own_kernel:
        return call_own_kernel(op, args, kwargs)
    _check_devices(facts, args)
    stays = not facts.takes_device or lies_on_npu(kwargs.get("device"))
    host_kwargs = {name: _host(arg) for name, arg in kwargs.items()}
    if facts.takes_device and stays:
        host_kwargs["device"] = _CPU
    if facts.takes_generator:
        host_kwargs["generator"] = npu_generator(host_kwargs.get("generator"))
    with _random_source(facts):
        result = _call(facts, op, [_host(arg) for arg in args], host_kwargs)
    if _is_float64(result) and not any(map(_is_float64, _tensors(args))):
        warn_of_float64()
    if facts.writes:
        wrap = _owner_of_written([*args, *kwargs.values()], wrap)
    return _on_npu(result, wrap) if stays else result


def _call(facts: _OpFacts, op: Op, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
    try:
        return op(*args, **kwargs)
    except NotImplementedError as problem:
        if isinstance(problem, UnsupportedError):
            raise
        raise unsupported(facts.name, "torch has no kernel that could stand in for it") from problem
    except RuntimeError as problem:
        if not any(text in str(problem) for text in _MIXED):
            raise
        return _in_dtype_of_first(op(*map(_wide, args), **kwargs), args)


def _in_dtype_of_first(result: object, args: Sequence[object]) -> object:
    """A result computed in float32, in the dtype of the first tensor."""
    first = next((arg for arg in args if isinstance(arg, torch.Tensor)), None)
    if first is None or not isinstance(result, torch.Tensor):
        return result
    return result.to(first.dtype)


def _wide(arg: object) -> object:
    if isinstance(arg, torch.Tensor) and arg.dtype == torch.float16:
        return arg.float()
    return arg


def _is_float64(thing: object) -> bool:
    return isinstance(thing, torch.Tensor) and thing.dtype == torch.float64


@cache
def _facts(op: Op) -> _OpFacts:
    schema = schema_of(op)
    keywords = {argument.name for argument in schema.arguments if argument.kwarg_only}
    return _OpFacts(
        name=schema.name,
        writes=schema.is_mutable,
        takes_device="device" in keywords,
        takes_generator="generator" in keywords,
        draws=torch.Tag.nondeterministic_seeded in op.tags and "generator" not in keywords,
        has_own_kernel=has_own_kernel(op),
        checked=_CHECKED.get(schema.name),
    )


def _random_source(facts: _OpFacts) -> AbstractContextManager[None]:
    return cpu_draws_from_npu() if facts.draws else nullcontext()


def _check_devices(facts: _OpFacts, args: Sequence[object]) -> None:
    checked = args if facts.checked is None else [args[i] for i in facts.checked if i < len(args)]
    for tensor in _tensors(checked):
        is_number = tensor.dim() == 0
        if not is_number and not isinstance(tensor, HostBacked):
            raise mixed_devices(facts.name)


def _host(arg: object) -> object:
    if isinstance(arg, HostBacked):
        return arg.raw
    if isinstance(arg, (list, tuple)):
        return [_host(item) for item in cast(Iterable[object], arg)]
    return arg


def _on_npu(result: object, wrap: Wrap) -> object:
    if isinstance(result, torch.Tensor):
        return wrap(result)
    if isinstance(result, (list, tuple)):
        items = [_on_npu(item, wrap) for item in cast(Iterable[object], result)]
        return items if isinstance(result, list) else tuple(items)
    return result


def _owner_of_written(args: Sequence[object], wrap: Wrap) -> Wrap:
    """Brings written tensors up to date; a result that was an argument is that argument again."""
    owners = {id(_host(tensor)): tensor for tensor in _tensors(args)}
    for tensor in owners.values():
        if isinstance(tensor, HostBacked):
            tensor.follow_raw()
    return lambda result: owners[id(result)] if id(result) in owners else wrap(result)


def _tensors(args: Iterable[object]) -> Iterator[torch.Tensor]:
    for arg in args:
        if isinstance(arg, torch.Tensor):
            yield arg
        elif isinstance(arg, (list, tuple)):
            yield from _tensors(cast(Iterable[object], arg))
