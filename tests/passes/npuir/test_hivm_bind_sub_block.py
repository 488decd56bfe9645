import re

import pytest

from tlcourse.passes.npuir.hivm_bind_sub_block import HivmBindSubBlockPass


def _module(body: str, *, extent: str = "64x32", mark: str = "hivm.part_of_mix, ") -> str:
    return f"""module {{
  func.func @k(%ws: memref<{extent}xf32>, %gm: memref<{extent}xf32>, %n: index, %s: f32)
      attributes {{{mark}hivm.func_core_type = #hivm.func_core_type<AIV>}} {{
    {body.replace("TILE", f"tensor<{extent}xf32>").replace("EXT", extent)}
    return
  }}
}}"""


POINTWISE = """%w = bufferization.to_tensor %ws restrict writable : memref<EXTxf32>
    %e = tensor.empty() : TILE
    %l = hivm.hir.load ins(%w : TILE) outs(%e : TILE) core_type = <VECTOR> -> TILE
    %y = hivm.hir.vexp ins(%l : TILE) outs(%e : TILE) -> TILE
    hivm.hir.store ins(%y : TILE) outs(%gm : memref<EXTxf32>)"""
PART = "memref<?x32xf32, strided<[32, 1]>>"
SHORT = f"""%a = memref.alloc() : memref<EXTxf32>
    %p = memref.subview %gm[0, 0] [%n, 32] [1, 1] : memref<64x32xf32> to {PART}
    %q = memref.subview %a[0, 0] [%n, 32] [1, 1] : memref<64x32xf32> to {PART}
    hivm.hir.load ins(%p : {PART}) outs(%q : {PART})
    %x = bufferization.to_tensor %a restrict : memref<EXTxf32>
    %e = tensor.empty() : TILE
    %y = hivm.hir.vexp ins(%x : TILE) outs(%e : TILE) -> TILE
    %z = tensor.extract_slice %y[0, 0] [%n, 32] [1, 1] : TILE to tensor<?x32xf32>
    hivm.hir.store ins(%z : tensor<?x32xf32>) outs(%p : {PART})"""
REDUCED = """%w = bufferization.to_tensor %ws restrict writable : memref<EXTxf32>
    %e = tensor.empty() : TILE
    %l = hivm.hir.load ins(%w : TILE) outs(%e : TILE) core_type = <VECTOR> -> TILE
    %o = tensor.empty() : tensor<1x32xf32>
    %m = hivm.hir.vreduce <sum> ins(%l : TILE) outs(%o : tensor<1x32xf32>) reduce_dims = [0]
      -> tensor<1x32xf32>
    %y = hivm.hir.vadd ins(%l, %m : TILE, tensor<1x32xf32>) outs(%e : TILE) broadcast = [0] -> TILE
    hivm.hir.store ins(%y : TILE) outs(%gm : memref<EXTxf32>)"""


def test_rows_are_shared(run_passes) -> None:
    text = run_passes(_module(POINTWISE), HivmBindSubBlockPass())
    assert "hivm.hir.get_sub_block_idx" in text
    assert "arith.constant 32 : index" in text
    assert "tensor.extract_slice %w[" in text
    assert "vexp ins(%l : tensor<32x32xf32>)" in text
    assert "memref.subview %gm[" in text
    assert "scf.if" not in text


def test_columns_are_shared_where_there_is_one_row(run_passes) -> None:
    text = run_passes(_module(POINTWISE, extent="1x64"), HivmBindSubBlockPass())
    assert "vexp ins(%l : tensor<1x32xf32>)" in text


def test_reduced_rows_are_cut_along_columns(run_passes) -> None:
    text = run_passes(_module(REDUCED), HivmBindSubBlockPass())
    assert "vreduce <sum> ins(%l : tensor<64x16xf32>)" in text


def test_short_tile_is_clamped_in_both_halves(run_passes) -> None:
    text = run_passes(_module(SHORT), HivmBindSubBlockPass())
    assert "memref.alloc() : memref<32x32xf32>" in text
    # min(max(n - offset, 0), 32) for source, destination and result
    assert text.count("arith.minsi") >= 3
    assert text.count("arith.maxsi") >= 3
    assert "vexp ins(%x : tensor<32x32xf32>)" in text


def test_short_tile_of_two_rows_is_clamped_in_both_halves(run_passes) -> None:
    """Half of it is one row, which may be there or not."""
    short = SHORT.replace("64x32", "2x32")
    text = run_passes(_module(short, extent="2x32"), HivmBindSubBlockPass())
    assert "vexp ins(%x : tensor<1x32xf32>)" in text
    # source, destination and the two parts of tiles
    assert text.count("arith.minsi") == 4
    assert "tensor.extract_slice %y[0, 0] [%n, 32]" not in text


