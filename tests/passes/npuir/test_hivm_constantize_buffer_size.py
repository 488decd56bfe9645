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


def _plain(lines: str, kind: str = "memref<?x16xi32>") -> str:
    return f"""#least = affine_map<(d0) -> (d0, 32)>
#steps = affine_map<(d0)[s0] -> (d0 floordiv 4 + s0 mod 8 + 2)>
module {{
  func.func @k(%n: index) {{
    {lines}
    annotation.mark %t {{seen}} : {kind}
    return
  }}
}}"""


def _room(run_passes, text: str) -> str:
    return run_passes(text, HivmConstantizeBufferSizePass())


@pytest.mark.parametrize("alloc", ["alloc", "alloca"])
def test_a_map_limits_an_extent(run_passes, alloc: str) -> None:
    text = _plain(f"%m = affine.min #least(%n)\n%t = memref.{alloc}(%m) : memref<?x16xi32>")
    assert f"memref.{alloc}() : memref<2048xi8>" in _room(run_passes, text)


def test_sums_and_quotients_in_a_map(run_passes) -> None:
    text = _plain(
        "%m = affine.min #least(%n)\n%s = affine.apply #steps(%m)[%n]\n"
        "%t = memref.alloc(%s) : memref<?x16xi32>"
    )
    assert f"memref.alloc() : memref<{(8 + 7 + 2) * 64}xi8>" in _room(run_passes, text)


def test_what_nothing_limits_stays_where_no_memory_is_told(run_passes) -> None:
    text = _plain("%t = memref.alloc(%n) : memref<?x16xi32>")
    assert "memref.view" not in _room(run_passes, text)


@pytest.mark.parametrize(("most", "changes"), [(2048, True), (2047, False)])
def test_a_mark_may_announce_fewer_bytes(run_passes, most: int, changes: bool) -> None:
    text = _plain(
        "%m = affine.min #least(%n)\n%t = memref.alloc(%m) : memref<?x16xi32>\n"
        f"annotation.mark %t {{buffer_size_in_byte = {most} : i64}} : memref<?x16xi32>"
    )
    assert ("memref.view" in _room(run_passes, text)) == changes


@pytest.mark.bishengir
def test_the_real_pass_makes_the_same_room(run_passes, real_passes) -> None:
    text = _kernel("%m = arith.minsi %n, %c32 : index")
    real = real_passes(text, "func.func(convert-arith-to-affine,hivm-constantize-buffer-size)")
    assert "memref.alloc() : memref<64xi8, #hivm.address_space<ub>>" in real
