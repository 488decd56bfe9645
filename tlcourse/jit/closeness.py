"""Whether what a kernel computed lies close enough to a reference."""

from __future__ import annotations

import torch

from tlcourse.diagnostics import Diagnostic, TLError


class MismatchError(TLError, AssertionError):
    """TL435: a result differs from its reference. Test tools see an AssertionError."""


def assert_close(
    got: torch.Tensor,
    wanted: torch.Tensor,
    *,
    rtol: float = 1e-2,
    atol: float = 1e-2,
    max_mismatched_ratio: float = 0.0,
    name: str = "the result",
) -> None:
    """Compares two tensors element by element, as float32 (float64 where one is).

    Args:
        got: what was computed.
        wanted: what should have been; may lie on another device and have another dtype.
        rtol: allowed difference as a part of `wanted`.
        atol: allowed difference added to that.
        max_mismatched_ratio: the part of all elements that may differ more. NaN or infinity
            where the other tensor has none is never allowed.
        name: what messages call `got`.

    Raises:
        TL435: shapes differ, or too many elements do.
    """
    if got.shape != wanted.shape:
        raise _other_shape(name, got, wanted)
    here, there = _comparable(got), _comparable(wanted)
    if not here.numel():
        return
    bad = ~torch.isclose(here, there, rtol=rtol, atol=atol, equal_nan=True)
    broken = bad & (here.isfinite() != there.isfinite())
    ratio = bad.sum().item() / bad.numel()
    if ratio > max_mismatched_ratio or bool(broken.any()):
        limits = f"rtol {rtol:g}, atol {atol:g}, {max_mismatched_ratio:.1%} of the elements"
        raise _too_far(name, here, there, broken if bool(broken.any()) else bad, limits)


def _comparable(tensor: torch.Tensor) -> torch.Tensor:
    wide = tensor.dtype in (torch.float64, torch.int64)
    return tensor.detach().cpu().to(torch.float64 if wide else torch.float32)


def _other_shape(name: str, got: torch.Tensor, wanted: torch.Tensor) -> MismatchError:
    return _mismatch(
        f"{name} has shape {tuple(got.shape)}, the reference {tuple(wanted.shape)}",
        "they are compared element by element",
    )


def _too_far(
    name: str, here: torch.Tensor, there: torch.Tensor, bad: torch.Tensor, limits: str
) -> MismatchError:
    first = tuple(int(index) for index in bad.nonzero()[0])
    count, most = int(bad.sum().item()), (here - there)[bad].abs().max().item()
    return _mismatch(
        f"{count} of {bad.numel()} elements of {name} differ from the reference; "
        f"the first at {list(first)}: {here[first].item():g} instead of {there[first].item():g}",
        f"allowed are {limits}; the greatest difference is {most:g}",
    )


def _mismatch(what: str, why: str) -> MismatchError:
    return MismatchError(
        Diagnostic(
            code="TL435",
            what=what,
            why=why,
            fix="look for the tile that holds the first of them, and what the kernel does there",
        ),
        {},
    )
