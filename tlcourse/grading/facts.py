"""Answers that are computed: what the compiler's own records say about the course's kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from math import prod

from tlcourse import extents
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects.signature import stamp
from tlcourse.examples import broken_chain, online_mutants
from tlcourse.grading import timeline_facts
from tlcourse.grading.artefact_facts import artefact
from tlcourse.jit.differences import differences
from tlcourse.jit.dtypes import poisoned
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.launch import Launch, launch_program
from tlcourse.jit.settings import Settings
from tlcourse.language import PrimFunc, symbolic
from tlcourse.pipeline.trace import op_counts
from tlcourse.records import PassTrace

# Module and function of a kernel, its outputs, and shapes of one or two blocks; a word is a symbol.
_KERNELS: dict[str, tuple[str, str, tuple[int, ...], Mapping[str, int | str]]] = {
    "vadd": ("elementwise", "vector_add_developer", (2,), {"N": 512}),
    "softmax": ("softmax", "softmax", (1,), {"M": 16, "N": 64}),
    "minicv": ("minicv", "minicv_developer", (2, 3), {"M": 128, "N": 256, "K": 128}),
    "vadd_any": ("elementwise", "vector_add_developer", (2,), {"N": "N"}),
    "loops": ("loops", "six_loops", (1,), {"N": 64}),
    "softmax_any": ("softmax", "softmax", (1,), {"M": "M", "N": 64}),
}
# As the planner calls a memory, and as the course does; what a cube core computes comes first.
_PLACES = {"cc": "L0C", "ca": "L0A", "cb": "L0B", "cbuf": "L1", "ub": "UB"}

# What a switch can change, by the op whose number then differs; the first that does is meant.
_SWITCHED = {
    "buffers": "hivm.hir.pointer_cast",
    "halves": "hivm.hir.get_sub_block_idx",
    "between": "hivm.hir.sync_block_set",
    "flags": "hivm.hir.set_flag",
}

# Why a loop stays scalar, by words of the vectoriser's note.
_CAUSES = {
    "statements in its body": "statements",
    "branch on data": "branch",
    "is no loop variable": "index",
}


def answer_of(fact: str, of: tuple[str, ...]) -> str:
    """The answer to one question; KeyError or ValueError where a spec asks for nonsense."""
    return FACTS[fact](*of)


@cache
def _kernel(name: str) -> Kernel:
    module, function, out_idx, shapes = _KERNELS[name]
    factory: Callable[..., PrimFunc] = getattr(
        import_module(f"tlcourse.examples.{module}"), function
    )
    settings = Settings(
        mode="Developer",
        target="npuir",
        pass_configs={},
        chip=DEFAULT_CHIP,
        backend="embedded",
        execution="simulator",
        checks="class",
        cache_folder=None,
    )
    sizes = {n: symbolic(s) if isinstance(s, str) else s for n, s in shapes.items()}
    made = factory(**sizes)
    module = made.module.clone()
    stamp(module, mode="Developer", target="npuir", out_idx=out_idx, pass_configs={})
    return Kernel(module, made.sources, settings)


@cache
def _launch(name: str) -> Launch:
    kernel = _kernel(name)
    tensors = [
        poisoned(tuple(int(extent) for extent in p.extents), p.dtype).zero_()
        for index, p in enumerate(kernel.params)
        if index not in _KERNELS[name][2]
    ]
    program = kernel.program("simulator")
    return launch_program(program, tensors, chip=DEFAULT_CHIP, checks="class", allow_cpu=True)


@cache
def _trace(name: str) -> PassTrace:
    return _kernel(name).trace()


def _place(kernel: str, buffer: str) -> str:
    """The memory that holds a buffer, after the planner; of several, where it is computed."""
    found = [
        _PLACES[plan.space]
        for plan in _launch(kernel).memory
        if any(one.name.partition("[")[0] == buffer for one in plan.buffers)
    ]
    if not found:
        raise ValueError(f"{kernel} has no buffer {buffer}")
    return min(found, key=list(_PLACES.values()).index)


def _handover(kernel: str) -> str:
    """Where a tile stands between the cube core and a vector core."""
    last = _trace(kernel).snapshots[-1]
    is_split = any("memref_ext.alloc_workspace" in s.op_counts for s in _trace(kernel).snapshots)
    if not is_split:
        raise ValueError(f"{kernel} hands nothing over, {last.pass_name} is its last pass")
    return "GM"


def _first_with(kernel: str, op: str) -> str:
    """The pass whose result is the first text with an op."""
    found = (s.pass_name for s in _trace(kernel).snapshots if s.op_counts.get(op))
    return _known(next(found, ""), kernel, op)


def _first_without(kernel: str, op: str) -> str:
    """The pass after which the last op of a kind is gone for good."""
    before = ""
    for one in reversed(_trace(kernel).snapshots):
        if one.op_counts.get(op):
            return _known(before, kernel, op)
        before = one.pass_name
    return _known("", kernel, op)


def _known(name: str, kernel: str, op: str) -> str:
    if not name:
        raise ValueError(f"{op} does not come or go in {kernel}")
    return name


def _changes(kernel: str, switch: str, value: str) -> str:
    """What a switch changes in the last IR of a kernel, the weightiest thing first."""
    before = _kernel(kernel)
    after = before.with_switches({f"npuir.{switch}": value == "on"})
    counts = [Counter(op_counts(one.get_kernel_source())) for one in (before, after)]
    different = (counts[0] - counts[1]) + (counts[1] - counts[0])
    return next((word for word, op in _SWITCHED.items() if different[op]), "nothing")


def _parameter(kernel: str, name: str, what: str) -> str:
    """Data type or shape of a parameter, or whether it is an output."""
    made = _kernel(kernel)
    found = next((i for i, one in enumerate(made.params) if one.name == name), None)
    if found is None:
        raise ValueError(f"{kernel} has no parameter {name}")
    told = {
        "dtype": made.params[found].dtype,
        "shape": " x ".join(made.params[found].extents),
        "output": "yes" if found in made.out_idx else "no",
    }
    return told[what]


def _symbols(kernel: str) -> str:
    """The sizes that became arguments of their own."""
    return " ".join(_kernel(kernel).symbolic) or "none"


def _blocks(kernel: str, *sizes: str) -> str:
    """The number of blocks, where sizes such as `N=1000` are given."""
    values = {name: int(number) for name, number in (size.split("=") for size in sizes)}
    grid = _kernel(kernel).launch_signature.grid
    return str(prod(extents.evaluate(text, values) for text in grid))


def _loop(kernel: str, number: str) -> str:
    """What becomes of a loop of T.Parallel, and why: a verdict and a cause."""
    made = _kernel(kernel)
    shots = _trace(kernel).snapshots
    notes = next(shot.notes for shot in shots if shot.pass_name == "NpuLoopVectorize")
    note = notes[int(number) - 1]
    rules = {
        f"line {label.span.line}": one.rule
        for one in differences(made).differences
        for label in one.diagnostic.labels
    }
    if rules.get(note.partition(":")[0]) == "parallel-order":
        return "forbidden, order"
    cause = next((word for part, word in _CAUSES.items() if part in note), "none")
    if (cause == "none") != ("kept scalar" not in note):
        raise ValueError(f"{kernel} has a loop of which a note says {note}")
    return "vector, none" if cause == "none" else f"scalar, {cause}"


FACTS: dict[str, Callable[..., str]] = {
    "place": _place,
    "handover": _handover,
    "brings": _first_with,
    "removes": _first_without,
    "changes": _changes,
    "parameter": _parameter,
    "symbols": _symbols,
    "blocks": _blocks,
    "artefact": artefact,
    "loop": _loop,
    "broken_softmax": online_mutants.planted,
    "guilty_pass": broken_chain.guilty,
    "spoilt_op": broken_chain.spoilt,
    **timeline_facts.FACTS,
}
