"""Runs the model on both kinds of operators and prints what the difference costs and brings.

python -m tlcourse.examples.deepseek_v4_mini.inference.compare
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import torch

from tlcourse.examples import mini_ops
from tlcourse.examples.deepseek_v4_mini.inference import model, swap
from tlcourse.jit import compile
from tlcourse.jit.dtypes import TORCH_DTYPES
from tlcourse.ops import Call, KernelRecipe, recorded
from tlcourse.ops.recipe import variant_name
from tlcourse.ops.sources import read_package

NAMES = tuple(name for name in mini_ops.__all__ if name != "registry")
LENGTH, START = 40, 33
MOST_ERROR = 2e-2
"""The most that logits may differ, as a part of their largest: some roundings a layer."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One kernel in the table.

    Args:
        kernel: its name.
        calls: launches in one forward pass.
        microseconds: of all of them, on the simulated chip.
        bytes: that their tensors have.
    """

    kernel: str
    calls: int = 0
    microseconds: float = 0.0
    bytes: int = 0


def tokens(length: int = LENGTH) -> torch.Tensor:
    """The same tokens on every call."""
    generator = torch.Generator().manual_seed(1)
    return torch.randint(0, model.Sizes().vocabulary, (length,), generator=generator)


def logits_error() -> float:
    """The largest difference of logits at any step with forced tokens, as a part of the largest."""
    theirs = model.forced(model.Model(), tokens(), START)
    module = swap.swapped_module()
    ours = module.forced(module.Model(), tokens(), START)
    return float((ours - theirs).abs().max() / theirs.abs().max())


def table(length: int = LENGTH) -> list[Line]:
    """What each kernel did in one forward pass over `length` tokens; the longest first."""
    module = swap.swapped_module()
    with recorded() as calls:
        module.Model()(tokens(length))
    recipes = {one.operator: one for one in read_package(Path(mini_ops.__file__).parent).recipes}
    lines: dict[str, Line] = {}
    for call, count in Counter(calls).items():
        old = lines.get(call.operator, Line(kernel=call.operator))
        lines[call.operator] = Line(
            kernel=call.operator,
            calls=old.calls + count,
            microseconds=old.microseconds + count * _microseconds(recipes[call.operator], call),
            bytes=old.bytes + count * call.bytes,
        )
    return sorted(lines.values(), key=lambda line: -line.microseconds)


def _microseconds(recipe: KernelRecipe, call: Call) -> float:
    """Simulated time of one launch with these shapes."""
    constants = next(one for one in recipe.variants if variant_name(one) == call.variant)
    func = recipe.make(**constants)
    kernel = compile(func, out_idx=list(recipe.out_idx), mode=recipe.mode)
    inputs = [p for index, p in enumerate(kernel.params) if index not in kernel.out_idx]
    arguments = [
        _zeros(given, one.dtype) for given, one in zip(call.arguments, inputs, strict=True)
    ]
    timeline = kernel.profile(*arguments)
    return timeline.cycles / timeline.clock_mhz


def _zeros(given: tuple[int, ...] | float, dtype: str) -> torch.Tensor | float:
    """A tensor of a recorded shape: a kernel that reads its addresses from one needs numbers."""
    if not isinstance(given, tuple):
        return given
    return torch.zeros(given, dtype=TORCH_DTYPES[dtype]).npu()


def operator_errors() -> dict[str, float]:
    """The largest difference of each operator from torch, where both get equal inputs."""
    errors: dict[str, float] = {}
    kept = {name: getattr(model.ops, name) for name in NAMES}

    def compared(name: str) -> Callable[..., object]:
        def both(*arguments: object) -> object:
            wanted = kept[name](*arguments)
            got = getattr(mini_ops, name)(*arguments)
            errors[name] = max(errors.get(name, 0.0), _difference(got, wanted))
            return wanted

        return both

    module = swap.swapped_module()
    module.ops = SimpleNamespace(**{name: compared(name) for name in NAMES})
    module.Model()(tokens())
    return errors


def _difference(got: object, wanted: object) -> float:
    pairs = zip(_tensors(got), _tensors(wanted), strict=True)
    return max(
        float((one.double() - other.double()).abs().max() / other.double().abs().max())
        for one, other in pairs
    )


def _tensors(result: object) -> tuple[torch.Tensor, ...]:
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def main() -> None:
    """Prints the change, the error of the logits, generated tokens, and the table."""
    print(swap.diff())
    print(
        f"logits differ by {logits_error():.1e} of the largest, at most {MOST_ERROR:g} is allowed"
    )
    generated = model.generate(model.Model(), tokens(START), 16)[START:]
    print(f"16 generated tokens, {len(set(generated.tolist()))} different: {generated.tolist()}\n")
    errors = operator_errors()
    print(f"{'kernel':<20}{'calls':>6}{'error':>10}{'simulated us':>14}{'bytes':>12}")
    for line in table():
        error = errors.get(line.kernel)
        shown = "" if error is None else f"{error:.1e}"
        print(
            f"{line.kernel:<20}{line.calls:>6}{shown:>10}{line.microseconds:>14.1f}"
            f"{line.bytes:>12,}"
        )


if __name__ == "__main__":
    main()
