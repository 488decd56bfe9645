"""From a sealed text back to a kernel that runs, on the trusted side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import torch
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, SSAValue

from tlcourse import extents
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.diagnostics import Label, TLError, error
from tlcourse.dialects.signature import kernel_of, mode_of, parameters, stamp
from tlcourse.dialects.text import from_text
from tlcourse.grading.inputs import shape_of
from tlcourse.grading.sealed import Sealed
from tlcourse.grading.spec import Case, Spec, SpecParameter
from tlcourse.jit.dtypes import TORCH_DTYPES, poisoned
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.launch import Launch, launch_program
from tlcourse.jit.settings import Settings
from tlcourse.records import Mode, Parameter

WORKSPACE_LIMIT_BYTES = 256 * 2**20


def kernel(spec: Spec, case: Case, sealed: Sealed) -> Kernel:
    """The kernel that a sealed document holds, with the exercise's outputs.

    Raises:
        TL603: its text cannot be read.
        TL604: it was made for something else.
        TL605: its parameters are not the exercise's.
    """
    check_origin(spec, case, sealed)
    module = _module(sealed)
    _match(spec, case, parameters(module, sealed.sources), sealed)
    mode, configs = _mode(module), _pass_configs(module)
    # Which parameters are outputs is the spec's to say, not the hand-in's.
    names = [parameter.name for parameter in spec.parameters]
    out_idx = tuple(names.index(name) for name in out_names(spec))
    stamp(module, mode=mode, target="npuir", out_idx=out_idx, pass_configs=configs)
    settings = Settings(
        mode=mode,
        target="npuir",
        pass_configs=configs,
        chip=DEFAULT_CHIP,
        backend="embedded",
        execution="simulator",
        checks="class",
        # A cache on disk could be written by a hand-in, and it holds code that runs here.
        cache_folder=None,
    )
    return Kernel(module, sealed.sources, settings)


def check_origin(spec: Spec, case: Case, sealed: Sealed) -> None:
    """Refuses what was made for something else.

    Raises:
        TL604: it was made for another exercise or case.
    """
    if (sealed.exercise, sealed.binding) != (spec.id, case.binding):
        raise error(
            "TL604",
            "the sealed kernel was made for another exercise or for other shapes",
            why="each kernel is judged for the shapes that its function was called with",
            fix="let the function make a new kernel at every call",
        )


def _module(sealed: Sealed) -> ModuleOp:
    try:
        module = from_text(sealed.text)
        module.verify()
        check_order(module, frozenset())
        _mode(module)
        kernel_of(module)
        _check_parameters(parameters(module, sealed.sources))
    # Whatever foreign text makes a reader do, the hand-in is at fault.
    except Exception as problem:
        raise error(
            "TL603",
            "the handed-in kernel cannot be read",
            why=str(problem).splitlines()[0] if str(problem) else type(problem).__name__,
            fix="hand in the notebook as it is; do not write the document yourself",
        ) from problem
    return module


def _check_parameters(found: Sequence[Parameter]) -> None:
    """Refuses dtypes and extents that the front end cannot have written."""
    for parameter in found:
        if parameter.dtype not in TORCH_DTYPES:
            raise ValueError(f"{parameter.name} has the unknown dtype {parameter.dtype}")
        for extent in parameter.extents:
            extents.symbols(extent)


def check_order(op: Operation, known: frozenset[SSAValue]) -> None:
    """Refuses a value that is used where it is not computed yet; xDSL reads such a text.

    Raises:
        ValueError: there is such a value.
    """
    for block in (block for region in op.regions for block in region.blocks):
        _check_block(block, known.union(block.args))


def _check_block(block: Block, known: frozenset[SSAValue]) -> None:
    seen = set(known)
    for op in block.ops:
        if not seen.issuperset(op.operands):
            raise ValueError(f"{op.name} uses a value that is not computed before it")
        if op.regions:
            check_order(op, frozenset(seen))
        seen.update(op.results)


def _mode(module: ModuleOp) -> Mode:
    found = mode_of(module)
    if found not in ("Developer", "Expert"):
        raise ValueError(f"there is no mode {found}")
    return found


def _pass_configs(module: ModuleOp) -> dict[str, str]:
    configs = module.attributes.get("tl.pass_configs")
    if not isinstance(configs, DictionaryAttr):
        return {}
    values = configs.data.items()
    return {name: value.data for name, value in values if isinstance(value, StringAttr)}


def _match(spec: Spec, case: Case, found: Sequence[Parameter], sealed: Sealed) -> None:
    """Parameters are matched by position; those beyond the spec's are workspaces."""
    for index, wanted in enumerate(spec.parameters):
        have = found[index] if index < len(found) else None
        if have is None or have.kind != "tensor":
            raise _mismatch(index, wanted, have, "is missing", sealed)
        if have.dtype != wanted.dtype:
            raise _mismatch(index, wanted, have, f"has dtype {have.dtype}", sealed)
        if not _fits(have, shape_of(wanted, case.binding)):
            shape = f"has shape ({', '.join(have.extents)})"
            raise _mismatch(index, wanted, have, shape, sealed)


