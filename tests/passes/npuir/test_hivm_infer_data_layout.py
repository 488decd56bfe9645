"""hivm-infer-data-layout: tiles of the cube core in blocks of 16 rows."""

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.dialects.text import from_text
from tlcourse.passes.npuir.hivm_infer_data_layout import HivmInferDataLayoutPass


def _type(shape: str, space: str) -> str:
    return f"memref<{shape}, #hivm.address_space<{space}>>"


def _kernel(rows: int, columns: int, dtype: str, space: str = "cbuf", body: str = "") -> str:
    gm, tile = _type(f"{rows}x{columns}x{dtype}", "gm"), _type(f"{rows}x{columns}x{dtype}", space)
    move = f"hivm.hir.nd2nz {{dst_continuous}} ins(%g : {gm}) outs(%a : {tile})"
    if space == "cc":
        move = f"hivm.hir.fixpipe ins(%a : {tile}) outs(%g : {gm})"
    return f"""module {{
  func.func @k(%g: {gm}, %i: index) attributes {{hacc.function_kind = #hacc.function_kind<DEVICE>,
      hivm.func_core_type = #hivm.func_core_type<AIC>}} {{
    %a = memref.alloc() : {tile} loc("cell:1":3:5)
    {body or move}
    return
  }}
}}"""


@pytest.mark.parametrize(
    ("rows", "columns", "dtype", "space", "blocks"),
    [
        (128, 64, "f16", "cbuf", "4x8x16x16xf16"),
        (64, 128, "bf16", "cbuf", "8x4x16x16xbf16"),
        (40, 20, "f16", "cbuf", "2x3x16x16xf16"),
        (64, 32, "i8", "cbuf", "1x4x16x32xi8"),
        (64, 32, "f32", "cbuf", "4x4x16x8xf32"),
        (128, 256, "f32", "cc", "16x8x16x16xf32"),
        (64, 96, "i32", "cc", "6x4x16x16xi32"),
    ],
)
def test_columns_of_blocks(
    run_passes, rows: int, columns: int, dtype: str, space: str, blocks: str
) -> None:
    text = run_passes(_kernel(rows, columns, dtype, space), HivmInferDataLayoutPass())
    assert f"%a = memref.alloc() : {_type(blocks, space)}" in text
    assert f"to {_type(f'?x?x?x?x{dtype}', space)}" in text


def test_a_load_into_l1_reorders(run_passes) -> None:
    text = _kernel(32, 32, "f16").replace("nd2nz {dst_continuous}", "load")
    found = run_passes(text, HivmInferDataLayoutPass())
    assert "hivm.hir.nd2nz {dst_continuous} ins(%g" in found
    assert "hivm.hir.load" not in found


def _slice(offset: str, rows: int) -> str:
    view = f"memref<{rows}x32xf16, strided<[32, 1], offset: ?>, #hivm.address_space<cbuf>>"
    return (
        f"%v = memref.subview %a[{offset}, 0] [{rows}, 32] [1, 1] : {_type('64x32xf16', 'cbuf')} "
        f"to {view}\nannotation.mark %v {{seen}} : {view}"
    )


def test_a_slice_takes_whole_blocks(run_passes) -> None:
    text = run_passes(_kernel(64, 32, "f16", body=_slice("32", 32)), HivmInferDataLayoutPass())
    assert "memref.subview %a[0, 2, 0, 0] [2, 2, 16, 16] [1, 1, 1, 1]" in text
    assert "strided<[1024, 256, 16, 1], offset: 512>" in text


def test_a_slice_may_start_at_any_row(run_passes) -> None:
    text = run_passes(_kernel(64, 32, "f16", body=_slice("24", 32)), HivmInferDataLayoutPass())
    assert "memref.subview %a[0, 1, 8, 0] [2, 2, 16, 16] [1, 1, 1, 1]" in text


def test_a_slice_at_a_computed_row_divides(run_passes) -> None:
    text = run_passes(_kernel(64, 32, "f16", body=_slice("%i", 16)), HivmInferDataLayoutPass())
    assert "arith.divsi %i, %c16 : index" in text
    assert "arith.remsi %i, %c16 : index" in text
    assert "[2, 1, 16, 16]" in text


def test_a_row_that_is_a_multiple_of_blocks_has_no_rest(run_passes) -> None:
    body = "%c48 = arith.constant 48 : index\n%r = arith.muli %i, %c48 : index\n"
    body += _slice("%r", 16)
    text = run_passes(_kernel(64, 32, "f16", body=body), HivmInferDataLayoutPass())
    assert "arith.divsi %r, %c16 : index" in text
    assert "arith.remsi" not in text


def test_a_slice_of_computed_size_rounds_up_to_blocks(run_passes) -> None:
    view = "memref<?x32xf16, strided<[32, 1]>, #hivm.address_space<cbuf>>"
    body = (
        f"%v = memref.subview %a[0, 0] [%i, 32] [1, 1] : {_type('64x32xf16', 'cbuf')} to {view}\n"
        f"annotation.mark %v {{seen}} : {view}"
    )
    text = run_passes(_kernel(64, 32, "f16", body=body), HivmInferDataLayoutPass())
    assert "arith.addi %i, %c15 : index" in text
    assert "arith.divsi" in text
    assert "memref<2x?x16x16xf16, strided<[1024, 256, 16, 1]>" in text


