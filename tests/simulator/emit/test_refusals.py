"""Forms of ops that are refused rather than computed wrongly."""

from __future__ import annotations

import pytest

from tlcourse.diagnostics import TLError

HEAD = """%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)
%v = hivm.hir.pointer_cast(%c256) : UB(64xf32)
%l = hivm.hir.pointer_cast(%c0) : L0C(1x1x16x16xf32)
%g = memref.reinterpret_cast %A to offset: [0], sizes: [16, 16], strides: [16, 1] : \
GM(?xf32) to GM(16x16xf32)
"""


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param(
            "hivm.hir.load ins(%A1 : GM(256xf32)) outs(%u : UB(64xf32)) "
            "left_padding_num = %i3 : index",
            "pads rows",
            id="padding",
        ),
        pytest.param(
            "hivm.hir.load ins(%A1 : GM(256xf32)) outs(%u : UB(64xf32)) init_out_buffer = true",
            "fills its destination",
            id="fill",
        ),
        pytest.param(
            "hivm.hir.vexp ins(%u : UB(64xf32)) outs(%v : UB(64xf32)) transpose = [0]",
            "transposes",
            id="transpose",
        ),
        pytest.param(
            "hivm.hir.fixpipe {dma_mode = #hivm.dma_mode<nz2dn>} "
            "ins(%l : L0C(1x1x16x16xf32)) outs(%g : GM(16x16xf32))",
            "column-major",
            id="nz2dn",
        ),
        pytest.param(
            "hivm.hir.fixpipe {enable_nz2nd, pre_relu = "
            "#hivm.fixpipe_pre_relu_mode<LEAKY_RELU>} "
            "ins(%l : L0C(1x1x16x16xf32)) outs(%g : GM(16x16xf32))",
            "LEAKY_RELU",
            id="relu",
        ),
    ],
)
def test_forms_without_a_meaning(tiny, helpers, line: str, reason: str) -> None:
    tensors = [helpers.tensor("A", "float32", 256)]
    with pytest.raises(TLError, match="TL531") as caught:
        tiny.program(tensors, vector=HEAD + line)
    assert reason in str(caught.value)


def test_padding_of_nothing_is_accepted(tiny, helpers) -> None:
    tensors = [helpers.tensor("A", "float32", 64)]
    line = (
        "%u = hivm.hir.pointer_cast(%c0) : UB(64xf32)\n"
        "hivm.hir.load ins(%A1 : GM(64xf32)) outs(%u : UB(64xf32)) "
        "left_padding_num = %i0 : index init_out_buffer = false"
    )
    assert tiny.program(tensors, vector=line).agents
