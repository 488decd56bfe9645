"""What irregular tile instructions compute, in torch: one meaning for both executors.

Each function reads its sources completely before it writes, so a destination may share memory
with a source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

Fold = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
_FOLDS: dict[str, Fold] = {
    "xori": torch.bitwise_xor,
    "ori": torch.bitwise_or,
    "andi": torch.bitwise_and,
    "prod": torch.mul,
}


def reduce(dst: torch.Tensor, src: torch.Tensor, mode: str, dims: Sequence[int]) -> None:
    """Reduces along dimensions, which keep extent 1. NaN wins in max and min.

    Args:
        dst: destination of the source's dtype; float32 for bfloat16 adds up in float32.
        src: source.
        mode: sum, prod, max, min, any, all, xori, ori or andi.
        dims: dimensions.
    """
    wanted, src = list(dims), src.to(dst.dtype) if src.dtype == torch.bfloat16 else src
    match mode:
        case "sum":
            value = torch.sum(src, dim=wanted, keepdim=True, dtype=_sum_dtype(src))
        case "max":
            value = torch.amax(src, dim=wanted, keepdim=True)
        case "min":
            value = torch.amin(src, dim=wanted, keepdim=True)
        case "any":
            value = torch.any(src != 0, dim=wanted, keepdim=True)
        case "all":
            value = torch.all(src != 0, dim=wanted, keepdim=True)
        case _:
            value = _folded(src, _FOLDS[mode], wanted)
    dst.copy_(value)


def reduce_with_index(
    dst: torch.Tensor, index: torch.Tensor, src: torch.Tensor, mode: str, dim: int
) -> None:
    """The largest or smallest element along a dimension, and where it stands.

    Args:
        dst: values; the dimension has extent 1.
        index: int32 positions of these.
        src: source.
        mode: max or min, `_with_index_`, left or right: which of several equal ones counts.
        dim: the dimension.
    """
    right = mode.endswith("right")
    ordered = src.flip(dim) if right else src
    pick = torch.argmax if mode.startswith("max") else torch.argmin
    place = pick(ordered, dim=dim, keepdim=True)
    value = torch.gather(ordered, dim, place)
    index.copy_(src.shape[dim] - 1 - place if right else place)
    dst.copy_(value)


def cumsum(dst: torch.Tensor, src: torch.Tensor, dim: int, reverse: bool = False) -> None:
    """Sums up along a dimension, from its end with `reverse`, in the source's dtype."""
    if reverse:
        dst.copy_(torch.cumsum(src.flip(dim), dim, dtype=src.dtype).flip(dim))
    else:
        dst.copy_(torch.cumsum(src, dim, dtype=src.dtype))


def cumprod(dst: torch.Tensor, src: torch.Tensor, dim: int, reverse: bool = False) -> None:
    """Multiplies up along a dimension, from its end with `reverse`, in the source's dtype."""
    if reverse:
        dst.copy_(torch.cumprod(src.flip(dim), dim, dtype=src.dtype).flip(dim))
    else:
        dst.copy_(torch.cumprod(src, dim, dtype=src.dtype))


def sort(outputs: Sequence[torch.Tensor], src: torch.Tensor, dim: int, descending: bool) -> None:
    """Sorts along a dimension; a second output gets the places that the elements had."""
    found = torch.sort(src, dim=dim, descending=descending, stable=True)
    for output, value in zip(outputs, found, strict=False):
        output.copy_(value)


def multiply_extended(outputs: Sequence[torch.Tensor], a: torch.Tensor, b: torch.Tensor) -> None:
    """The low and the high half of the products of integers of 16 bits."""
    product = a.to(torch.int32) * b.to(torch.int32)
    outputs[0].copy_(product.to(outputs[0].dtype))
    outputs[1].copy_(product >> 16)


def transpose(dst: torch.Tensor, src: torch.Tensor, permutation: Sequence[int]) -> None:
    """Dimension i of `dst` is dimension `permutation[i]` of `src`."""
    dst.copy_(src.permute(tuple(permutation)).clone())


