"""What is told where no kernel of the zoo can come: the nets under the executors."""

from __future__ import annotations

import pytest
import torch
import torch_npu  # noqa: F401 - adds `.npu()`

import tlcourse.language as T
from tlcourse.diagnostics import TLError, render_text
from tlcourse.jit import compile

SMALL_TILE = """%c = hivm.hir.pointer_cast(%c0) : L0C(1x1x16x16xf32)
%d = memref.reinterpret_cast %A to offset: [0], sizes: [32, 32], strides: [32, 1] : GM(?xf32) to \
GM(32x32xf32)
hivm.hir.fixpipe {enable_nz2nd} ins(%c : L0C(1x1x16x16xf32)) outs(%d : GM(32x32xf32))"""

NOT_COMPUTED = """\
error[TL530]: fixpipe could not be computed: a fractal tile of 16 x 16 elements cannot hold 32 x 32
  --> k, line 3: this instruction
  = why: the simulator, which computes tiles with torch, met tiles that do not fit each other
  = fix: give all operands of the statement the same extents; a kernel that should run deserves \
a report
  = see: docs/errors.md#TL530"""

TRANSPOSES = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
hivm.hir.vexp ins(%u : UB(64xf32)) outs(%u : UB(64xf32)) transpose = [0]"""

NO_MEANING = """\
error[TL531]: the simulator cannot run hivm.hir.vexp: it transposes on the way
  --> this cell, line 2
   |
 2 | hivm.hir.vexp ins(%u : UB(64xf32)) outs(%u : UB(64xf32)) transpose = [0]
   | ^^^^^^^^^^^^^ comes from this statement
  = why: it runs executable HIVM, and this op or this form of it has no meaning there
  = fix: write the statement with other T operations, or run the kernel with the functional \
executor (TLCOURSE_EXECUTION=functional)
  = see: docs/errors.md#TL531"""


def test_instruction_that_torch_refuses(tiny, helpers) -> None:
    tensors = [helpers.tensor("A", "float32", 32, 32)]
    result = tiny.run(tensors, [torch.ones(32, 32)], cube=SMALL_TILE)
    (found,) = [one for one in result.findings if one.diagnostic.code == "TL530"]
    assert render_text(found.diagnostic, {}) == NOT_COMPUTED


def test_op_without_a_meaning(tiny, helpers) -> None:
    with pytest.raises(TLError) as caught:
        tiny.program([], vector=TRANSPOSES)
    assert str(caught.value) == NO_MEANING


def test_tile_that_this_machine_cannot_hold() -> None:
    @T.prim_func
    def huge(A: T.Tensor((8,), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((2**20, 2**22), "float32")
            T.copy(a[0, 0:8], A)

    with pytest.raises(TLError) as caught:
        compile(huge, mode="Developer").launch(torch.ones(8).npu(), execution="functional")
    first, *rest = str(caught.value).splitlines()
    assert first.startswith("error[TL507]: ")
    assert "T.alloc_shared((2**20, 2**22)" in str(caught.value)
    assert rest[-2:] == [
        "  = fix: make the tile smaller; a kernel that should run deserves a report",
        "  = see: docs/errors.md#TL507",
    ]
