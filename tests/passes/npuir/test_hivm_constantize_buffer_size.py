"""hivm-constantize-buffer-size: room for the largest size of a tile."""

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.dialects.text import from_text
from tlcourse.passes.npuir.hivm_constantize_buffer_size import HivmConstantizeBufferSizePass

_TILE = "memref<1x?xf16, #hivm.address_space<ub>>"


def _kernel(size: str) -> str:
    return f"""module {{
  func.func @k(%n: index) attributes {{hacc.function_kind = #hacc.function_kind<DEVICE>}} {{
    %c32 = arith.constant 32 : index
    {size}
    %t = memref.alloc(%m) : {_TILE} loc("cell:1":3:5)
    annotation.mark %t {{seen}} : {_TILE}
    return
  }}
}}"""


def test_the_room_is_that_of_the_largest_tile(run_passes) -> None:
    text = run_passes(_kernel("%m = arith.minsi %n, %c32 : index"), HivmConstantizeBufferSizePass())
    assert "%t = memref.alloc() : memref<64xi8, #hivm.address_space<ub>>" in text
    assert f"%t_now = memref.view %t[%c0][%m] : memref<64xi8, #hivm.address_space<ub>> to {_TILE}"
    assert "annotation.mark %t_now" in text


def test_what_nothing_limits_is_an_error_at_the_tile() -> None:
    text = _kernel("%m = arith.addi %n, %c32 : index")
    with pytest.raises(TLError) as caught:
        HivmConstantizeBufferSizePass().apply(None, from_text(text))
    assert caught.value.code == "TL304"
    assert "nothing limits the size of t" in str(caught.value)


@pytest.mark.bishengir
def test_the_real_pass_makes_the_same_room(run_passes, real_passes) -> None:
    text = _kernel("%m = arith.minsi %n, %c32 : index")
    real = real_passes(text, "func.func(convert-arith-to-affine,hivm-constantize-buffer-size)")
    assert "memref.alloc() : memref<64xi8, #hivm.address_space<ub>>" in real
