"""The finding of the first inf or NaN, with both executors: where it is, and where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import tlcourse.language as T
from tlcourse.functional import nonfinite as functional_watch
from tlcourse.jit import compile as compile_kernel
from tlcourse.records import Finding
from tlcourse.simulator import nonfinite as simulator_watch

EXECUTIONS = ("functional", "simulator")
ROWS, COLUMNS = 8, 64


@pytest.fixture(params=EXECUTIONS)
def execution(request: pytest.FixtureRequest) -> str:
    """Both executors."""
    return request.param


def _kernel(op: T.Macro, dtype: str = "float32") -> T.PrimFunc:
    """One row a block: b = op(a)."""

    @T.prim_func
    def one(A: T.Tensor((ROWS, COLUMNS), "float32"), B: T.Tensor((ROWS, COLUMNS), dtype)):
        with T.Kernel(ROWS, is_npu=True) as (cid, _):
            a = T.alloc_ub((1, COLUMNS), "float32")
            b = T.alloc_ub((1, COLUMNS), dtype)
            T.copy(A[cid, 0], a)
            op(a, b)
            T.copy(b, B[cid, 0])

    return one


@T.macro
def quotient(a, b):
    T.vdiv(a, a, b)


@T.macro
def logarithm(a, b):
    T.vln(a, b)


@T.macro
def narrowed(a, b):
    T.vmul(a, 60000.0, a)
    T.vcast(a, b)


@T.macro
def mask(a, b):
    T.vbrc(-T.infinity("float32"), b)


@T.macro
def masked_whole(a, b):
    T.vbrc(-T.infinity("float32"), b)
    T.vsub(b, b, b)


@T.macro
def shifted(a, b):
    T.vadd(a, 1.0, b)


@T.macro
def scalar_quotient(a, b):
    T.vbrc(1.0, b)
    for i in T.serial(COLUMNS):
        b[0, i] = 1.0 / a[0, i]


@T.macro
def moved_scalar(a, b):
    T.vbrc(1.0, b)
    T.vbrc(-T.infinity("float32"), a)
    for i in T.serial(COLUMNS):
        b[0, i] = a[0, i]


def _found(
    op: T.Macro, at: float, execution: str, dtype: str = "float32", **options: str
) -> tuple[Finding, ...]:
    """The findings where A is 1 but for one element of row 3."""
    a = torch.ones(ROWS, COLUMNS)
    a[3, 5] = at
    b = torch.zeros(ROWS, COLUMNS, dtype=getattr(torch, dtype))
    kernel = compile_kernel(_kernel(op, dtype))
    return kernel.launch(a.npu(), b.npu(), execution=execution, **options).findings


def _line(found: Finding) -> str:
    line = found.diagnostic.labels[0].span.line
    return Path(__file__).read_text().splitlines()[line - 1].strip()


@pytest.mark.parametrize(
    ("op", "at", "dtype", "kind"),
    [
        (quotient, 0.0, "float32", "NaN"),
        (logarithm, 0.0, "float32", "inf"),
        (logarithm, -1.0, "float32", "NaN"),
        (narrowed, 2.0, "float16", "inf"),
    ],
)
def test_names_the_statement_and_the_block(
    execution: str, op: T.Macro, at: float, dtype: str, kind: str
) -> None:
    (found,) = _found(op, at, execution, dtype)
    diagnostic = found.diagnostic
    assert (diagnostic.code, diagnostic.severity, found.block) == ("TL509", "warning", 3)
    assert diagnostic.what.startswith(f"the first {kind} of this launch arises in block 3")
    assert diagnostic.what.endswith("left in B")
    wanted = {quotient: "T.vdiv(a, a, b)", logarithm: "T.vln(a, b)", narrowed: "T.vcast(a, b)"}
    assert _line(found) == wanted[op]


def test_block_that_is_masked_whole(execution: str) -> None:
    """-inf is meant; -inf - -inf is not."""
    (found,) = _found(masked_whole, 1.0, execution)
    assert found.diagnostic.what.startswith("the first NaN of this launch arises in block 0")


@pytest.mark.parametrize(
    ("op", "at"),
    [
        (mask, 1.0),
        (shifted, torch.inf),
        (shifted, torch.nan),
        (quotient, torch.nan),
        (moved_scalar, 1.0),
    ],
)
def test_what_is_meant_or_was_there_before_is_quiet(execution: str, op: T.Macro, at: float) -> None:
    assert _found(op, at, execution) == ()


def test_scalar_code_is_watched() -> None:
    (found,) = _found(scalar_quotient, 0.0, "functional")
    assert found.diagnostic.what.startswith("the first inf of this launch arises in block 3")


def test_simulator_without_checks_does_not_look() -> None:
    assert _found(quotient, 0.0, "simulator", checks="off") == ()


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_second_run_prints_nothing_and_leaves_the_outputs(
    execution: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The tensor is read and written: the watched run starts from what it held at first."""

    @T.prim_func
    def halved(A: T.Tensor((1, COLUMNS), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((1, COLUMNS), "float32")
            b = T.alloc_ub((1, COLUMNS), "float32")
            T.copy(A, a)
            T.print(a[0, 0], msg="first")
            T.vsub(a, 1.0, a)
            T.vbrc(4.0, b)
            T.vdiv(b, a, a)
            T.copy(a, A)

    a = torch.full((1, COLUMNS), 2.0)
    a[0, 7] = 1.0
    passed = a.npu()
    (found,) = compile_kernel(halved).launch(passed, execution=execution).findings
    assert _line(found) == "T.vdiv(b, a, a)"
    assert capsys.readouterr().out.count("first") == 1
    assert torch.equal(passed.cpu(), 4.0 / (a - 1))


def test_long_launch_is_not_watched_to_its_end(
    execution: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(functional_watch, "_OPS", 6)
    monkeypatch.setattr(simulator_watch, "_INSTRUCTIONS", 6)
    assert _found(quotient, 0.0, execution) == ()
