"""The trusted judgement of sealed kernels: verify, compile, draw inputs, run, compare, score.

Nothing of the learner's Python runs here. What arrives is text; it is parsed, compiled by
our passes and run on the simulated chip, with inputs that were drawn after it was sealed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException

from tlcourse.diagnostics import Span, TLError, error
from tlcourse.dialects.signature import mode_of, parameters, stamp
from tlcourse.dialects.text import from_text
from tlcourse.grading import effects
from tlcourse.grading.inputs import draw, evaluate, shape_of
from tlcourse.grading.numbers import Comparison, compare
from tlcourse.grading.sealed import Sealed
from tlcourse.grading.spec import Case, Spec
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.launch import Launch, launch_program
from tlcourse.jit.settings import read_settings
from tlcourse.records import Check, Finding, Parameter, Verdict

WORKSPACE_LIMIT_BYTES = 256 * 2**20


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One case: how its numbers compare, what the simulator found, what was seen to happen."""

    case: Case
    comparisons: dict[str, Comparison]
    findings: tuple[Finding, ...]
    missing_effects: tuple[str, ...]
    modified: tuple[str, ...]
    cause: str

    @property
    def numbers_ok(self) -> bool:
        """Whether all outputs are right and no input was changed."""
        return all(c.ok for c in self.comparisons.values()) and not self.modified


def judge(spec: Spec, documents: Sequence[Sealed], *, secret: bytes = b"practice") -> Verdict:
    """The verdict on the kernels that a hand-in traced, one per case of the spec.

    Args:
        spec: the exercise.
        documents: sealed kernels; the one of a case has its binding.
        secret: seed of the inputs.
    """
    first = documents[0]
    try:
        judged = [_judge_case(spec, case, _of(documents, case), secret) for case in spec.cases]
    except TLError as refused:
        return _does_not_lower(spec, first, refused)
    checks = [_lowers(spec), *_number_checks(spec, judged), _effect_check(spec, judged)]
    return verdict(spec, checks, sealed=first)


def verdict(spec: Spec, checks: Sequence[Check], *, sealed: Sealed | None = None) -> Verdict:
    """The verdict that follows from the checks."""
    points = sum(check.points for check in checks)
    states = {check.state for check in checks if check.max_points}
    if states == {"PASS"}:
        state = "PASS"
    else:
        state = (
            "PARTIAL" if any(c.state == "PASS" and c.name != "lowers" for c in checks) else "FAIL"
        )
    mode = mode_of(from_text(sealed.text)) if sealed is not None else ""
    return Verdict(
        exercise=spec.id,
        state=state,
        points=round(points, 2),
        max_points=float(spec.points),
        checks=tuple(checks),
        sealed_sha256=sealed.sha256 if sealed is not None else "",
        mode=mode,
    )


def _of(documents: Sequence[Sealed], case: Case) -> Sealed:
    for document in documents:
        if document.binding == case.binding:
            return document
    raise error(
        "TL604",
        f"the hand-in has no kernel for {case.label}",
        why="the function is asked for one kernel per set of shapes",
        fix="return a kernel for every shape that the function is called with",
    )


def _judge_case(spec: Spec, case: Case, sealed: Sealed, secret: bytes) -> Judged:
    kernel = _kernel(spec, case, sealed)
    inputs = draw(spec, case, secret)
    before = {name: tensor.clone() for name, tensor in inputs.items()}
    launch = _launch(spec, case, kernel, inputs)
    results = dict(zip(_out_names(spec), launch.outputs, strict=True))
    comparisons = {
        output.name: compare(
            results[output.name],
            evaluate(output.reference, before, case.binding),
            evaluate(output.bound, before, case.binding),
            _dtype(spec, output.name),
        )
        for output in spec.outputs
    }
    read_only = [p.name for p in spec.parameters if p.role == "in"]
    return Judged(
        case=case,
        comparisons=comparisons,
        findings=launch.findings,
        missing_effects=tuple(n for n in spec.effects if not effects.EFFECTS[n].holds(launch)),
        modified=tuple(n for n in read_only if not _same_bits(inputs[n], before[n])),
        cause=_cause(spec, case, before, results, comparisons),
    )


