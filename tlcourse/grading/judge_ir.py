"""Judges one case of exercises that hand in IR: a text of one's own, or what a pass made.

IR of one's own is run op by op; modules of Tile IR are compiled and run on the simulated chip,
beside the given one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import torch
from xdsl.dialects.builtin import ModuleOp

from tlcourse.diagnostics import TLError, error
from tlcourse.dialects.foreign import with_foreign_dialects
from tlcourse.dialects.text import context, from_text, to_text
from tlcourse.grading import given, rebuilt
from tlcourse.grading.inputs import draw, evaluate, shape_of
from tlcourse.grading.numbers import Comparison, compare
from tlcourse.grading.scoring import Judged
from tlcourse.grading.sealed import Sealed
from tlcourse.grading.spec import Case, Spec, SpecParameter, Structure
from tlcourse.grading.suspects import suspected
from tlcourse.grading.tracing import Attempt
from tlcourse.grading.words import Phrase, block
from tlcourse.jit.launch import Launch
from tlcourse.stages.mlir.run import Border, TensorKind, call


def judge_ir(spec: Spec, case: Case, sealed: Sealed, secret: bytes) -> Judged:
    """One case of IR that must verify and compute the reference.

    Raises:
        TL609: it cannot be read or run.
        TLError: it touches memory that is not there, or does not end.
    """
    module = _read(sealed.text)
    inputs = draw(spec, case, secret)
    outputs = [p for p in spec.parameters if p.role == "out"]
    border = Border(
        name=spec.structure.function,
        inputs=tuple(_kind(p, case) for p in spec.parameters if p.role == "in"),
        outputs=tuple(_kind(p, case) for p in outputs),
    )
    results = _run(module, border, list(inputs.values()))
    comparisons = {
        output.name: compare(
            result,
            evaluate(output.reference, inputs, case.binding),
            evaluate(output.bound, inputs, case.binding),
            parameter.dtype,
        )
        for output, parameter, result in zip(spec.outputs, outputs, results, strict=True)
    }
    judged = _judged(case, sealed, comparisons, _misses(spec.structure, _counts(module)))
    named = dict(zip(comparisons, results, strict=True))
    return replace(judged, suspect=suspected(spec, case, inputs, named, comparisons))


def judge_pass(spec: Spec, case: Case, sealed: Sealed, secret: bytes) -> Judged:
    """One case of a pass: the module that it made, beside the one that it was given.

    Raises:
        TL603: what it made cannot be read.
        TLError: what it made does not compile.
    """
    (before,) = given.texts(spec, (case,))
    given_launch = _launched(spec, case, _as_sealed(sealed, before), secret)
    launch = _launched(spec, case, sealed, secret)
    wanted, results = _written(spec, given_launch), _written(spec, launch)
    dtypes = {parameter.name: parameter.dtype for parameter in spec.parameters}
    comparisons = {
        name: compare(results[name], value.double(), value.double(), dtypes[name])
        for name, value in wanted.items()
    }
    form = _wrong_form(spec, case, from_text(before), from_text(sealed.text))
    if form is None and case.is_rewritten and spec.structure.fewer_bytes:
        form = _kept_bytes(_moved_bytes(given_launch), _moved_bytes(launch))
    return _judged(case, sealed, comparisons, form)


def _judged(
    case: Case, sealed: Sealed, comparisons: dict[str, Comparison], form: Phrase | None
) -> Judged:
    return Judged(
        case=case,
        sealed_sha256=sealed.sha256,
        mode="",
        comparisons=comparisons,
        findings=(),
        missing_effect=None,
        modified="",
        suspect=None,
        wrong_form=form,
    )


def _read(text: str) -> ModuleOp:
    try:
        module = from_text(text, ctx=with_foreign_dialects(context()))
        module.verify()
        rebuilt.check_order(module, frozenset())
    # Whatever foreign text makes a reader do, the hand-in is at fault.
    except Exception as problem:
        raise _unusable("cannot be read", problem) from problem
    return module


def _run(module: ModuleOp, border: Border, tensors: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    try:
        results = call(module, border, tensors)
    except TLError:
        raise
    except Exception as problem:
        raise _unusable("cannot be run", problem) from problem
    found = tuple(tuple(one.shape) for one in results)
    if found != tuple(one.shape for one in border.outputs):
        raise _unusable("cannot be run", ValueError(f"its results have the shapes {found}"))
    return results


def _unusable(what: str, problem: Exception) -> TLError:
    return error(
        "TL609",
        f"the handed-in IR {what}",
        why=block(str(problem)) or type(problem).__name__,
        fix="parse and verify it in the notebook first; the lesson shows how",
    )


def _kind(parameter: SpecParameter, case: Case) -> TensorKind:
    return TensorKind(shape=shape_of(parameter, case.binding), dtype=np.dtype(parameter.dtype))


def _counts(module: ModuleOp) -> Counter[str]:
    return Counter(op.name for op in module.walk())


def _misses(asked: Structure, counts: Mapping[str, int]) -> Phrase | None:
    for name in asked.absent:
        left = next((one for one in counts if one.startswith(name)), None)
        if left is not None:
            return Phrase(key="ops left", values={"name": left})
    missing = next((name for name in asked.present if name not in counts), None)
    return None if missing is None else Phrase(key="ops missing", values={"name": missing})


def _wrong_form(spec: Spec, case: Case, before: ModuleOp, after: ModuleOp) -> Phrase | None:
    is_same = to_text(before) == to_text(after)
    if case.is_rewritten and not is_same:
        return _misses(spec.structure, _counts(after))
    if is_same != case.is_rewritten:
        return None
    key = "not rewritten" if case.is_rewritten else "touched"
    if case.public:
        return Phrase(key=key, values={"given": case.given})
    return Phrase(key=f"{key} hidden", values={"case": case.label})


def _as_sealed(sealed: Sealed, text: str) -> Sealed:
    return replace(sealed, text=text)


def _launched(spec: Spec, case: Case, sealed: Sealed, secret: bytes) -> Launch:
    kernel = rebuilt.kernel(spec, case, sealed)
    return rebuilt.launch(spec, case, kernel, draw(spec, case, secret))


def _written(spec: Spec, launch: Launch) -> dict[str, torch.Tensor]:
    """What a module writes, by the parameter's name."""
    return dict(zip(rebuilt.out_names(spec), launch.outputs, strict=True))


def _moved_bytes(launch: Launch) -> int:
    """Bytes of global memory that the blocks of the timeline load and store."""
    return sum(instruction.bytes for instruction in launch.timeline.instructions)


def _kept_bytes(before: int, after: int) -> Phrase | None:
    if after < before:
        return None
    return Phrase(key="bytes kept", values={"before": before, "after": after})


def with_rewrites_first(outcomes: list[Judged | Attempt]) -> list[Judged | Attempt]:
    """Outcomes of a pass, where leaving modules alone counts only beside a right rewrite."""
    judged = [one for one in outcomes if isinstance(one, Judged)]
    if any(one.is_right and one.case.is_rewritten for one in judged):
        return outcomes
    idle = Phrase(key="nothing rewritten")
    return [
        replace(one, wrong_form=idle) if isinstance(one, Judged) and one.is_right else one
        for one in outcomes
    ]
