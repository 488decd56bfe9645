"""Names of upstream's host side that are not served here, and what to use instead.

A name of this table is answered by an error with the way out that stands beside it. Modules
that are not here at all raise it for each of their names.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import FrameType, MappingProxyType

from tlcourse.diagnostics import Diagnostic, Label, TLError
from tlcourse.language.source import place_of_frame

_NO_TVM = "kernels are Tile IR here: print kernel.prim_func.script(), or see kernel.trace()"
_NO_GPU = "the NPU's matrix unit needs no layout or thread code: write T.gemm and T.copy"
_NO_BINARY = "call tilelang.compile again: compiled kernels are found in the cache by their text"
_PASSES = "`tlcourse ir FILE` and kernel.trace() run the passes and show the IR after each"
_TOOLS = "nothing is built here: kernels run on the simulated chip without a C++ compiler"

INSTEAD: Mapping[str, str] = MappingProxyType(
    {
        "tilelang.DataType": 'write dtypes as texts, for example "float16"',
        "tilelang.Layout": _NO_GPU,
        "tilelang.Fragment": _NO_GPU,
        "tilelang.layout": _NO_GPU,
        "tilelang.intrinsics": _NO_GPU,
        "tilelang.primitives": _NO_GPU,
        "tilelang.register_cuda_postproc": "look at kernel.mlir_content; there is no CUDA text",
        "tilelang.register_hip_postproc": "look at kernel.mlir_content; there is no HIP text",
        "tilelang.engine.callback": "look at kernel.mlir_content; there is no CUDA or HIP text",
        "tilelang.cached": "call tilelang.compile, which looks into the cache itself",
        "tilelang.JITKernel": "tilelang.compile gives the kernel object",
        "tilelang.contrib": _NO_TVM,
        "tilelang.common": _NO_TVM,
        "tilelang.tvm": _NO_TVM,
        "tilelang.transform": _PASSES,
        "tilelang.transform.simplify": _PASSES,
        "tilelang.utils.target": 'write target="npuir"',
        "tilelang.utils.npu_utils": _TOOLS,
        "tilelang.jit.jit_npu": "tilelang.compile gives the kernel object",
        "tilelang.jit.adapter": "tilelang.compile gives the kernel object",
        "tilelang.carver.FlashAttentionTemplate": "use carver.anneal.policy.AnnealTemplate with "
        'use_template="FlashAttention"',
        "tilelang.carver.ConvTemplate": "use carver.MatmulTemplate with the sizes of the product",
        "tilelang.carver.roller": "use the hints of a template: hint.block and hint.rstep",
        "tilelang.carver.arch": "use tilelang.utils.npu_arch.AscendArch",
        "tilelang.testing.requires_cuda": "the simulated machine has an NPU and no GPU",
        "tilelang.testing.requires_rocm": "the simulated machine has an NPU and no GPU",
        "JitKernel_NPU.from_database": _NO_BINARY,
    }
)


class NotServedError(TLError, AttributeError):
    """TL460 as Python's own lookup needs it: `hasattr` sees an AttributeError."""


class NotServedImportError(TLError, ImportError):
    """The same for `from module import name`, which would hide an AttributeError."""


def not_served(name: str, module: str = "", known: Iterable[str] = ()) -> NotServedError:
    """The error for a name of upstream's that is not here.

    Args:
        name: the name, with its module in front.
        module: the module that was asked; its own way out serves names that have none.
        known: the names that the module has, for a guess.
    """
    asked = name.rpartition(".")[2]
    near = difflib.get_close_matches(asked, list(known), n=1)
    listed = ", ".join(sorted(known))
    fix = INSTEAD.get(name) or INSTEAD.get(module)
    if fix is None:
        fix = f"did you mean {module}.{near[0]}?" if near else f"{module} has {listed}"
    diagnostic = Diagnostic(
        code="TL460",
        what=f"{name} is not here",
        why="this package serves the part of tilelang that an NPU's kernels and tests use",
        fix=fix,
    )
    return NotServedError(diagnostic, {})


def asker(module: str, known: Iterable[str] = ()) -> Callable[[str], object]:
    """The `__getattr__` of a module: every name that it does not have raises TL460.

    Args:
        module: the module's name.
        known: the names that it has.
    """
    names = tuple(known)

    def ask(name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        raise _at(not_served(f"{module}.{name}", module, names), sys._getframe(1))  # pyright: ignore[reportPrivateUsage]

    return ask


def _at(problem: NotServedError, frame: FrameType) -> TLError:
    """The same error with a caret at the line that asks."""
    span, sources = place_of_frame(frame)
    if span is None:
        return problem
    diagnostic = replace(problem.diagnostic, labels=(Label(span=span),))
    line = sources[span.source].text.splitlines()[span.line - 1]
    is_import = line.lstrip().startswith("from ")
    return (NotServedImportError if is_import else NotServedError)(diagnostic, sources)
