import pytest
from xdsl.context import Context

from tlcourse.diagnostics import TLError
from tlcourse.dialects.text import from_text, to_text
from tlcourse.passes.npuir.hivm_infer_mem_scope import HivmInferMemScopePass

MODULE = """module {
  func.func @k(%gm: memref<64x64xf16>, %init: i1, %m: index) {
    %a = memref.alloc() : memref<64x64xf16>
    %b = memref.alloc() : memref<64x64xf16>
    %v = memref.subview %b[0, 0] [64, 64] [1, 1] : memref<64x64xf16> to
      memref<64x64xf16, strided<[64, 1]>>
    %c = memref.alloc() : memref<64x64xf32>
    %u = memref.alloc() : memref<64x64xf16>
    hivm.hir.load ins(%gm : memref<64x64xf16>) outs(%u : memref<64x64xf16>)
    hivm.hir.mmadL1 ins(%a, %v, %init, %m, %m, %m : memref<64x64xf16>,
      memref<64x64xf16, strided<[64, 1]>>, i1, index, index, index) outs(C)
    return
  }
}
"""


def _run(text: str) -> str:
    module = from_text(text)
    HivmInferMemScopePass().apply(Context(), module)
    module.verify()
    return to_text(module)


def test_spaces_follow_the_use() -> None:
    text = _run(MODULE.replace("C)", "%c : memref<64x64xf32>)"))
    assert "@k(%gm: memref<64x64xf16, #hivm.address_space<gm>>" in text
    assert "%a = memref.alloc() : memref<64x64xf16, #hivm.address_space<cbuf>>" in text
    assert "to memref<64x64xf16, strided<[64, 1]>, #hivm.address_space<cbuf>>" in text
    assert "%c = memref.alloc() : memref<64x64xf32, #hivm.address_space<cc>>" in text
    assert "%u = memref.alloc() : memref<64x64xf16, #hivm.address_space<ub>>" in text


def test_known_spaces_stay() -> None:
    text = _run(MODULE.replace("C)", "%c : memref<64x64xf32>)"))
    assert _run(text) == text


def test_tile_that_is_product_and_factor_is_refused() -> None:
    with pytest.raises(TLError) as caught:
        _run(MODULE.replace("C)", "%a : memref<64x64xf16>)"))
    assert caught.value.code == "TL331"
    assert "a is needed in L1 and in L0C at once" in str(caught.value)


def test_two_buffers_that_an_if_hands_to_the_next_trip() -> None:
    kind, pair = "memref<8xf32>", "memref<8xf32>, memref<8xf32>"
    text = _run(f"""func.func @k(%n: index, %if: i1) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : {kind}
  %b = memref.alloc() : {kind}
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%x = %a, %y = %b) -> ({pair}) {{
    %s:2 = scf.if %if -> ({pair}) {{
      %c = memref.alloc() : {kind}
      scf.yield %c, %y : {pair}
    }} else {{
      %d = memref.alloc() : {kind}
      scf.yield %x, %d : {pair}
    }}
    scf.yield %s#0, %s#1 : {pair}
  }}
  hivm.hir.vadd ins(%r#0, %r#1 : {pair}) outs(%a : {kind})
  return
}}""")
    assert "memref<8xf32>" not in text
    assert _run(text) == text  # every value that is used is there
