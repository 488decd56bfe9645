"""Every T name, op, pass and error has its meaning, its documentation and a test."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from functools import cache
from pathlib import Path

import pytest
from xdsl.ir import Operation
from xdsl.passes import ModulePass

import tlcourse.language as T
from tlcourse.dialects import tl
from tlcourse.dialects.hivm import HIVM
from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.vector_ops import ALL_OPS
from tlcourse.passes import mlir, npuir, tir

TESTS = Path(__file__).parent
# Passes that stand elsewhere: two halves of one step.
SHARED = {
    "InsertInferTaskTypeFuncPass": "hivm_insert_infer_funcs",
    "InsertInferWorkspaceSizeFuncPass": "hivm_insert_infer_funcs",
}
_PHASES = {"tir": tir, "npuir": npuir, "mlir": mlir}


@cache
def all_tests() -> str:
    """The text of all tests but this one."""
    files = sorted(path for path in TESTS.rglob("*.py") if path.name != Path(__file__).name)
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def t_functions() -> dict[str, object]:
    """The functions and classes that a kernel calls as T.name."""
    return {
        name: value
        for name, value in vars(T).items()
        if not name.startswith("_")
        and callable(value)
        and not inspect.ismodule(value)
        and getattr(value, "__module__", "").startswith("tlcourse.")
    }


def spellings(name: str) -> list[str]:
    """All names of one function."""
    function = t_functions()[name]
    return [other for other, value in t_functions().items() if value is function]


def from_table(name: str) -> bool:
    """Whether a name comes from the table of vector ops, whose rows are parameters of tests."""
    assert "ALL_OPS" in all_tests()
    return any(name in (row.mnemonic, row.alias) for row in ALL_OPS.values())


def passes() -> dict[str, type[ModulePass]]:
    """Every pass by phase and file."""
    found: dict[str, type[ModulePass]] = {}
    for phase, package in _PHASES.items():
        for info in pkgutil.iter_modules(package.__path__):
            if info.ispkg:
                continue
            module = importlib.import_module(f"{package.__name__}.{info.name}")
            for value in vars(module).values():
                if not inspect.isclass(value) or value.__module__ != module.__name__:
                    continue
                if issubclass(value, ModulePass) and "name" in vars(value):
                    found[f"{phase}/{info.name}/{value.__name__}"] = value
    return found


@pytest.mark.parametrize("name", sorted(t_functions()))
def test_t_name_is_documented_and_tested(name: str) -> None:
    text = inspect.getdoc(t_functions()[name]) or ""
    assert len(text.split()) >= 3, f"T.{name} has no docstring"
    names = "|".join(map(re.escape, spellings(name)))
    used = re.search(rf"\bT\.({names})\b|[\"']({names})[\"']", all_tests())
    assert used or from_table(name), f"no test uses T.{name}"


@pytest.mark.parametrize("op", tl.OPS, ids=lambda op: op.name)
def test_op_of_tile_ir_is_documented_and_tested(op: type[Operation]) -> None:
    assert op.__doc__, f"{op.name} has no docstring"
    bare = op.name.removeprefix("tl.")
    used = re.search(rf"{re.escape(op.name)}\b|\b{op.__name__}\b|\b{bare}\b", all_tests())
    assert used or from_table(bare), f"no test names {op.name}"


@pytest.mark.parametrize("op", list(HIVM.operations), ids=lambda op: op.name)
def test_op_of_hivm_has_pipe_meaning_documentation_and_test(op: type[Operation]) -> None:
    assert op.__doc__, f"{op.name} has no docstring"
    used = re.search(rf"{re.escape(op.name)}\b|\b{op.__name__}\b", all_tests())
    bare = op.name.removeprefix("hivm.hir.")
    used = used or re.search(rf"\b{bare}\b", all_tests()) or from_table(bare)
    assert used, f"no test names {op.name}"
    if issubclass(op, PipeOp):
        for member in ("pipe", "core", "cost", "sources", "destinations", "meaning"):
            assert _defines(op, member), f"{op.name} does not say its {member}"


@pytest.mark.parametrize("name", sorted(passes()))
def test_pass_is_named_as_its_file_documented_and_tested(name: str) -> None:
    kind = passes()[name]
    stem = name.split("/")[1]
    words = kind.name.replace("-", "").lower()
    assert stem == SHARED.get(kind.__name__) or words == stem.replace("_", ""), stem
    assert kind.__doc__ or importlib.import_module(kind.__module__).__doc__
    used = re.search(rf"\b{kind.__name__}\b|{re.escape(kind.name)}|\b{stem}\b", all_tests())
    assert used, f"no test runs {kind.name}"


def _defines(op: type[Operation], member: str) -> bool:
    """Whether a class between the op and the abstract base gives a member."""
    return any(member in vars(cls) for cls in op.__mro__[: op.__mro__.index(PipeOp)])
