"""The T namespace: every name is documented and knows whether a kernel stands around it."""

from __future__ import annotations

import pydoc
import types

import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.dialects.dtypes import DTYPES
from tlcourse.dialects.vector_ops import VECTOR_OPS
from tlcourse.language.names import public_names

# Work outside a kernel: in a factory, as a decorator or as an annotation.
HOST = {"prim_func", "macro", "meta_var", "symbolic", "dynamic", "infinity", "PrimFunc"}
FLEXIBLE = {"ceildiv", "floordiv", "floormod", "min", "max"}
FUNCTIONS = [name for name in public_names(T) if isinstance(getattr(T, name), types.FunctionType)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_function_is_documented(name: str) -> None:
    document = getattr(T, name).__doc__
    assert document
    assert document.splitlines()[0].endswith((".", "`", "`."))


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - HOST - FLEXIBLE))
def test_each_function_refuses_outside_a_kernel(name: str) -> None:
    with pytest.raises(TLError) as caught:
        getattr(T, name)()
    assert caught.value.code == "TL108"


@pytest.mark.parametrize("row", VECTOR_OPS.values(), ids=lambda row: row.mnemonic)
def test_each_row_of_the_table_has_both_spellings(row) -> None:
    new, old = getattr(T, row.mnemonic), getattr(T, row.alias)
    assert row.doc in new.__doc__
    assert (new.__name__, old.__name__) == (row.mnemonic, row.alias)


@pytest.mark.parametrize("name", DTYPES)
def test_each_dtype_is_a_name(name: str) -> None:
    assert getattr(T, name) == name
    assert getattr(T, name)() == name


def test_files_are_no_names() -> None:
    assert "Kernel" in public_names(T)
    assert "kernel" not in public_names(T)


def test_help_documents_every_function() -> None:
    shown = pydoc.plain(pydoc.render_doc(T))
    assert [
        name for name in FUNCTIONS if f"    {name}(" not in shown and f"{name} = " not in shown
    ] == []
    assert "tlcourse.language.parser" not in vars(T)["__all__"]
