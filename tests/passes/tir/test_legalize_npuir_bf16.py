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


def compared(dtype: str) -> T.PrimFunc:
    @T.prim_func
    def compared(
        A: T.Tensor((4, 64), dtype), S: T.Tensor((4, 1), dtype), P: T.Tensor((4, 64), dtype)
    ):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub((4, 64), dtype)
            b = T.alloc_ub((4, 64), dtype)
            m = T.alloc_ub((4, 64), "bool")
            s = T.alloc_ub((4, 1), dtype)
            T.copy(A, a)
            T.copy(S, s)
            T.vcmp(a, 0.5, m, "lt")
            T.vmul(a, 2.0, b)
            T.vselect(m, b, a, b)
            T.reduce_sum(b, s, dim=1, clear=False)
            T.copy(s, S)
            T.copy(b, P)

    return compared


def test_comparisons_and_reductions_read_float32(apply) -> None:
    module = apply(compared("bfloat16"), PASSES)
    kinds = (tl.VcmpOp, tl.ReduceOp)
    found = [op for op in module.walk() if isinstance(op, kinds)]
    assert len(found) == 2
    assert not any("bf16" in str(operand.type) for op in found for operand in op.operands)
    module.verify()


def test_a_sum_joins_what_was_there_and_rounds_once(apply) -> None:
    torch.manual_seed(0)
    a, s = torch.rand(4, 64).bfloat16(), torch.rand(4, 1).bfloat16()
    p = torch.zeros(4, 64).bfloat16()
    kernel = compared("bfloat16")
    got = s.clone()
    run(generate(apply(kernel, PASSES), kernel.sources), [a.clone(), got, p], symbols={})
    chosen = torch.where(a < 0.5, (a.float() * 2).bfloat16(), a)
    torch.testing.assert_close(p, chosen, rtol=0, atol=0)
    expected = (s.float() + chosen.float().sum(1, keepdim=True)).bfloat16()
    torch.testing.assert_close(got, expected, rtol=2e-2, atol=2e-2)


def test_reductions_work_in_float32(apply) -> None:
    @T.prim_func
    def k(A: T.Tensor((8, 1000), "bfloat16"), B: T.Tensor((8, 1), "bfloat16")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub((8, 1000), "bfloat16")
            b = T.alloc_ub((8, 1), "bfloat16")
            wide = T.alloc_ub((8, 1), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.reduce_sum(a, b, dim=1, clear=False)
            T.reduce_sum(a, wide, dim=1)
            T.copy(b, B)

    module = apply(k, PASSES)
    reductions = [op for op in module.walk() if isinstance(op, tl.ReduceOp)]
    assert [op.accumulate is not None for op in reductions] == [True, False]
    types = [operand.type for op in reductions for operand in op.operands]
    assert not any(BFloat16Type() == kind.element_type for kind in types)
    a, b = torch.rand(8, 1000).bfloat16(), torch.ones(8, 1).bfloat16()
    expected = (1 + a.float().sum(1, keepdim=True)).bfloat16()
    run(generate(module, k.sources), [a, b], symbols={})
    assert torch.equal(b, expected)


def test_tiles_are_numbered_through_and_a_result_is_overwritten(apply) -> None:
    module = apply(chain("bfloat16"), PASSES)
    labels = [op.label.data for op in module.walk() if isinstance(op, tl.AllocOp)]
    # The product's tile takes the power and the sum; parts get tiles of their own.
    assert labels == [
        *("a", "b", "bf16_src_f32_0", "bf16_dst_f32_1"),
        *("bf16_src_f32_2", "bf16_src_f32_3", "bf16_dst_f32_4"),
    ]
