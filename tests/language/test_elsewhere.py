"""Names that upstream's kernels use: each works, or is answered with what to write instead."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.language.elsewhere import INSTEAD, KEYWORDS
from tlcourse.language.names import public_names

# Every T name in upstream's tests and examples.
SURFACE = """
Cast Else GemmWarpPolicy If Kernel Parallel Pipelined Scope Select Tensor Then abs alloc_L0C
alloc_L1 alloc_fragment alloc_local alloc_shared alloc_ub alloc_var arange assert_ atomic_add
atomic_addx4 cast ceildiv clamp clear copy copysign cumsum dynamic exp exp2 fill float16 float32
gemm if_then_else infinity int32 load_nd2nz log log2 macro max meta_var min npuir_abs npuir_add
npuir_and npuir_arange npuir_atomic_add npuir_atomic_addx4 npuir_clear npuir_cmp npuir_concat
npuir_div npuir_dot npuir_exp npuir_fill npuir_gather npuir_interleave npuir_ln npuir_load_nd2nz
npuir_max npuir_min npuir_mul npuir_not npuir_or npuir_pad npuir_pow npuir_rec npuir_reduce
npuir_relu npuir_reshape npuir_rsqrt npuir_select npuir_shl npuir_shr npuir_sigmoid npuir_sqrt
npuir_store_fixpipe npuir_sub npuir_transpose npuir_vcos npuir_verf npuir_vsin npuir_vtanh
npuir_xor npuir_brc prim_func print reduce reduce_absmax reduce_abssum reduce_max reduce_min
reduce_sum reinterpret reshape rs rsqrt serial set_flag sigmoid sqrt store_fixpipe symbolic
sync_block_set sync_block_wait sync_threads use_swizzle vabs vadd vand vbrc vcast vclamp vcmp vdiv
vexp vexp2 vln vlog2 vmax vmin vmul vrelu vrsqrt vselect vsigmoid vsqrt vsub vtanh wait_flag
""".split()


@pytest.mark.parametrize("name", SURFACE)
def test_each_name_of_upstreams_kernels_has_an_answer(name: str) -> None:
    assert name in public_names(T) or name in INSTEAD


@pytest.mark.parametrize("name", sorted(INSTEAD))
def test_a_name_from_elsewhere_says_what_to_write(
    refuse: Callable[[str], TLError], name: str
) -> None:
    assert name not in public_names(T), "the language has it now"
    error = refuse(f"x = T.{name}")
    assert (error.code, error.diagnostic.fix) == ("TL105", INSTEAD[name])


def test_outside_a_kernel_too() -> None:
    with pytest.raises(AttributeError, match=r"leave `policy=` of T\.gemm out"):
        _ = T.GemmWarpPolicy


@pytest.mark.parametrize("keyword", sorted(KEYWORDS))
def test_a_keyword_from_elsewhere_says_what_to_write(
    refuse: Callable[[str], TLError], keyword: str
) -> None:
    error = refuse(f"T.gemm(a, b, c, {keyword}=True)")
    assert error.code == "TL109"
    assert error.diagnostic.fix.startswith(KEYWORDS[keyword])