@pytest.mark.parametrize("extent", ["63x31", "1x1"])
def test_odd_tiles_are_computed_twice_and_stored_once(run_passes, extent: str) -> None:
    text = run_passes(_module(POINTWISE, extent=extent), HivmBindSubBlockPass())
    assert f"vexp ins(%l : tensor<{extent}xf32>)" in text
    inside = text.split("scf.if")[1]
    assert "hivm.hir.store" in inside
    assert text.count("hivm.hir.store") == 1


OPEN = "tensor<?x32xf32>"
ROWS_OF_A_RUN = f"""%w = bufferization.to_tensor %ws restrict writable : memref<EXTxf32>
    %f = tensor.extract_slice %w[0, 0] [%n, 32] [1, 1] : TILE to {OPEN}
    %e = tensor.empty(%n) : {OPEN}
    %l = hivm.hir.load ins(%f : {OPEN}) outs(%e : {OPEN}) core_type = <VECTOR> -> {OPEN}
    %p = memref.subview %gm[0, 0] [%n, 32] [1, 1] : memref<EXTxf32> to {PART}
    hivm.hir.store ins(%l : {OPEN}) outs(%p : {PART})"""


def test_rows_that_a_run_tells_are_not_cut_but_columns_are(run_passes) -> None:
    text = run_passes(_module(ROWS_OF_A_RUN), HivmBindSubBlockPass())
    assert "tensor.extract_slice %f[0, %3] [%n, 16] [1, 1]" in text
    assert "-> tensor<?x16xf32>" in text
    assert "scf.if" not in text


def test_pure_vector_kernel_is_left_alone(run_passes) -> None:
    text = _module(POINTWISE, mark="")
    assert run_passes(text, HivmBindSubBlockPass()) == run_passes(text)


def test_store_into_one_plane_of_a_tensor(run_passes) -> None:
    """The part that the store fills has a dimension less than its tensor."""
    plane = "memref<64x32xf32, strided<[32, 1]>>"
    body = POINTWISE.replace("outs(%gm : memref<EXTxf32>)", f"outs(%p : {plane})")
    whole = "%g3 = memref.alloc() : memref<4x64x32xf32>"
    part = (
        f"%p = memref.subview %g3[0, 0, 0] [1, 64, 32] [1, 1, 1] : memref<4x64x32xf32> to {plane}"
    )
    text = run_passes(_module(f"{whole}\n    {part}\n    {body}"), HivmBindSubBlockPass())
    assert "memref.subview %p[" in text
    assert "[32, 32] [1, 1]" in text


def test_tiles_that_the_caller_hands_over_are_not_cut(run_passes) -> None:
    text = """func.func @k(%x: tensor<64x32xf32>, %gm: memref<64x32xf32>)
        attributes {hivm.part_of_mix, hivm.func_core_type = #hivm.func_core_type<AIV>} {
      %e = tensor.empty() : tensor<64x32xf32>
      %y = hivm.hir.vexp ins(%x : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>)
        -> tensor<64x32xf32>
      hivm.hir.store ins(%y : tensor<64x32xf32>) outs(%gm : memref<64x32xf32>)
      return
    }"""
    out = run_passes(text, HivmBindSubBlockPass())
    assert "tensor<32x32xf32>" not in out
    assert "{limit_sub_block_id0}" in out


COUNTED = """%w = bufferization.to_tensor %ws restrict writable : memref<EXTxf32>
    %e = tensor.empty() : TILE
    %l = hivm.hir.load ins(%w : TILE) outs(%e : TILE) core_type = <VECTOR> -> TILE
    %a = arith.constant -3 : index
    %b = arith.constant 1 : index
    %c = hivm.hir.varange offset[%n] strides[%a, %b] outs(%e : TILE) -> TILE
    %y = hivm.hir.vadd ins(%l, %c : TILE, TILE) outs(%e : TILE) -> TILE
    hivm.hir.store ins(%y : TILE) outs(%gm : memref<EXTxf32>)"""


def test_a_count_goes_on_in_the_second_half(run_passes) -> None:
    lines = run_passes(_module(COUNTED), HivmBindSubBlockPass()).splitlines()
    (count,) = [line for line in lines if "varange" in line]
    assert "tensor<32x32xf32>" in count
    start = re.search(r"offset\[%(\w+)\]", count)[1]
    (added,) = [line for line in lines if f"%{start} = " in line]
    steps = re.search(r"arith.addi %n, %(\w+)", added)[1]
    (scaled,) = [line for line in lines if f"%{steps} = " in line]
    assert re.search(r"arith.muli %\w+, %a", scaled)
