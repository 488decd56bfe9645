"""The four workloads that the functional executor is measured on."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    from tlcourse.jit import Kernel

Run = Callable[[], object]
Tensors = Mapping[str, "torch.Tensor"]


@dataclass(frozen=True, kw_only=True)
class Workload:
    """One measured kernel.

    Args:
        name: name in the table.
        most_eager: the most that ours may take, in units of torch eager's time.
        least_triton: how many times faster than Triton's interpreter ours must be.
        prepare: makes inputs and outputs on the CPU, in the kernel's dtypes, with a fixed seed.
        compile: compiles the kernel for the functional executor.
        eager: the same computation on float32 tensors with outputs allocated before.
        triton: the same kernel for Triton's interpreter; called only where Triton is installed.
        jax: the same for that of JAX's Pallas.
        tolerance: the largest difference from eager that is no fault.
    """

    name: str
    most_eager: float
    least_triton: float
    prepare: Callable[[], dict[str, torch.Tensor]]
    compile: Callable[[], Kernel]
    eager: Callable[[Tensors], Run]
    triton: Callable[[Tensors], Run]
    jax: Callable[[Tensors], Run]
    tolerance: float


def workloads() -> tuple[Workload, ...]:
    """All four; budgets as agreed for the executor that runs on torch alone."""
    return (
        _attention("attention 8x1024x64, tiles 64x64", 8, 1024, 64, 64, 1.5, 40),
        _attention("attention 1x4096x128, tiles 128x128", 1, 4096, 128, 128, 1.0, 15),
        _softmax("softmax 4096x1024", 2.5, 40),
        _gemm("gemm 1024x1024x1024", 1.6, 20),
    )


def _attention(
    name: str, heads: int, S: int, D: int, block: int, most: float, least: float
) -> Workload:
    def prepare() -> dict[str, torch.Tensor]:
        return _halves({"Q": (heads, S, D), "K": (heads, S, D), "V": (heads, S, D)}, "O")

    return Workload(
        name=name,
        most_eager=most,
        least_triton=least,
        prepare=prepare,
        compile=lambda: _compiled("flash_attention", heads, S, D, block, block),
        eager=_eager_attention,
        triton=lambda tensors: _peers("triton").attention(tensors, block),
        jax=lambda tensors: _peers("jax").attention(tensors, block),
        tolerance=2e-3,
    )


def _eager_attention(tensors: Tensors) -> Run:
    import torch

    q, k, v = (tensors[name].float() for name in ("Q", "K", "V"))
    scores = torch.empty(q.shape[0], q.shape[1], q.shape[1])
    weights, out = torch.empty_like(scores), torch.empty_like(q)
    scale = q.shape[-1] ** -0.5

    def run() -> torch.Tensor:
        torch.bmm(q, k.transpose(1, 2), out=scores).mul_(scale)
        torch.softmax(scores, -1, out=weights)
        return torch.bmm(weights, v, out=out)

    return run


def _softmax(name: str, most: float, least: float) -> Workload:
    def prepare() -> dict[str, torch.Tensor]:
        import torch

        x = torch.randn(4096, 1024, generator=torch.Generator().manual_seed(0))
        return {"X": x, "Y": torch.empty_like(x)}

    def eager(tensors: Tensors) -> Run:
        import torch

        x, out = tensors["X"], torch.empty_like(tensors["X"])
        return lambda: torch.softmax(x, -1, out=out)

    return Workload(
        name=name,
        most_eager=most,
        least_triton=least,
        prepare=prepare,
        compile=lambda: _compiled("softmax"),
        eager=eager,
        triton=lambda tensors: _peers("triton").softmax(tensors, 8),
        jax=lambda tensors: _peers("jax").softmax(tensors, 8),
        tolerance=1e-4,
    )


def _gemm(name: str, most: float, least: float) -> Workload:
    def prepare() -> dict[str, torch.Tensor]:
        import torch

        made = _halves({"A": (1024, 1024), "B": (1024, 1024)})
        return {**made, "C": torch.empty(1024, 1024)}

    def eager(tensors: Tensors) -> Run:
        import torch

        a, b = tensors["A"].float(), tensors["B"].float()
        out = torch.empty(1024, 1024)
        return lambda: torch.mm(a, b, out=out)

    return Workload(
        name=name,
        most_eager=most,
        least_triton=least,
        prepare=prepare,
        compile=lambda: _compiled("gemm"),
        eager=eager,
        triton=lambda tensors: _peers("triton").gemm(tensors, (128, 256, 64)),
        jax=lambda tensors: _peers("jax").gemm(tensors, (128, 256, 64)),
        tolerance=1e-2,
    )


def _peers(name: str) -> ModuleType:
    return importlib.import_module(f"tlcourse.bench.{name}_peers")


def _compiled(name: str, *sizes: int) -> Kernel:
    from tlcourse.jit import compile

    example = importlib.import_module(f"tlcourse.examples.{name}")
    return compile(getattr(example, name)(*sizes), mode="Developer")


def _halves(shapes: Mapping[str, tuple[int, ...]], output: str = "") -> dict[str, torch.Tensor]:
    """Normal numbers in float16, and an output shaped like the last of them."""
    import torch

    generator = torch.Generator().manual_seed(0)
    made = {name: torch.randn(shape, generator=generator).half() for name, shape in shapes.items()}
    if output:
        made[output] = torch.empty_like(made[list(made)[-1]])
    return made
