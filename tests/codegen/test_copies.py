from __future__ import annotations

import re

import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError

_F16 = "float16"
_F32 = "float32"


def _refused(lower, func, mode, code, match):
    with pytest.raises(TLError, match=re.escape(match)) as caught:
        lower(func, mode)
    assert caught.value.code == code
    return caught.value


def test_no_path_joins_ub_and_l1(lower):
    @T.prim_func
    def kernel(A: T.Tensor((64, 128), _F32)):
        with T.Kernel(1, is_npu=True):
            p_ub = T.alloc_ub((64, 128), _F32)
            p_l1 = T.alloc_shared((64, 128), _F32)
            T.copy(p_ub, p_l1)

    what = "T.copy cannot move a tile from UB to L1 on Ascend 910B"
    error = _refused(lower, kernel, "Expert", "TL203", what)
    assert "T.copy(p_ub, p_l1)\n" in str(error)
    assert "^" * len("T.copy(p_ub, p_l1)") in str(error)
    assert "write p_ub to a workspace tensor in GM and read it back into p_l1" in str(error)


def test_l1_does_not_lead_to_gm(lower):
    @T.prim_func
    def kernel(A: T.Tensor((64, 128), _F32)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((64, 128), _F32)
            T.copy(a, A)

    error = _refused(lower, kernel, "Expert", "TL203", "from L1 to GM")
    assert "leaves it by L0C to GM" in error.diagnostic.why


@pytest.mark.parametrize("mode", ["Expert", "Developer"])
def test_gm_to_gm_needs_a_tile_between(lower, mode, readable):
    kind = "memref<64x128xf32, #tl.scope<global>>"
    a, b = (f'{kind} {{tl.name = "{name}", tl.extents = ["64", "128"]}}' for name in "AB")
    text = f"""
    builtin.module {{
      func.func @kernel(%A: {a}, %B: {b}) {{
        %c1 = arith.constant 1 : i32
        tl.kernel(%c1) {{
        ^bb0(%cid: i32, %vid: i32):
          tl.copy %A, %B : {kind} to {kind}
        }}
        func.return
      }}
    }}"""
    error = _refused(_from_text(readable), text, mode, "TL203", "from GM to GM")
    assert "copy A to a tile of T.alloc_" in error.diagnostic.fix


@pytest.mark.parametrize("mode", ["Expert", "Developer"])
def test_extents_agree(lower, mode, readable):
    text = """
    builtin.module {
      func.func @kernel(%A: memref<64x128xf32, #tl.scope<global>>
                            {tl.name = "A", tl.extents = ["64", "128"]}) {
        %c1 = arith.constant 1 : i32
        tl.kernel(%c1) {
        ^bb0(%cid: i32, %vid: i32):
          %a = tl.alloc "a" : memref<64x64xf32, #tl.scope<shared>>
          tl.copy %A, %a : memref<64x128xf32, #tl.scope<global>>
                        to memref<64x64xf32, #tl.scope<shared>>
        }
        func.return
      }
    }"""
    what = "The two sides have different extents: A [64, 128] and a [64, 64]"
    _refused(_from_text(readable), text, mode, "TL123", what)


def test_expert_copies_do_not_convert(lower):
    @T.prim_func
    def kernel(A: T.Tensor((64, 128), _F16)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((64, 128), _F32)
            T.copy(A, a)

    what = "T.copy does not convert float16 to float32 on this path"
    error = _refused(lower, kernel, "Expert", "TL213", what)
    assert "give A and a one dtype" in error.diagnostic.fix


def _from_text(readable):
    from tlcourse.codegen import generate
    from tlcourse.dialects.signature import stamp

    def run(text, mode):
        module = readable(text)
        stamp(module, mode=mode, target="npuir", out_idx=(), pass_configs={})
        return generate(module)

    return run
