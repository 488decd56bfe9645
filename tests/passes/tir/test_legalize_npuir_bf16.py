"""LegalizeNpuirBF16: bfloat16 goes through float32, other dtypes stay."""

from __future__ import annotations

import torch
from xdsl.dialects.builtin import BFloat16Type

import tlcourse.language as T
from tlcourse.dialects import tl
from tlcourse.functional.generate import generate
from tlcourse.functional.run import run
from tlcourse.passes.tir.legalize_npuir_bf16 import LegalizeNpuirBF16Pass

PASSES = (LegalizeNpuirBF16Pass(),)


def chain(dtype: str) -> T.PrimFunc:
    @T.prim_func
    def chain(A: T.Tensor((64,), dtype), B: T.Tensor((64,), dtype), n: T.int32):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub((64,), dtype)
            b = T.alloc_ub((64,), dtype)
            T.copy(A, a)
            T.vmul(a, 1.5, b)
            T.vexp(b, b)
            T.vadd(b, a, b)
            T.vsub(b[0:n], a[0:n], b[0:n])
            T.copy(b, B)

    return chain


def test_no_elementwise_op_on_bfloat16_is_left(apply) -> None:
    module = apply(chain("bfloat16"), PASSES)
    found = [op for op in module.walk() if isinstance(op, tl.ElementwiseOp)]
    assert [op.row.mnemonic for op in found] == ["vmul", "vexp", "vadd", "vsub"]
    types = [operand.type for op in found for operand in op.operands]
    assert not any(BFloat16Type() == getattr(kind, "element_type", kind) for kind in types)


def test_a_result_is_read_back_in_float32(apply, ops) -> None:
    names = [n for n in ops(apply(chain("bfloat16"), PASSES)) if n not in ("tl.alloc", "tl.region")]
    assert names == [
        "tl.copy",
        *("tl.vcast", "tl.vmul", "tl.vcast"),
        *("tl.vexp", "tl.vcast"),
        *("tl.vadd", "tl.vcast"),
        *("tl.vcast", "tl.vcast", "tl.vsub", "tl.vcast"),
        "tl.copy",
    ]


def test_other_dtypes_stay(apply) -> None:
    kernel = chain("float16")
    assert str(apply(kernel, PASSES)) == str(apply(kernel, ()))


def test_a_written_buffer_is_widened_again(apply, ops) -> None:
    @T.prim_func
    def k(A: T.Tensor((64,), "bfloat16")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub((64,), "bfloat16")
            T.copy(A, a)
            T.vabs(a, a)
            T.copy(A, a)
            T.vexp(a, a)

    assert ops(apply(k, PASSES)).count("tl.vcast") == 4


def test_each_op_rounds_once(apply) -> None:
    torch.manual_seed(0)
    a = torch.randn(64).bfloat16()
    b = torch.zeros(64).bfloat16()
    kernel = chain("bfloat16")
    run(generate(apply(kernel, PASSES), kernel.sources), [a.clone(), b, 40], symbols={})
    wide = torch.exp(a.float() * 1.5) + a.float()
    expected = wide.bfloat16()
    expected[:40] = (expected[:40].float() - a[:40].float()).bfloat16()
    torch.testing.assert_close(b, expected, rtol=0, atol=0)
