"""Inputs of a case, drawn after the kernel is sealed, and the values of spec expressions."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import cast

import torch

from tlcourse import extents
from tlcourse.grading.spec import Case, Spec, SpecParameter

PRACTICE = b"practice"
"""Seed of inputs where nothing is at stake."""


def draw(spec: Spec, case: Case, secret: bytes = PRACTICE) -> dict[str, torch.Tensor]:
    """The inputs of a case: the same for everybody with the same secret.

    Returns:
        parameter name to contiguous CPU tensor, for parameters that are read.
    """
    generator = torch.Generator().manual_seed(_seed(spec, case, secret))
    read = [parameter for parameter in spec.parameters if parameter.role != "out"]
    return {p.name: _draw(p, case.binding, generator) for p in read}


def shape_of(parameter: SpecParameter, binding: Mapping[str, int]) -> tuple[int, ...]:
    """The parameter's shape under a binding."""
    return tuple(extents.evaluate(extent, binding) for extent in parameter.shape)


def evaluate(
    expression: str, inputs: Mapping[str, torch.Tensor], binding: Mapping[str, int]
) -> torch.Tensor:
    """A spec's torch expression over the rounded inputs, in float64.

    Specs are the grader's own text; nothing of a learner's reaches this.
    """
    values = {name: tensor.double() for name, tensor in inputs.items()}
    # Some functions of torch import a module at their first call, through the caller's builtins.
    builtins = {"__import__": __import__}
    names: dict[str, object] = {"torch": torch, "__builtins__": builtins, **binding, **values}
    return cast(torch.Tensor, eval(expression, names))


def _draw(
    parameter: SpecParameter, binding: Mapping[str, int], generator: torch.Generator
) -> torch.Tensor:
    shape = shape_of(parameter, binding)
    if parameter.distribution == "uniform":
        values = torch.rand(shape, generator=generator, dtype=torch.float64)
    else:
        values = torch.randn(shape, generator=generator, dtype=torch.float64)
    if parameter.distribution == "steps":
        values = (2 * values).round() / 2
    if parameter.divide_by_sqrt:
        values /= extents.evaluate(parameter.divide_by_sqrt, binding) ** 0.5
    return (values * parameter.scale + parameter.shift).to(getattr(torch, parameter.dtype))


def _seed(spec: Spec, case: Case, secret: bytes) -> int:
    binding = ",".join(f"{name}={value}" for name, value in sorted(case.binding.items()))
    text = f"{spec.id}/{spec.version}/{binding}"
    digest = hmac.new(secret, text.encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[:8], "big") >> 1