def concat(dst: torch.Tensor, sources: Sequence[torch.Tensor], dim: int) -> None:
    """Joins tiles along a dimension."""
    dst.copy_(torch.cat(tuple(sources), dim))


def pad(
    dst: torch.Tensor,
    src: torch.Tensor,
    value: float | torch.Tensor,
    low: Sequence[int],
    high: Sequence[int],
) -> None:
    """Surrounds `src` with a number. Negative lengths cut off.

    Args:
        dst: destination; what lies beyond the padded tile stays as it was.
        src: source.
        value: the number.
        low: elements before the first one, by dimension.
        high: elements behind the last one, by dimension.
    """
    pairs = [length for both in zip(reversed(low), reversed(high), strict=True) for length in both]
    padded = torch.nn.functional.pad(src, pairs, value=float(value))
    dst[tuple(slice(0, extent) for extent in padded.shape)].copy_(padded)


def interleave(dst: torch.Tensor, even: torch.Tensor, odd: torch.Tensor) -> None:
    """Elements of two tiles in turn along the last dimension."""
    dst.copy_(torch.stack((even, odd), -1).flatten(-2))


def deinterleave(dst: Sequence[torch.Tensor], src: torch.Tensor, channels: str) -> None:
    """Even and odd positions of the last dimension, or one of the two.

    Args:
        dst: two tiles for ALL_CHANNELS, else one.
        src: source.
        channels: ALL_CHANNELS, CHANNEL_0 or CHANNEL_1.
    """
    parts = [src[..., 0::2].clone(), src[..., 1::2].clone()]
    kept = parts if channels == "ALL_CHANNELS" else [parts[int(channels[-1])]]
    for target, part in zip(dst, kept, strict=True):
        target.copy_(part)


def flip(dst: torch.Tensor, src: torch.Tensor, axis: int) -> None:
    """Reverses the order along a dimension."""
    dst.copy_(src.flip(axis))


def gather(dst: torch.Tensor, src: torch.Tensor, indices: torch.Tensor) -> None:
    """dst[.., j] = src[.., indices[.., j]]."""
    dst.copy_(torch.gather(src, -1, indices.long()))


def stray_index(indices: torch.Tensor, extent: int) -> int | None:
    """The first index that lies outside 0 .. extent - 1, if there is one."""
    outside = indices[(indices < 0) | (indices >= extent)]
    return int(outside[0]) if outside.numel() else None


def arange(dst: torch.Tensor, offset: int, strides: Sequence[int]) -> None:
    """Fills with offset + the sum of index times stride."""
    total = torch.full(dst.shape, offset, dtype=torch.int64)
    for dim, stride in enumerate(strides):
        shape = [1] * dst.dim()
        shape[dim] = -1
        total += torch.arange(dst.shape[dim]).view(shape) * stride
    dst.copy_(total)


def reshape(dst: torch.Tensor, src: torch.Tensor) -> None:
    """The elements row by row in another shape."""
    dst.copy_(src.clone().reshape(dst.shape))


def _sum_dtype(src: torch.Tensor) -> torch.dtype:
    return torch.int32 if src.dtype == torch.bool else src.dtype


def _folded(src: torch.Tensor, fold: Fold, dims: Sequence[int]) -> torch.Tensor:
    """Joins neighbours in pairs, halving a dimension until one element is left."""
    value = src
    for dim in dims:
        while (length := value.shape[dim]) > 1:
            half = length // 2
            joined = fold(value.narrow(dim, 0, half), value.narrow(dim, half, half))
            rest = value.narrow(dim, 2 * half, length - 2 * half)
            value = torch.cat((joined, rest), dim)
    return value


def shift_right(dst: torch.Tensor, src: torch.Tensor, by: torch.Tensor, rounds: bool) -> None:
    """Shifts right with the sign; `rounds` adds the last bit that falls out."""
    shifted = torch.bitwise_right_shift(src, by)
    if rounds:
        last = torch.bitwise_right_shift(src, torch.clamp_min(by - 1, 0))
        shifted = shifted + torch.where(by > 0, torch.bitwise_and(last, 1), 0)
    dst.copy_(shifted)
