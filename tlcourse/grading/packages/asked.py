"""What is asked of a handed-in operator package, and what was seen of it: plain data."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field

import torch

RIGHT, SCALED, LAST_ROW, LAST_INPUT = "right", "scaled", "last row", "last input"
COPIES = (RIGHT, SCALED, LAST_ROW, LAST_INPUT)
"""Copies of a package: the right one, and those with a planted fault."""
USED = (RIGHT, SCALED)
"""Copies that are called as a user does."""
LENGTH, START = 16, 13
"""Forced tokens of a model's run, and where its logits are looked at first."""


@dataclass(frozen=True, kw_only=True)
class TensorKind:
    """A tensor's dtype and sizes."""

    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Tensors that one case of the exercise calls a kernel with, in the kernel's order.

    The operator is called in public cases alone, as what stops a call is told in full.
    """

    inputs: tuple[TensorKind, ...]
    outputs: tuple[TensorKind, ...]
    public: bool


@dataclass(frozen=True, kw_only=True)
class PackageOrder:
    """What is asked of a package.

    Args:
        name: of the package.
        operator: the operator that is judged.
        files: what lies in the given folder beside what `tlcourse new-op-package` writes.
        wanted: what its kernel is judged with, one a case.
        is_called: whether the operator takes what its kernel takes, so that it can be called so.
        has_model: whether `model.py` is part of the hand-in.
        has_tests: whether its own tests are.
    """

    name: str
    operator: str
    files: dict[str, str]
    wanted: tuple[Wanted, ...]
    is_called: bool = False
    has_model: bool = False
    has_tests: bool = False


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """A tensor as text."""

    dtype: str
    shape: tuple[int, ...]
    base64: str

    def tensor(self) -> torch.Tensor:
        """The tensor.

        Raises:
            ValueError: the text holds none of this dtype and shape.
        """
        dtype = getattr(torch, self.dtype, None)
        if not isinstance(dtype, torch.dtype):
            raise ValueError(f"there is no dtype {self.dtype}")
        data = bytearray(base64.b64decode(self.base64, validate=True))
        try:
            return torch.frombuffer(data, dtype=dtype).reshape(self.shape)
        except RuntimeError as problem:
            raise ValueError(str(problem)) from problem


def numbers_of(tensor: torch.Tensor) -> Numbers:
    """A tensor as text."""
    data = tensor.detach().cpu().contiguous()
    raw = data.flatten().view(torch.uint8).numpy().tobytes()
    return Numbers(
        dtype=str(data.dtype).removeprefix("torch."),
        shape=tuple(data.shape),
        base64=base64.b64encode(raw).decode(),
    )


@dataclass(frozen=True, kw_only=True)
class Used:
    """What a copy of the package did where it was used.

    Args:
        problem: what its import, or a call, ended with; empty where all went well.
        imported: modules that its import brought along.
        is_found: whether torch has the operator after the import.
        results: what the calls of the operator gave, one a case.
        logits: of the model, a row for each step.
        kernels: kernels of the package that ran in the model.
    """

    problem: str = ""
    imported: tuple[str, ...] = ()
    is_found: bool = False
    results: tuple[Numbers, ...] = ()
    logits: Numbers | None = None
    kernels: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Tested:
    """What the package's own tests said of a copy."""

    passed: int = 0
    failed: int = 0
    said: str = ""


@dataclass(frozen=True, kw_only=True)
class Observed:
    """What was seen of a package.

    Args:
        sha256: of its texts; the seed of what it is called with.
        stale: why it counts as not precompiled; empty where it is.
        used: copy to what it did.
        tested: copy to what the tests said of it.
        model: text of model.py.
    """

    sha256: str
    stale: str = ""
    used: dict[str, Used] = field(default_factory=dict[str, Used])
    tested: dict[str, Tested] = field(default_factory=dict[str, Tested])
    model: str = ""


def seed_of(sha256: str) -> int:
    """The seed that follows from a package's texts: nobody knows it before they are sealed."""
    return int(sha256[:12], 16)


def drawn(kinds: tuple[TensorKind, ...], seed: int) -> list[torch.Tensor]:
    """Tensors to call an operator with."""
    generator = torch.Generator().manual_seed(seed)
    return [
        torch.randn(kind.shape, generator=generator).to(getattr(torch, kind.dtype))
        for kind in kinds
    ]


def tokens_of(seed: int, vocabulary: int) -> torch.Tensor:
    """Tokens that the model is forced to read."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, vocabulary, (LENGTH,), generator=generator)
