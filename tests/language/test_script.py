"""The kernel as Python-like text."""

from __future__ import annotations

import tlcourse.language as T
from tlcourse.dialects import tl
from tlcourse.examples import minicv
from tlcourse.language import script_tiles


def test_minicv_in_expert_form() -> None:
    kernel = minicv.minicv_expert(1024, 1024, 512, 128, 256, 64)
    assert kernel.script().splitlines()[2:] == [
        "    with T.Kernel(32, is_npu=True) as (cid, vid):",
        "        bx = (cid // 4) * 128",
        "        by = (cid % 4) * 256",
        '        with T.Scope("Cube"):',
        '            A_l1 = T.alloc_shared((128, 64), "float16")',
        '            B_l1 = T.alloc_shared((64, 256), "float16")',
        '            C_l0 = T.alloc_L0C((128, 256), "float32")',
        "            for k in T.serial(8):",
        "                T.copy(A[bx : bx + 128, (k * 64) : (k * 64) + 64], A_l1)",
        "                T.copy(B[(k * 64) : (k * 64) + 64, by : by + 256], B_l1)",
        "                T.gemm(A_l1, B_l1, C_l0, initC=(k == 0))",
        "            T.copy(C_l0, C[bx : bx + 128, by : by + 256])",
        '            with T.rs("PIPE_FIX"):',
        "                T.sync_block_set(0)",
        '        with T.Scope("Vector"):',
        '            C_ub = T.alloc_ub((64, 256), "float32")',
        '            D_ub = T.alloc_ub((64, 256), "float32")',
        "            row = bx + (vid * 64)",
        '            with T.rs("PIPE_MTE2"):',
        "                T.sync_block_wait(0)",
        "            T.copy(C[row : row + 64, by : by + 256], C_ub)",
        "            T.vexp(C_ub, D_ub)",
        "            T.copy(D_ub, D[row : row + 64, by : by + 256])",
    ]


def test_every_op_of_tile_ir_has_a_spelling() -> None:
    irregular = [op for op in tl.OPS if issubclass(op, tl.TileOp) and op is not tl.BitcastOp]
    assert set(script_tiles.SPELLED) == set(irregular)
    assert all(hasattr(T, op.name.removeprefix("tl.")) for op in tl.ELEMENTWISE.values())
    assert all(hasattr(T, op.name.removeprefix("tl.")) for op in irregular)


def test_a_kernel_of_all_kinds_of_ops_reads_as_it_was_written() -> None:
    @T.prim_func
    def k(A: T.Tensor((16, 32), "float32"), C: T.Tensor((16, 32), "float32")):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub((16, 32), "float32")
            b = T.alloc_ub((32, 16), "float32")
            s = T.alloc_ub((16, 1), "float32")
            m = T.alloc_ub((16, 32), "bool")
            n = T.alloc_ub((16, 32), "int32")
            T.copy(A, a)
            T.vsigmoid(a, a)
            T.vcmp(a, 0.5, m, "lt")
            T.vselect(m, a, a, a)
            T.reduce_sum(a, s, dim=1, clear=False)
            T.cumsum(a, a, dim=1, reverse=True)
            T.transpose(a, b, [1, 0])
            T.arange(n, [32, 1])
            T.vshr(n, 1, n, round=False)
            T.print(a[0:1, 0:32], "a", hex=True)
            T.atomic_add(C, a)

    lines = [line.strip() for line in k.script().splitlines()]
    assert lines[lines.index("T.copy(A, a)") :] == [
        "T.copy(A, a)",
        "T.vsigmoid(a, a)",
        'T.vcmp(a, T.float32(0.5), m, "lt")',
        "T.vselect(m, a, a, a)",
        'T.reduce(a, s, dims=[1], reduce_mode="sum", clear=False)',
        "T.cumsum(a, a, dim=1, reverse=True)",
        "T.transpose(a, b, [1, 0])",
        "T.arange(n, [32, 1], 0)",
        "T.vshr(n, 1, n, round=False)",
        "T.print(a[:1, :32], 'a', hex=True)",
        "T.atomic_add(C, a)",
    ]