def _fits(have: Parameter, shape: Sequence[int]) -> bool:
    """Whether extents that are numbers are the right ones; symbols are bound at the launch."""
    if len(have.extents) != len(shape):
        return False
    pairs = zip(have.extents, shape, strict=True)
    return all(extents.symbols(e) or extents.evaluate(e, {}) == size for e, size in pairs)


def _mismatch(
    index: int, wanted: SpecParameter, have: Parameter | None, what: str, sealed: Sealed
) -> TLError:
    asked = f'{wanted.name}: T.Tensor(({", ".join(wanted.shape)}), "{wanted.dtype}")'
    named = (
        f"{have.name}, parameter {index + 1} of the kernel," if have else f"parameter {index + 1}"
    )
    labels = (Label(span=have.span, text=f"asked is {asked}"),) if have and have.span else ()
    return error(
        "TL605",
        f"{named} {what}; asked is {asked}",
        why="the kernel is called with the exercise's tensors, in the exercise's order",
        fix="declare the parameters as the task states them; workspaces of your own come last",
        labels=labels,
        sources=sealed.sources,
    )


def launch(spec: Spec, case: Case, kernel: Kernel, inputs: Mapping[str, torch.Tensor]) -> Launch:
    """Compiles the kernel and runs it on the simulated chip, or in program order.

    Raises:
        TL605: no workspace can be made for a parameter of its own.
        TL606: the workspaces are too large.
        TLError: it does not compile; any code of the compiler.
    """
    program = kernel.program(spec.execution)
    given = arguments(spec, case, kernel, inputs)
    return launch_program(program, given, chip=kernel.settings.chip, checks="class", allow_cpu=True)


def arguments(
    spec: Spec, case: Case, kernel: Kernel, inputs: Mapping[str, torch.Tensor]
) -> list[torch.Tensor]:
    """What the kernel is launched with: the case's inputs, then its own workspaces.

    Raises:
        TL605: no workspace can be made for a parameter of its own.
        TL606: the workspaces are too large.
    """
    given = [inputs[p.name] for p in spec.parameters if p.role != "out"]
    return given + _workspaces(kernel.params[len(spec.parameters) :], symbols(spec, case, kernel))


def symbols(spec: Spec, case: Case, kernel: Kernel) -> dict[str, int]:
    """Values of the symbols that stand alone as an extent of one of the exercise's tensors."""
    values: dict[str, int] = {}
    for have, wanted in zip(kernel.params, spec.parameters, strict=False):
        for extent, size in zip(have.extents, shape_of(wanted, case.binding), strict=True):
            if extent in kernel.symbolic:
                values[extent] = size
    return values


def _workspaces(found: Sequence[Parameter], symbols: Mapping[str, int]) -> list[torch.Tensor]:
    """Poisoned tensors for the parameters beyond the spec's."""
    shapes = [_shape(parameter, symbols) for parameter in found]
    sizes = [TORCH_DTYPES[parameter.dtype].itemsize for parameter in found]
    total = sum(prod(shape) * size for shape, size in zip(shapes, sizes, strict=True))
    if total > WORKSPACE_LIMIT_BYTES:
        raise error(
            "TL606",
            f"the kernel's workspaces need {total:,} bytes",
            why=f"all together may have {WORKSPACE_LIMIT_BYTES:,} bytes",
            fix="hand over tile by tile instead of keeping whole matrices",
        )
    return [poisoned(shape, p.dtype) for shape, p in zip(shapes, found, strict=True)]


def _shape(parameter: Parameter, symbols: Mapping[str, int]) -> tuple[int, ...]:
    try:
        shape = tuple(extents.evaluate(extent, symbols) for extent in parameter.extents)
    except (KeyError, ZeroDivisionError):
        shape = (-1,)
    if parameter.kind == "tensor" and min(shape, default=1) >= 0:
        return shape
    raise error(
        "TL605",
        f"parameter {parameter.name} is beyond the task's, and no workspace can be made for it",
        why="parameters behind the task's are workspaces: tensors in global memory whose shapes "
        "follow from the task's shapes",
        fix="make it a tensor of such a shape, or a constant",
    )


def out_names(spec: Spec) -> list[str]:
    """The parameters that the launch allocates and returns."""
    return [parameter.name for parameter in spec.parameters if parameter.role == "out"]