def test_one_tile_of_several(run_passes) -> None:
    view = "memref<64x32xf16, strided<[32, 1], offset: ?>, #hivm.address_space<cbuf>>"
    body = (
        "%v = memref.subview %a[%i, 0, 0] [1, 64, 32] [1, 1, 1] : "
        f"{_type('2x64x32xf16', 'cbuf')} to {view}\nannotation.mark %v {{seen}} : {view}"
    )
    text = _kernel(64, 32, "f16", body=body).replace(
        f"memref.alloc() : {_type('64x32xf16', 'cbuf')}",
        f"memref.alloc() : {_type('2x64x32xf16', 'cbuf')}",
    )
    found = run_passes(text, HivmInferDataLayoutPass())
    assert f"memref.alloc() : {_type('2x2x4x16x16xf16', 'cbuf')}" in found
    assert "memref.subview %a[%i, 0, 0, 0, 0] [1, 2, 4, 16, 16]" in found
    assert "memref<2x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>" in found


def test_a_slice_of_one_row_may_have_dropped_the_dimension(run_passes) -> None:
    view = "memref<32xf16, strided<[1], offset: 512>, #hivm.address_space<cbuf>>"
    body = (
        f"%v = memref.subview %a[16, 0] [1, 32] [1, 1] : {_type('64x32xf16', 'cbuf')} to {view}\n"
        f"annotation.mark %v {{seen}} : {view}"
    )
    text = run_passes(_kernel(64, 32, "f16", body=body), HivmInferDataLayoutPass())
    assert "memref.subview %a[0, 1, 0, 0] [2, 1, 16, 16]" in text


def _columns_from_8() -> str:
    view = "memref<64x16xf16, strided<[32, 1], offset: 8>, #hivm.address_space<cbuf>>"
    return (
        f"%v = memref.subview %a[0, 8] [64, 16] [1, 1] : {_type('64x32xf16', 'cbuf')} to {view}\n"
        f"annotation.mark %v {{seen}} : {view}"
    )


@pytest.mark.parametrize("case", ["slice", "size"])
def test_what_has_no_blocks_is_an_error(case: str) -> None:
    text = _kernel(64, 32, "f16", body=_columns_from_8())
    if case == "size":
        text = _kernel(64, 32, "f16").replace("64x32xf16", "?x32xf16")
        text = text.replace("memref.alloc()", "memref.alloc(%i)")
    with pytest.raises(TLError) as caught:
        HivmInferDataLayoutPass().apply(None, from_text(text))
    assert caught.value.code == "TL303"


def test_vector_buffers_and_block_layouts_stay(run_passes) -> None:
    text = _kernel(128, 64, "f16")
    assert "128x64xf16, #hivm.address_space<ub>" in run_passes(
        text.replace("cbuf", "ub"), HivmInferDataLayoutPass()
    )
    once = run_passes(text, HivmInferDataLayoutPass())
    assert run_passes(once, HivmInferDataLayoutPass()) == once


@pytest.mark.bishengir
@pytest.mark.parametrize(
    ("rows", "columns", "dtype"), [(128, 64, "f16"), (40, 20, "f16"), (64, 32, "i8")]
)
def test_the_real_passes_choose_the_same_blocks(
    run_passes, real_passes, rows: int, columns: int, dtype: str
) -> None:
    accumulator = "i32" if dtype == "i8" else "f32"
    tile, cc = _type(f"{rows}x{columns}x{dtype}", "cbuf"), f"{rows}x{rows}x{accumulator}"
    gm = _type(cc, "gm")
    multiply = f"""hivm.hir.nd2nz {{dst_continuous}} ins(%g : {_type(tile[7:].split(",")[0], "gm")})
      outs(%a : {tile})
    %c = memref.alloc() : {_type(cc, "cc")}
    %t = arith.constant true
    %h = memref.alloc() : {gm}
    hivm.hir.mmadL1 {{b_transpose}} ins(%a, %a, %t, %i, %i, %i : {tile}, {tile}, i1, index, index,
      index) outs(%c : {_type(cc, "cc")})
    hivm.hir.fixpipe {{enable_nz2nd}} ins(%c : {_type(cc, "cc")}) outs(%h : {gm})"""
    text = _kernel(rows, columns, dtype, body=multiply)
    ours = run_passes(text, HivmInferDataLayoutPass())
    real = real_passes(text, "func.func(hivm-infer-data-layout)", "canonicalize-ext")

    def blocks(found: str) -> list[str]:
        allocs = [line.split(" : ")[1] for line in found.splitlines() if "memref.alloc()" in line]
        return sorted(kind for kind in allocs if "cbuf" in kind or "<cc>" in kind)

    assert blocks(ours) == blocks(real)
