"""Random numbers of the npu: one generator for the device, and `torch.Generator("npu")`.

The npu draws from a generator of its own. It is a CPU generator underneath, so equal
seeds give equal numbers on both devices. torch cannot be told from Python how to make a
generator for an extra device; a class that stands in for `torch.Generator` does it.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from weakref import WeakValueDictionary

import torch

from tlcourse.device.errors import foreign_generator
from tlcourse.device.place import checked_index
from tlcourse.device.torch_internals import GeneratorMeta, address_of

_TorchGenerator = torch.Generator
_ONE_AT_A_TIME = threading.RLock()


class NpuGenerator(_TorchGenerator):
    """A CPU generator that says it belongs to the npu."""

    device = property(lambda self: torch.device("npu", 0))  # pyright: ignore

    def __init__(self) -> None:
        _MADE[address_of(self)] = self

    def clone_state(self) -> NpuGenerator:
        """A generator that goes on with the same numbers."""
        twin = NpuGenerator()
        twin.set_state(self.get_state())
        return twin

    def __reduce__(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
    ) -> tuple[object, ...]:
        return _restored, (self.get_state(),)

    def __deepcopy__(self, memo: dict[int, object]) -> NpuGenerator:
        return self.clone_state()


def _restored(state: torch.Tensor) -> NpuGenerator:
    generator = NpuGenerator()
    generator.set_state(state)
    return generator


class _AskedByDevice(GeneratorMeta):
    """Makes the right kind of generator, and lets every generator pass `isinstance`."""

    def __call__(cls, device: torch.device | str | int | None = None) -> torch.Generator:
        if device is not None and torch.device(device).type == "npu":
            checked_index(device)
            return NpuGenerator()
        return _TorchGenerator() if device is None else _TorchGenerator(device)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _TorchGenerator)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, _TorchGenerator)


class GeneratorStandIn(_TorchGenerator, metaclass=_AskedByDevice):
    """What `torch.Generator` is after `tlcourse.device.install()`."""


_MADE: WeakValueDictionary[int, NpuGenerator] = WeakValueDictionary()
"""The living ones by address: torch hands a generator on as another Python object."""


@cache
def default_generator() -> torch.Generator:
    """The generator that the npu draws from when none is given."""
    return NpuGenerator()


def npu_generator(given: object) -> torch.Generator:
    """The generator that an operation on the npu draws from.

    Args:
        given: the one that was asked for, or None.

    Raises:
        TL445: it belongs to another device.
    """
    if given is None:
        return default_generator()
    if isinstance(given, _TorchGenerator) and address_of(given) in _MADE:
        return given
    raise foreign_generator("cpu")


@contextmanager
def cpu_draws_from_npu() -> Generator[None]:
    """Lets operations that take no generator draw from the npu's numbers for a while."""
    with _ONE_AT_A_TIME:
        saved = torch.get_rng_state()
        torch.set_rng_state(default_generator().get_state())
        try:
            yield
        finally:
            default_generator().set_state(torch.get_rng_state())
            torch.set_rng_state(saved)


def serve_torch_generator() -> None:
    """Puts the stand-in at `torch.Generator`."""
    GeneratorStandIn.__module__, GeneratorStandIn.__qualname__ = "torch", "Generator"
    torch.Generator = GeneratorStandIn