def _kernel(spec: Spec, case: Case, sealed: Sealed) -> Kernel:
    module = _module(sealed)
    mode = mode_of(module)
    found = parameters(module, sealed.sources)
    _match(spec, case, found, sealed)
    settings = read_settings(mode=mode)
    # Which parameters are outputs is the spec's to say, not the hand-in's.
    names = [parameter.name for parameter in spec.parameters]
    out_idx = tuple(names.index(name) for name in _out_names(spec))
    stamp(module, mode=mode, target="npuir", out_idx=out_idx, pass_configs={})
    return Kernel(module, sealed.sources, settings)


def _module(sealed: Sealed) -> ModuleOp:
    try:
        module = from_text(sealed.text)
        module.verify()
        mode_of(module)
        return module
    except (ParseError, VerifyException, DiagnosticException, KeyError, RecursionError) as problem:
        raise error(
            "TL603",
            "the handed-in kernel cannot be read",
            why=str(problem).splitlines()[0] if str(problem) else type(problem).__name__,
            fix="hand in the notebook as it is; do not write the document yourself",
        ) from problem


def _match(spec: Spec, case: Case, found: Sequence[Parameter], sealed: Sealed) -> None:
    """Parameters are matched by position; those beyond the spec's are workspaces."""
    for index, wanted in enumerate(spec.parameters):
        shape = tuple(str(extent) for extent in shape_of(wanted, case.binding))
        have = found[index] if index < len(found) else None
        asked = f'{wanted.name}: T.Tensor(({", ".join(wanted.shape)}), "{wanted.dtype}")'
        if have is None or have.kind != "tensor":
            raise _mismatch(index, asked, "is missing", sealed)
        if have.dtype != wanted.dtype:
            raise _mismatch(index, asked, f"has dtype {have.dtype}", sealed)
        if _extents(have, case) != shape:
            raise _mismatch(index, asked, f"has shape ({', '.join(have.extents)})", sealed)


def _extents(parameter: Parameter, case: Case) -> tuple[str, ...]:
    """Extents as numbers; one that is a symbol takes whatever the tensor has."""
    return tuple(str(case.binding.get(extent, extent)) for extent in parameter.extents)


def _mismatch(index: int, asked: str, what: str, sealed: Sealed) -> TLError:
    return error(
        "TL605",
        f"parameter {index + 1} of the kernel {what}; asked is {asked}",
        why="the kernel is called with the exercise's tensors, in the exercise's order",
        fix="declare the parameters as the task states them; workspaces of your own come last",
        sources=sealed.sources,
    )


def _launch(spec: Spec, case: Case, kernel: Kernel, inputs: Mapping[str, torch.Tensor]) -> Launch:
    program = kernel.program("simulator")
    given = [inputs[p.name] for p in spec.parameters if p.role != "out"]
    spaces = [_workspace(p, case) for p in kernel.params[len(spec.parameters) :]]
    _check_size(spaces)
    return launch_program(
        program, [*given, *spaces], chip=kernel.settings.chip, checks="class", allow_cpu=True
    )


def _workspace(parameter: Parameter, case: Case) -> torch.Tensor:
    if parameter.kind != "tensor":
        raise error(
            "TL605",
            f"parameter {parameter.name} is a scalar; asked are tensors",
            why="parameters beyond the task's are workspaces, tensors in global memory",
            fix="take the value from a tensor's shape, or make it a constant",
        )
    from tlcourse import extents

    shape = [extents.evaluate(extent, case.binding) for extent in parameter.extents]
    space = torch.empty(shape, dtype=getattr(torch, parameter.dtype))
    return space.fill_(float("nan")) if space.is_floating_point() else space.fill_(123)


def _check_size(spaces: Sequence[torch.Tensor]) -> None:
    total = sum(space.numel() * space.element_size() for space in spaces)
    if total > WORKSPACE_LIMIT_BYTES:
        raise error(
            "TL606",
            f"the kernel's workspaces need {total:,} bytes",
            why=f"all together may have {WORKSPACE_LIMIT_BYTES:,} bytes",
            fix="hand over tile by tile instead of keeping whole matrices",
        )


def _same_bits(first: torch.Tensor, second: torch.Tensor) -> bool:
    return torch.equal(first.view(torch.uint8), second.view(torch.uint8))


def _out_names(spec: Spec) -> list[str]:
    return [parameter.name for parameter in spec.parameters if parameter.role == "out"]


