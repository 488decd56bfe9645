"""What a spec is made of: records for parameters, cases, items, rubrics and the like."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Role = Literal["in", "out", "inout"]


@dataclass(frozen=True, kw_only=True)
class SpecParameter:
    """One parameter of the asked kernel.

    Args:
        name: as the references call it.
        dtype: TileLang dtype.
        shape: one extent text per dimension, over the names of the binding.
        role: in, out or inout.
        distribution: how inputs are drawn: `normal`, `uniform`, or `steps`, which is normal in
            steps of a half, so that many are 0.
        divide_by_sqrt: extent whose square root divides the drawn values.
        scale: multiplies every drawn value.
        shift: added to every value then.
    """

    name: str
    dtype: str
    shape: tuple[str, ...]
    role: Role = "in"
    distribution: Literal["normal", "uniform", "steps"] = "normal"
    divide_by_sqrt: str = ""
    scale: float = 1.0
    shift: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Output:
    """What an output must be: a torch expression over the inputs in float64.

    Args:
        name: the parameter.
        reference: the expected value.
        bound: S, the magnitude that rounding errors scale with, one value per element.
        why: one sentence on where S comes from.
    """

    name: str
    reference: str
    bound: str
    why: str
    why_zh: str


@dataclass(frozen=True, kw_only=True)
class Suspect:
    """A wrong answer worth naming: if an output equals `value`, `cause` is the likely cause."""

    name: str
    value: str
    cause: str
    cause_zh: str


@dataclass(frozen=True, kw_only=True)
class Symptom:
    """The likely cause where no suspect fits: what it means that just these elements are wrong.

    Args:
        name: the output.
        where: patterns of wrong elements, by their keys in `words.py`, for example `last rows`.
        cause: what lies behind them in this exercise.
        cause_zh: the same in Chinese.
    """

    name: str
    where: tuple[str, ...]
    cause: str
    cause_zh: str


@dataclass(frozen=True, kw_only=True)
class Case:
    """One binding of the shapes. Feedback on a hidden case shows its label, never its numbers.

    Args:
        binding: shape names to values.
        label: the case in a few words.
        label_zh: the same in Chinese.
        public: whether a learner may see it.
        family: of a spec with families, which one it belongs to.
        dtype: of all parameters, where it is another one than theirs.
        given: for a pass, the factory of `Spec.given` whose kernel the pass gets.
        is_rewritten: for a pass, whether it must rewrite that kernel or leave it alone.
        slow_cycles: cycles that earn nothing, where cycles count.
        fast_cycles: cycles that earn all; 0 where they do not count.
    """

    binding: dict[str, int]
    label: str
    label_zh: str
    public: bool = True
    family: str = ""
    dtype: str = ""
    given: str = ""
    is_rewritten: bool = False
    slow_cycles: int = 0
    fast_cycles: int = 0


@dataclass(frozen=True, kw_only=True)
class Item:
    """One question of an `answer` exercise.

    Args:
        name: as the learner's dictionary calls it.
        fact: one of `tlcourse.grading.facts.FACTS`, which computes the answer.
        of: what the fact is asked about.
    """

    name: str
    fact: str
    of: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Structure:
    """What the ops of handed-in IR must be.

    Args:
        absent: op names, or their beginnings, of which none is left.
        present: op names of which at least one is there.
        function: for IR, the name of its function.
        fewer_bytes: for a pass, whether what it rewrites must move fewer bytes of global memory.
    """

    absent: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    function: str = ""
    fewer_bytes: bool = False


@dataclass(frozen=True, kw_only=True)
class AskedEffect:
    """What must be seen to happen beside right numbers.

    Args:
        name: one of `tlcourse.grading.effects.EFFECTS`.
        limit: the number it must keep to, for effects that count something.
        per: what the count is divided by, over the names of the binding; empty: nothing.
        when: sizes of the cases that it is asked in; empty: in all.
    """

    name: str
    limit: float = 0.0
    per: str = ""
    when: dict[str, int] = field(default_factory=dict[str, int])

    def is_asked(self, case: Case) -> bool:
        """Whether a case has the sizes that it is asked for."""
        return self.when.items() <= case.binding.items()


@dataclass(frozen=True, kw_only=True)
class AskedPackage:
    """What a package must be.

    Args:
        name: of the package, whose folder `tlcourse new-op-package` begins.
        operator: the operator that is judged.
        rules: what is asked beside its kernels, of `tlcourse.grading.package_rules.RULES`.
        files: of the given folder, path to text; an empty one takes a new package's file away.
        model: whether the folder has the entry of the small DeepSeek model, as model.py.
    """

    name: str = ""
    operator: str = ""
    rules: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict[str, str])
    model: bool = False


@dataclass(frozen=True, kw_only=True)
class Weights:
    """How the points are split, in percent."""

    lowers: int = 10
    numbers: int = 75
    effects: int = 15
    cycles: int = 0
    package: int = 0


@dataclass(frozen=True, kw_only=True)
class Rubric:
    """What a person gives points for in a text."""

    points: int
    en: str
    zh: str


@dataclass(frozen=True, kw_only=True)
class Hint:
    """One hint in both languages."""

    en: str
    zh: str


@dataclass(frozen=True, kw_only=True)
class Family:
    """One of several tasks that an exercise offers; the learner's function says which by its names.

    Args:
        name: as `Case.family` calls it.
        parameters: of its kernel.
        outputs: what they must be.
        effects: what is asked beside the numbers.
        suspects: wrong answers worth naming.
    """

    name: str
    parameters: tuple[SpecParameter, ...]
    outputs: tuple[Output, ...]
    effects: tuple[AskedEffect, ...] = ()
    suspects: tuple[Suspect, ...] = ()
