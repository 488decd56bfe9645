"""The kernel as Python-like text."""

from __future__ import annotations

from tlcourse.examples import minicv


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
