"""Running kernels of the field log in both modes, and looking at refusals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

import tlcourse.language as T
from tlcourse import device
from tlcourse.diagnostics import SourceMap, TLError, render_text
from tlcourse.jit import compile as compile_kernel
from tlcourse.records import Finding
from tlcourse.tolerance import tolerance

_VARIABLES = (
    *("TILELANG_ASCEND_MODE", "TILELANG_ASCEND_DEVICE_NAME", "TILELANG_DISABLE_CACHE"),
    *("TLCOURSE_COMPILER", "TLCOURSE_EXECUTION", "TLCOURSE_CHECKS", "TLCOURSE_BOUNDS"),
)
# What a kernel writes is preset with a number that no case computes: holes are seen.
UNTOUCHED = 77


@pytest.fixture(autouse=True)
def _plain_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    device.install()
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path / "cache"))


@dataclass(frozen=True, kw_only=True)
class Machine:
    """One way of running kernels: a mode and an executor."""

    mode: str
    execution: str

    def run(self, func: T.PrimFunc, *arguments: torch.Tensor | int | float) -> tuple[Finding, ...]:
        """Runs a kernel in place on CPU tensors and gives the findings."""
        kernel = compile_kernel(func, mode=self.mode)
        passed = [_to_npu(argument) for argument in arguments]
        launch = kernel.launch(*passed, execution=self.execution)
        for mine, theirs in zip(arguments, passed, strict=True):
            if isinstance(mine, torch.Tensor) and mine.numel():
                mine.copy_(theirs.cpu())
        return launch.findings

    def gives(
        self,
        func: T.PrimFunc,
        inputs: tuple[torch.Tensor | int | float, ...],
        *expected: torch.Tensor,
    ) -> None:
        """Runs a kernel whose last parameters are outputs; they must equal `expected`."""
        outputs = [torch.full_like(tensor, UNTOUCHED) for tensor in expected]
        assert self.run(func, *inputs, *outputs) == ()
        for found, wanted in zip(outputs, expected, strict=True):
            limit = tolerance(str(wanted.dtype).removeprefix("torch."))
            torch.testing.assert_close(found, wanted, rtol=limit, atol=limit, equal_nan=True)


def _to_npu(argument: torch.Tensor | int | float) -> torch.Tensor | int | float:
    return argument.npu() if isinstance(argument, torch.Tensor) else argument


_WAYS = [(mode, how) for how in ("functional", "simulator") for mode in ("Expert", "Developer")]


@pytest.fixture(params=_WAYS, ids=lambda way: "-".join(way))
def anywhere(request: pytest.FixtureRequest) -> Machine:
    """Both modes on both executors."""
    return Machine(mode=request.param[0], execution=request.param[1])


@pytest.fixture(params=["Expert", "Developer"])
def machine(request: pytest.FixtureRequest) -> Machine:
    """Both modes on the functional executor."""
    return Machine(mode=request.param, execution="functional")


@pytest.fixture(params=["functional", "simulator"])
def developer(request: pytest.FixtureRequest) -> Machine:
    """Developer mode on both executors."""
    return Machine(mode="Developer", execution=request.param)


@pytest.fixture
def functional() -> Machine:
    """Developer mode on the functional executor alone."""
    return Machine(mode="Developer", execution="functional")


Refuse = Callable[..., TLError]


@pytest.fixture
def refused() -> Refuse:
    """Calls a function that must end in a coded error whose caret stands in a certain line."""

    def refused(call: Callable[[], object], code: str, line: str, *words: str) -> TLError:
        with pytest.raises(TLError) as caught:
            call()
        check_message(caught.value, code, line, words)
        return caught.value

    return refused


@pytest.fixture
def found() -> Callable[..., None]:
    """Checks the one finding of a run: its code, the learner's line and words of its text."""

    def found(
        findings: tuple[Finding, ...], sources: SourceMap, code: str, line: str, *words: str
    ) -> None:
        assert [finding.diagnostic.code for finding in findings] == [code]
        check_message(TLError(findings[0].diagnostic, dict(sources)), code, line, words)

    return found


def check_message(error: TLError, code: str, line: str, words: tuple[str, ...]) -> None:
    """The code, a caret below the line, and the words."""
    text = render_text(error.diagnostic, error.sources)
    assert error.code == code, text
    rows = text.splitlines()
    carets = [i for i, row in enumerate(rows) if set(row.strip(" |.")[:1]) == {"^"}]
    assert any(line in rows[i - 1] for i in carets), text
    for word in words:
        assert word in text, text
