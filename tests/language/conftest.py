"""Kernels from texts, as a notebook cell would define them."""

from __future__ import annotations

import itertools
import linecache
import textwrap
from collections.abc import Callable

import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError

Read = Callable[..., T.PrimFunc]
Refuse = Callable[..., TLError]


@pytest.fixture
def read() -> Read:
    """Executes a text that defines a function `k` under `@T.prim_func`; gives the kernel."""
    numbers = itertools.count()

    def read(text: str, **names: object) -> T.PrimFunc:
        source = textwrap.dedent(text).lstrip("\n")
        file = f"<cell {next(numbers)}>"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        scope: dict[str, object] = {"T": T, **names}
        exec(compile(source, file, "exec"), scope)
        kernel = scope["k"]
        assert isinstance(kernel, T.PrimFunc)
        return kernel

    return read


@pytest.fixture
def body(read: Read) -> Read:
    """A kernel around lines that use tensors A, B, C [256, 128] f32, a, b, c tiles [64, 128]."""

    def body(lines: str, **names: object) -> T.PrimFunc:
        return read(around(lines), **names)

    return body


@pytest.fixture
def refuse(body: Read) -> Refuse:
    """The error that reading such a kernel ends in."""

    def refuse(lines: str, **names: object) -> TLError:
        with pytest.raises(TLError) as caught:
            body(lines, **names)
        return caught.value

    return refuse


def around(lines: str) -> str:
    """The text of a kernel around lines of its body."""
    head = """\
        @T.prim_func
        def k(
            A: T.Tensor((256, 128), "float32"),
            B: T.Tensor((256, 128), "float32"),
            C: T.Tensor((256, 128), "float32"),
            n: T.int32,
        ):
            with T.Kernel(4, is_npu=True) as (cid, vid):
                a = T.alloc_ub((64, 128), "float32")
                b = T.alloc_ub((64, 128), "float32")
                c = T.alloc_ub((64, 128), "float32")
    """
    inner = textwrap.indent(textwrap.dedent(lines).strip("\n"), " " * 8)
    return textwrap.dedent(head) + inner + "\n"


@pytest.fixture
def underlined() -> Callable[[TLError], list[str]]:
    """The stretches of the learner's text that an error's carets underline."""

    def underlined(error: TLError) -> list[str]:
        found: list[str] = []
        for label in error.diagnostic.labels:
            lines = error.sources[label.span.source].text.splitlines()
            line, span = lines[label.span.line - 1], label.span
            end = span.end_column - 1 if span.end_line == span.line else len(line)
            found.append(line[span.column - 1 : end])
        return found

    return underlined
