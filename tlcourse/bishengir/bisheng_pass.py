"""One pass of the real compiler as an ordinary pass of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tlcourse.bishengir.recipe import DEFAULT_TIMEOUT_S, without_own_places
from tlcourse.bishengir.run import run_tool
from tlcourse.bishengir.steps import RealStep, run_steps
from tlcourse.dialects.text import from_text, to_text


@dataclass(frozen=True)
class BishengPass(ModulePass):
    """Runs one pass of `bishengir-opt` on a module in place; locations are kept.

    Args:
        pass_name: upstream's name, for example `hivm-plan-memory`. `name` gives the same.
        options: the pass's own options, name to value.
        timeout_s: seconds after which the run is stopped.

    Raises:
        TL301, TL350, TL351, TL352, TL353: see `tlcourse.bishengir.run.run_tool`.

    Example:
        ```python
        BishengPass("hivm-mark-multi-buffer", {"enable-auto": "true"}).apply(ctx, module)
        ```
    """

    pass_name: str
    options: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())
    timeout_s: float = DEFAULT_TIMEOUT_S
    name = "bishengir-opt"

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.pass_name)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        switches = " ".join(f"{name}={value}" for name, value in self.options.items())
        flag = f"--{self.pass_name}={switches}" if switches else f"--{self.pass_name}"
        done = run_tool(
            # Some passes write affine maps over symbols, which xDSL does not read.
            [
                flag,
                "--lower-affine",
                "--mlir-print-ir-after-failure",
                "--mlir-print-op-generic",
            ],
            to_text(op, locations=True),
            timeout_s=self.timeout_s,
        )
        _become(op, from_text(without_own_places(done.stdout)))


@dataclass(frozen=True)
class RealStepPass(ModulePass):
    """Runs one entry of the real pipeline, with the options that it has there, in place.

    Args:
        step: the entry.
        timeout_s: seconds after which the run is stopped.

    Raises:
        TL301, TL350, TL351, TL352, TL353: see `tlcourse.bishengir.run.run_tool`.
    """

    step: RealStep
    timeout_s: float = DEFAULT_TIMEOUT_S
    name = "bishengir-opt"

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.step.name)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        text = to_text(op, locations=True)
        _become(op, from_text(run_steps(text, [self.step], timeout_s=self.timeout_s)))


def _become(module: ModuleOp, other: ModuleOp) -> None:
    module.attributes = other.attributes
    module.detach_region(module.body)
    module.add_region(other.detach_region(other.body))
