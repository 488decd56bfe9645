"""Random numbers of the npu: one generator for the device, and `torch.Generator("npu")`.

The npu draws from a generator of its own. It is a CPU generator underneath, so equal
seeds give equal numbers on both devices. torch cannot be told from Python how to make a
generator for an extra device; a class that stands in for `torch.Generator` does it.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import cache

import torch

from tlcourse.device.torch_internals import GeneratorMeta

_TorchGenerator = torch.Generator


class NpuGenerator(_TorchGenerator):
    """A CPU generator that says it belongs to the npu."""

    device = property(lambda self: torch.device("npu", 0))  # pyright: ignore


class _AskedByDevice(GeneratorMeta):
    """Makes the right kind of generator, and lets every generator pass `isinstance`."""

    def __call__(cls, device: torch.device | str | int | None = None) -> torch.Generator:
        if device is not None and torch.device(device).type == "npu":
            return NpuGenerator()
        return _TorchGenerator() if device is None else _TorchGenerator(device)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _TorchGenerator)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, _TorchGenerator)


class GeneratorStandIn(_TorchGenerator, metaclass=_AskedByDevice):
    """What `torch.Generator` is after `tlcourse.device.install()`."""


@cache
def default_generator() -> torch.Generator:
    """The generator that the npu draws from when none is given."""
    return NpuGenerator()


@contextmanager
def cpu_draws_from_npu() -> Generator[None]:
    """Lets operations that take no generator draw from the npu's numbers for a while."""
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
