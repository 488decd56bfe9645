"""What a package compiles: one recipe an operator, with the variants it comes in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tlcourse.records import Mode


@dataclass(frozen=True, kw_only=True)
class KernelRecipe:
    """How an operator's kernel is made, and with which constants it is compiled.

    Args:
        operator: name that the operator asks for.
        make: function that returns a `T.prim_func` for given constants.
        mode: the mode that the kernel is written in.
        out_idx: positions of the parameters that a call allocates and returns.
        variants: the constants of each variant: sizes, dtypes, and `T.symbolic("M")` for a
            size that is read from the tensors of a call.

    Example:
        >>> KernelRecipe(  # doctest: +SKIP
        ...     operator="scale",
        ...     make=scale,
        ...     mode="Expert",
        ...     variants=({"M": T.symbolic("M"), "N": 1024, "dtype": "float16"},),
        ... )
    """

    operator: str
    make: Callable[..., object]
    mode: Mode
    variants: tuple[Mapping[str, object], ...]
    out_idx: tuple[int, ...] = (-1,)


def variant_name(constants: Mapping[str, object]) -> str:
    """A folder's name for a variant, from its constants: `M-N1024-float16`."""
    parts = [_part(name, str(value)) for name, value in constants.items()]
    return "-".join(parts) or "only"


def _part(name: str, value: str) -> str:
    """The constant's value, behind its name where the value alone would not tell."""
    text = value if value == name or value.startswith(("float", "bfloat", "int")) else name + value
    return "".join(letter if letter.isalnum() or letter in "._" else "_" for letter in text)
