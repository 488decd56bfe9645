"""Makes torch operators of functions: schema, implementation, shape rule, names.

An operator can be called as `torch.ops.<package>.<name>` and as `torch_npu.<name>`; both
trace, so that torch.compile takes them whole.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from tlcourse.device import operators

_ANY_DEVICE = "CompositeExplicitAutograd"
_LIBRARIES: dict[str, torch.library.Library] = {}


@dataclass(frozen=True, kw_only=True)
class Operator:
    """What torch must know of an operator.

    Args:
        name: its name in the namespace.
        schema: arguments and results, for example `(Tensor x, float eps) -> Tensor`.
        run: computes it.
        fake: an empty tensor of the result's shape and dtype, for tracing; gets the arguments.
        backward: gradients, given the context and the results' gradients; None: has none.
        setup: keeps what `backward` needs, as in `torch.library.register_autograd`.
    """

    name: str
    schema: str
    run: Callable[..., object]
    fake: Callable[..., object]
    backward: Callable[..., object] | None = None
    setup: Callable[..., None] | None = None


def register(namespace: str, operators_: Sequence[Operator]) -> None:
    """Registers operators with torch, and under their names in torch_npu.

    Raises:
        TL488: the namespace has an operator of that name.
    """
    library = _library(namespace)
    for operator in operators_:
        _register(library, namespace, operator)


def _register(library: torch.library.Library, namespace: str, operator: Operator) -> None:
    name = f"{namespace}::{operator.name}"
    if hasattr(getattr(torch.ops, namespace), operator.name):
        from tlcourse.ops.refusals import taken

        raise taken(name)
    library.define(operator.name + operator.schema, tags=(torch.Tag.pt2_compliant_tag,))
    library.impl(operator.name, operator.run, _ANY_DEVICE)
    torch.library.register_fake(name, operator.fake, lib=library)
    if operator.backward is not None:
        torch.library.register_autograd(
            name, operator.backward, setup_context=operator.setup, lib=library
        )
    _offer(operator.name, getattr(getattr(torch.ops, namespace), operator.name))


def _library(namespace: str) -> torch.library.Library:
    """The library of a namespace; torch forgets operators whose library is dropped."""
    if namespace not in _LIBRARIES:
        _LIBRARIES[namespace] = torch.library.Library(namespace, "FRAGMENT")
    return _LIBRARIES[namespace]


def _offer(name: str, operator: Callable[..., object]) -> None:
    """Makes an operator `torch_npu.<name>`: ours looks it up, the real one gets an attribute."""
    operators.add(name, operator)
    real = sys.modules.get("torch_npu")
    if real is not None and not hasattr(real, name):
        setattr(real, name, operator)
