"""Progressive lowering on one screen: tosa, linalg, memref, scf, cf, llvm, step by step.

The passes for kernels go from tiles to the instructions of a chip. MLIR's classic way to a CPU is
longer and each step is small; a lesson walks along it. The names are upstream's, so the real
compiler, which has upstream's passes in it, walks the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from tlcourse.bishengir.steps import RealStep, stages
from tlcourse.diagnostics import SourceFile, SourceMap, TLError, error
from tlcourse.dialects.foreign import with_foreign_dialects
from tlcourse.dialects.text import context, from_text
from tlcourse.pipeline.checking import PassCheck, compared
from tlcourse.pipeline.opt import Form, run_opt
from tlcourse.pipeline.pipeline_text import PassText, parse_pipeline
from tlcourse.pipeline.registry import read_passes
from tlcourse.pipeline.trace import Recorder
from tlcourse.records import Backend, PassTrace
from tlcourse.stages.mlir.run import Border, border_of, call

RELU_ADD = """func.func @relu_add(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %sum = tosa.add %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %zero = "tosa.const"() <{value = dense<0.0> : tensor<4x8xf32>}> : () -> tensor<4x8xf32>
  %relu = tosa.maximum %sum, %zero : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %relu : tensor<4x8xf32>
}
"""
"""relu(a + b), the module that `lower` takes where it is given none."""

LOWERING = (
    "builtin.module(func.func(tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith),"
    "linalg-fuse-elementwise-ops,"
    "one-shot-bufferize{bufferize-function-boundaries=1 "
    "function-boundary-type-conversion=identity-layout-map},"
    "buffer-results-to-out-params,convert-linalg-to-loops,lower-affine,"
    "canonicalize,cse,convert-scf-to-cf,convert-to-llvm)"
)
"""The passes from tosa to llvm, in the words of `tlcourse opt` and of `bishengir-opt`."""

_ON_FUNCTIONS = frozenset({"tosa-to-linalg-named", "tosa-to-linalg", "tosa-to-arith"})
# No pass at all: the module as the real compiler writes it.
_AS_IT_IS = RealStep(name="input", text="print-ir{label=input}")
_NAME = "lowering.mlir"
_WITH_PLACES = Form(locations=True)


@dataclass(frozen=True, kw_only=True)
class Lowering:
    """A module on its way down; `show_passes` shows the way.

    Args:
        text: the module.
        passes: the pipeline.
        name: the function that stands for the module: its first one.
    """

    text: str
    passes: str
    name: str

    @property
    def last_launch(self) -> None:
        """Nothing: a module that is no kernel is never launched."""
        return None

    def trace(self, backend: Backend | None = None) -> PassTrace:
        """The module after each pass.

        Args:
            backend: `embedded`, the passes of this package, or `bishengir`, the same names in
                the real compiler.

        Raises:
            TL350 to TL353: the real compiler is not there, or refuses the module.
            TLError: what a pass has to say.
        """
        recorder = Recorder(kernel=self.name, mode="MLIR", target="llvm", sources=self._sources())
        start = _WITH_PLACES.text(self._module())
        if backend == "bishengir":
            for name, text in stages(start, self._real_steps(), sources=self._sources()):
                recorder.add("mlir", name, text, real=True)
            return recorder.trace()
        recorder.add("mlir", "input", start)
        run_opt(
            self.text,
            read_passes(self.passes),
            name=_NAME,
            listener=lambda done: recorder.add(
                "mlir", done.one.name, _WITH_PLACES.text(done.module), notes=done.notes
            ),
        )
        return recorder.trace()

    def after(self, pass_name: str | None = None) -> str:
        """The text after a pass, by default after the last one.

        Raises:
            TL367: the pass is not on the way.
        """
        if pass_name is None:
            return run_opt(self.text, read_passes(self.passes), name=_NAME)
        return Form().text(self._module_after(pass_name))

    def run(self, *tensors: torch.Tensor, after: str | None = None) -> tuple[torch.Tensor, ...]:
        """Runs the function op by op, as a pass has left it.

        Args:
            tensors: one contiguous CPU tensor per parameter of the module as written.
            after: the pass, by default the last one; `input` is the module as written.

        Returns:
            the results of the function as written.

        Raises:
            TL362 to TL365: see `tlcourse.stages.mlir.run.call`.
            TL367: the pass is not on the way.
        """
        last = parse_pipeline(self.passes)[-1].name
        return call(self._module_after(after or last), self._border(), tensors, self._sources())

    def check(self, *tensors: torch.Tensor) -> tuple[PassCheck, ...]:
        """Runs the function before the first pass and after each: which pass keeps the numbers?

        Args, Raises: as `run`.
        """
        border, sources = self._border(), self._sources()
        before = call(self._module(), border, tensors, sources)
        checks: list[PassCheck] = []
        texts = [Form().text(self._module())]
        numbers = [before]

        def compare(name: str, module: ModuleOp) -> None:
            texts.append(Form().text(module))
            if texts[-1] == texts[-2]:
                checks.append(PassCheck(pass_name=name, state="unchanged"))
                return
            numbers.append(call(module, border, tensors, sources))
            checks.append(compared(name, numbers[-2], numbers[-1]))

        run_opt(
            self.text,
            read_passes(self.passes),
            name=_NAME,
            listener=lambda done: compare(done.one.name, done.module),
        )
        return tuple(checks)

    def _module(self) -> ModuleOp:
        return _parsed(run_opt(self.text, (), name=_NAME, form=_WITH_PLACES))

    def _module_after(self, pass_name: str) -> ModuleOp:
        names = [one.name for one in parse_pipeline(self.passes)]
        if pass_name == "input":
            return self._module()
        if pass_name not in names:
            raise _not_on_the_way(pass_name, names)
        last = len(names) - names[::-1].index(pass_name)
        passes = read_passes(self.passes)[:last]
        return _parsed(run_opt(self.text, passes, name=_NAME, form=_WITH_PLACES))

    def _border(self) -> Border:
        function = _first_function(self._module())
        assert function is not None, "lower has seen it"
        return border_of(function)

    def _sources(self) -> SourceMap:
        return {_NAME: SourceFile(id=_NAME, text=self.text, title="the module")}

    def _real_steps(self) -> Sequence[RealStep]:
        passes = parse_pipeline(self.passes)
        return [_AS_IT_IS, *(RealStep(name=one.name, text=_entry(one)) for one in passes)]


def lower(text: str = RELU_ADD, passes: str = LOWERING) -> Lowering:
    """Takes a module of tensors down to LLVM, one small step after the other.

    Args:
        text: functions of tosa or linalg on tensors of floats of fixed shape.
        passes: the steps, in the words of `tlcourse opt -p`.

    Returns:
        the way down: `show_passes(lower())` shows it, `.run(..)` runs the function after any
        step, `.check(..)` compares the numbers of all steps, `.after(..)` is the text.

    Raises:
        TL320, TL321: `passes` is no pipeline.
        TL322, TL323: `text` is no module.
        TL366: there is no function in it.
    """
    read_passes(passes)
    module = _parsed(run_opt(text, (), name=_NAME, form=_WITH_PLACES))
    function = _first_function(module)
    if function is None:
        raise _nothing_to_lower()
    return Lowering(text=text, passes=passes, name=function.sym_name.data)


def _parsed(text: str) -> ModuleOp:
    return from_text(text, ctx=with_foreign_dialects(context()))


def _first_function(module: ModuleOp) -> func.FuncOp | None:
    functions: Iterator[func.FuncOp] = (
        op for op in module.body.block.ops if isinstance(op, func.FuncOp) and op.body.blocks
    )
    return next(functions, None)


def _entry(one: PassText) -> str:
    options = " ".join(f"{key}={value}" for key, value in one.options.items())
    entry = f"{one.name}{{{options}}}" if options else one.name
    return f"func.func({entry})" if one.name in _ON_FUNCTIONS else entry


def _nothing_to_lower() -> TLError:
    return error(
        "TL366",
        "The module has no function to take down",
        why="a function on tensors is what the passes start from",
        fix="write one: func.func @f(%a: tensor<4x8xf32>) -> tensor<4x8xf32> { .. }",
    )


def _not_on_the_way(pass_name: str, names: Sequence[str]) -> TLError:
    return error(
        "TL367",
        f"{pass_name} is not among the passes of this lowering",
        why=f"it goes through {', '.join(names)}",
        fix="name one of them, or `input` for the module as written",
    )
