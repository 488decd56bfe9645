"""TILELANG_DUMP_IR: prints the IR of a kernel when it is made."""

from __future__ import annotations

import sys

from tlcourse.diagnostics import TLError
from tlcourse.jit.kernel import Kernel
from tlcourse.pipeline import PassFailure
from tlcourse.records import PassTrace


def dump(kernel: Kernel) -> None:
    """Prints a kernel's Tile IR and MLIR on stdout, and the MLIR after each pass on stderr.

    A kernel that does not compile is printed as far as its passes came; its first launch
    says why.
    """
    if kernel.prim_func is not None:
        _print("TVM IR", kernel.prim_func.script())
    trace = _trace(kernel)
    if trace is None:
        return
    made = [one for one in trace.snapshots if one.phase == "codegen"]
    after = [one for one in trace.snapshots if one.phase == "npuir"]
    for one in made:
        _print("npuir", trace.texts[one.text_id])
    for one in after:
        print(f"// -----// IR Dump After {one.pass_name} //----- //", file=sys.stderr)
        print(trace.texts[one.text_id], file=sys.stderr)
    if after and after[-1].status != "failed":
        _print("final npuir", trace.texts[after[-1].text_id])


def _trace(kernel: Kernel) -> PassTrace | None:
    try:
        return kernel.trace()
    except PassFailure as failure:
        return failure.trace
    except TLError:
        return None


def _print(title: str, text: str) -> None:
    print(f"====== {title} ======")
    print(text)