def _dtype(spec: Spec, name: str) -> str:
    return next(parameter.dtype for parameter in spec.parameters if parameter.name == name)


def _cause(
    spec: Spec,
    case: Case,
    inputs: Mapping[str, torch.Tensor],
    results: Mapping[str, torch.Tensor],
    comparisons: Mapping[str, Comparison],
) -> str:
    """The first suspect that a wrong output equals."""
    for suspect in spec.suspects:
        if comparisons[suspect.name].ok:
            continue
        value = evaluate(suspect.value, inputs, case.binding).expand_as(results[suspect.name])
        scale = value.abs() + value.abs().mean()
        if _is_near(results[suspect.name], value, scale):
            return suspect.cause
    return ""


def _is_near(result: torch.Tensor, value: torch.Tensor, scale: torch.Tensor) -> bool:
    return bool(((result.double() - value).abs() <= 1e-3 * scale).all())


def _lowers(spec: Spec) -> Check:
    points = spec.points * spec.weights.lowers / 100
    return Check(
        name="lowers", state="PASS", points=points, max_points=points, reason="the kernel compiles"
    )


def _number_checks(spec: Spec, judged: Sequence[Judged]) -> list[Check]:
    share = spec.points * spec.weights.numbers / 100 / len(judged)
    return [_number_check(case, share) for case in judged]


def _number_check(judged: Judged, share: float) -> Check:
    stopped = next((f for f in judged.findings if f.diagnostic.severity == "error"), None)
    ok = judged.numbers_ok and stopped is None
    name = judged.case.label if not judged.case.public else _shape_text(judged.case)
    return Check(
        name=f"numbers: {name}",
        state="PASS" if ok else "FAIL",
        points=share if ok else 0.0,
        max_points=share,
        reason="equal to torch within rounding" if ok else _why_wrong(judged, stopped),
        hint=judged.cause,
        span=_place(stopped) if stopped is not None and judged.case.public else None,
    )


def _why_wrong(judged: Judged, stopped: Finding | None) -> str:
    if judged.modified:
        return f"the kernel changed its input {judged.modified[0]}"
    if stopped is not None:
        return stopped.diagnostic.what if judged.case.public else "the simulator stopped the kernel"
    name, bad = next((n, c) for n, c in judged.comparisons.items() if not c.ok)
    if not judged.case.public:
        return f"{name} is wrong"
    place = f"; first at {list(bad.first)}: got {bad.got:.4g}, want {bad.want:.4g}"
    return f"{name}: {bad.where}{place if bad.first else ''} ({bad.rule})"


def _effect_check(spec: Spec, judged: Sequence[Judged]) -> Check:
    points = spec.points * spec.weights.effects / 100
    missing = next((name for case in judged for name in case.missing_effects), None)
    finding = next((finding for case in judged for finding in case.findings), None)
    reason, span = "all that is asked beside the numbers holds", None
    if finding is not None:
        reason, span = finding.diagnostic.what, _place(finding)
    elif missing is not None:
        reason = effects.EFFECTS[missing].missing
    ok = missing is None and finding is None
    return Check(
        name="effects",
        state="PASS" if ok else "FAIL",
        points=points if ok else 0.0,
        max_points=points,
        reason=reason,
        hint="" if finding is None else finding.diagnostic.fix,
        span=span,
    )


def _place(finding: Finding | None) -> Span | None:
    if finding is None or not finding.diagnostic.labels:
        return None
    return finding.diagnostic.labels[0].span


def _does_not_lower(spec: Spec, sealed: Sealed, refused: TLError) -> Verdict:
    diagnostic = refused.diagnostic
    check = Check(
        name="lowers",
        state="FAIL",
        points=0.0,
        max_points=spec.points * spec.weights.lowers / 100,
        reason=f"{diagnostic.code}: {diagnostic.what}",
        hint=diagnostic.fix,
        span=diagnostic.labels[0].span if diagnostic.labels else None,
    )
    return Verdict(
        exercise=spec.id,
        state="FAIL",
        points=0.0,
        max_points=float(spec.points),
        checks=(check,),
        sealed_sha256=sealed.sha256,
    )


def _shape_text(case: Case) -> str:
    return ", ".join(f"{name}={value}" for name, value in case.binding.items())
