"""hivm-enable-stride-align: rows that are no multiple of 32 bytes are padded where they matter."""

import pytest

from tlcourse.passes.npuir.hivm_enable_stride_align import HivmEnableStrideAlignPass


def _type(rows: int, columns: int, dtype: str, space: str, step: int | None = None) -> str:
    layout = f", strided<[{step}, 1], offset: ?>" if step else ""
    return f"memref<{rows}x{columns}x{dtype}{layout}, #hivm.address_space<{space}>>"


def _kernel(columns: int, dtype: str = "f32", step: int | None = 1024, body: str = "") -> str:
    gm, ub = _type(64, columns, dtype, "gm", step), _type(64, columns, dtype, "ub")
    column = _type(64, 1, dtype, "ub")
    return f"""module {{
  func.func @k(%g: {gm}) attributes {{hivm.func_core_type = #hivm.func_core_type<AIV>}} {{
    %a = memref.alloc() : {ub}
    %b = memref.alloc() : {ub}
    %m = memref.alloc() : {column}
    hivm.hir.load ins(%g : {gm}) outs(%a : {ub})
    hivm.hir.vreduce <max> ins(%a : {ub}) outs(%m : {column}) reduce_dims = [1]
    hivm.hir.vsub ins(%a, %m : {ub}, {column}) outs(%b : {ub}) broadcast = [1]
    {body}
    return
  }}
}}"""


@pytest.mark.parametrize(
    ("columns", "dtype", "padded"), [(10, "f32", 16), (17, "f16", 32), (33, "i8", 64)]
)
def test_rows_are_padded_to_32_bytes(run_passes, columns: int, dtype: str, padded: int) -> None:
    text = run_passes(_kernel(columns, dtype), HivmEnableStrideAlignPass())
    assert text.count(f"memref.alloc() : {_type(64, padded, dtype, 'ub')}") == 2
    view = f"memref<64x{columns}x{dtype}, strided<[{padded}, 1]>, #hivm.address_space<ub>>"
    assert f"hivm.hir.load ins(%g : {_gm(columns, dtype)}) outs(%a_rows : {view})" in text
    # a column of maxima is no row: it stays as it is
    assert f"memref.alloc() : {_type(64, 1, dtype, 'ub')}" in text


def _gm(columns: int, dtype: str) -> str:
    return f"memref<64x{columns}x{dtype}, strided<[1024, 1], offset: ?>>"


@pytest.mark.parametrize(("columns", "step"), [(16, 1024), (10, None), (10, 10)])
def test_whole_rows_and_dense_sources_stay(run_passes, columns: int, step: int | None) -> None:
    text = run_passes(_kernel(columns, step=step), HivmEnableStrideAlignPass())
    assert "_rows" not in text
    assert text.count(f"memref.alloc() : {_type(64, columns, 'f32', 'ub')}") == 2
    assert "hivm.storage_aligned" in text


def test_a_buffer_without_work_with_padded_ones_stays(run_passes) -> None:
    ub = _type(64, 10, "f32", "ub")
    body = f"%c = memref.alloc() : {ub}\nhivm.hir.vexp ins(%c : {ub}) outs(%c : {ub})"
    text = run_passes(_kernel(10, body=body), HivmEnableStrideAlignPass())
    assert f"%c = memref.alloc() : {ub}" in text


@pytest.mark.bishengir
@pytest.mark.parametrize("columns", [10, 16])
def test_the_real_passes_pad_the_same_buffers(run_passes, real_passes, columns: int) -> None:
    text = _kernel(columns).replace(
        "attributes {", "attributes {hacc.function_kind = #hacc.function_kind<DEVICE>, "
    )
    ours = run_passes(text, HivmEnableStrideAlignPass())
    real = real_passes(text, "func.func(hivm-mark-stride-align,hivm-enable-stride-align)")
    strided = f"memref<64x{columns}xf32, strided<[16, 1]>, #hivm.address_space<ub>>"
    assert ours.count(strided) == real.count(strided)
    assert ours.count("memref.subview") == real.count("memref.subview")


def test_slices_of_a_padded_tile_take_its_strides(run_passes) -> None:
    tile = _type(64, 10, "f32", "ub")
    part = "memref<8x10xf32, strided<[10, 1], offset: 20>, #hivm.address_space<ub>>"
    body = (
        f"%v = memref.subview %a[2, 0] [8, 10] [1, 1] : {tile} to {part}\n"
        f"    hivm.hir.vexp ins(%v : {part}) outs(%v : {part})"
    )
    text = run_passes(_kernel(10, body=body), HivmEnableStrideAlignPass())
    wanted = "memref<8x10xf32, strided<[16, 1], offset: 32>, #hivm.address_space<ub>>"
    assert f"hivm.hir.vexp ins(%v : {wanted})" in text


def test_a_tile_that_is_also_seen_otherwise_stays_in_one_piece(run_passes) -> None:
    body = (
        f"%v = memref.collapse_shape %a [[0, 1]] : {_type(64, 10, 'f32', 'ub')} into "
        "memref<640xf32, #hivm.address_space<ub>>\n"
        "    annotation.mark %v {seen} : memref<640xf32, #hivm.address_space<ub>>"
    )
    text = run_passes(_kernel(10, body=body), HivmEnableStrideAlignPass())
    assert f"%a = memref.alloc() : {_type(64, 10, 'f32', 'ub')}" in text
