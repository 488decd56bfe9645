"""Wrong answers that need no kernel: does an exercise's numeric rule tell them from right ones?

Each is made from an exercise's own reference and inputs, so a new exercise is asked at once,
for each of its cases. They are what comes out of a kernel that computes nothing, returns its
input, forgets the tail or a factor, reads a matrix the wrong way round, or rounds too early.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import torch

from tlcourse.grading.inputs import draw, evaluate
from tlcourse.grading.numbers import compare
from tlcourse.grading.spec import Case, Output, Spec

_LOWER = {"float32": torch.float16, "float16": torch.bfloat16}
ROUNDED = "lower precision"


@dataclass(frozen=True, kw_only=True)
class Guess:
    """One kind of wrong answer to an exercise.

    Args:
        name: what it is.
        rejected: outputs of cases in which the rule tells it from a right answer.
        tried: outputs of cases in which it differs from the right answer at all.
    """

    name: str
    rejected: int
    tried: int

    @property
    def ok(self) -> bool:
        """Whether it never passes; rounding early must be seen once, as short sums hide it."""
        return self.rejected > 0 if self.name == ROUNDED else self.rejected == self.tried


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What a wrong answer is made from."""

    inputs: Mapping[str, torch.Tensor]
    output: Output
    case: Case
    reference: torch.Tensor
    dtype: str


def guesses(spec: Spec) -> list[Guess]:
    """How an exercise's rule does on each kind of wrong answer that it has.

    Args:
        spec: an exercise; outputs without references are not asked about.
    """
    found: list[Guess] = []
    questions = [asked for part in spec.parts for asked in _asked(part)]
    for name, make in _KINDS.items():
        rejected = [_is_rejected(asked, wrong) for asked in questions for wrong in make(asked)]
        told = [one for one in rejected if one is not None]
        if told:
            found.append(Guess(name=name, rejected=sum(told), tried=len(told)))
    return found


def _asked(spec: Spec) -> Iterator[_Asked]:
    for case in spec.run_cases if spec.outputs else ():
        dtypes = {parameter.name: parameter.dtype for parameter in spec.at(case).parameters}
        inputs = draw(spec.at(case), case)
        for output in spec.outputs:
            reference = evaluate(output.reference, inputs, case.binding)
            yield _Asked(
                inputs=inputs,
                output=output,
                case=case,
                reference=reference,
                dtype=dtypes[output.name],
            )


def _is_rejected(asked: _Asked, wrong: torch.Tensor) -> bool | None:
    """Whether a wrong answer is told from the right one; None where it is the right one."""
    dtype = getattr(torch, asked.dtype)
    value, right = wrong.to(dtype), asked.reference.to(dtype)
    if torch.equal(value.nan_to_num(), right.nan_to_num()):
        return None
    scale = evaluate(asked.output.bound, asked.inputs, asked.case.binding)
    return not compare(value, asked.reference, scale, asked.dtype).ok


def _zeros(asked: _Asked) -> Iterator[torch.Tensor]:
    yield torch.zeros_like(asked.reference)


def _mean(asked: _Asked) -> Iterator[torch.Tensor]:
    """Every element the mean of all; a softmax of wide rows is near that."""
    yield torch.full_like(asked.reference, float(asked.reference.mean()))


def _input(asked: _Asked) -> Iterator[torch.Tensor]:
    same = (one for one in asked.inputs.values() if one.shape == asked.reference.shape)
    yield from (one.double() for one in same)


def _rounded(asked: _Asked) -> Iterator[torch.Tensor]:
    """The reference in a dtype with fewer bits, from inputs rounded to it."""
    lower = _LOWER.get(asked.dtype)
    floats = {name: one for name, one in asked.inputs.items() if one.is_floating_point()}
    if lower is not None and floats:
        inputs = {**asked.inputs, **{name: one.to(lower) for name, one in floats.items()}}
        value = evaluate(asked.output.reference, inputs, asked.case.binding)
        yield value.to(lower).double()


def _last_row(asked: _Asked) -> Iterator[torch.Tensor]:
    if asked.reference.dim() and asked.reference.shape[0] > 1:
        value = asked.reference.clone()
        value[-1] = 0
        yield value


def _last_column(asked: _Asked) -> Iterator[torch.Tensor]:
    if asked.reference.dim() > 1 and asked.reference.shape[-1] > 1:
        value = asked.reference.clone()
        value[..., -1] = 0
        yield value


def _factor(asked: _Asked) -> Iterator[torch.Tensor]:
    yield asked.reference * 2**-0.5


def _turned(asked: _Asked) -> Iterator[torch.Tensor]:
    """One input at a time read as if its rows were its columns."""
    for name, one in asked.inputs.items():
        if one.dim() == 2 and min(one.shape) > 1:
            wrong = {**asked.inputs, name: one.T.reshape(one.shape)}
            yield evaluate(asked.output.reference, wrong, asked.case.binding)


def _transposed(asked: _Asked) -> Iterator[torch.Tensor]:
    shape = asked.reference.shape
    if len(shape) == 2 and shape[0] == shape[1] > 1:
        yield asked.reference.T


def _one_nan(asked: _Asked) -> Iterator[torch.Tensor]:
    if asked.reference.numel() and asked.dtype.startswith(("float", "bfloat")):
        value = asked.reference.clone()
        value.view(-1)[-1] = float("nan")
        yield value


_KINDS: dict[str, Callable[[_Asked], Iterator[torch.Tensor]]] = {
    "zeros": _zeros,
    "mean": _mean,
    "an input": _input,
    ROUNDED: _rounded,
    "last row missing": _last_row,
    "last column missing": _last_column,
    "factor forgotten": _factor,
    "operand turned": _turned,
    "result transposed": _transposed,
    "one NaN": _one_nan,
}
KINDS = tuple(_KINDS)
