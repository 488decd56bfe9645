"""What findings advise, done to the text of their kernels: parts of it and what replaces them."""

from __future__ import annotations

_SET = '        with T.rs("PIPE_{0}"):\n            T.set_flag("PIPE_{1}", {2})\n'
_WAIT = '        with T.rs("PIPE_{0}"):\n            T.wait_flag("PIPE_{1}", {2})\n'


def _flag(raises: str, waits: str, event: int = 7) -> str:
    """A raise on one pipe and the wait of another, side by side."""
    return _SET.format(raises, waits, event) + _WAIT.format(waits, raises, event)


def _deeper(text: str, by: int = 1) -> str:
    return "".join("    " * by + line for line in text.splitlines(keepends=True))


_ALL_MEET = """        T.pipe_barrier("PIPE_ALL")
        with T.rs("PIPE_S"):
            T.{0}_barrier(9)
"""

FIXES: dict[str, list[tuple[str, str]]] = {
    "load_before_vector": [("        T.vexp(", _flag("MTE2", "V") + "        T.vexp(")],
    "vector_before_store": [("        T.copy(b, B)", _flag("V", "MTE3") + "        T.copy(b, B)")],
    "two_vector_ops_without_barrier": [
        ("        T.vabs(", '        T.pipe_barrier("PIPE_V")\n        T.vabs(')
    ],
    "tile_is_loaded_again_too_early": [
        ("        T.copy(B, a)", _flag("V", "MTE2") + "        T.copy(B, a)")
    ],
    "tile_is_loaded_again_while_it_is_stored": [
        (
            "        for i in T.serial(4):\n",
            _SET.format("MTE3", "MTE2", 7)
            + "        for i in T.serial(4):\n"
            + _deeper(_WAIT.format("MTE2", "MTE3", 7)),
        ),
        (
            "            T.copy(a, B[i : i + 1, :])\n",
            "            T.copy(a, B[i : i + 1, :])\n"
            + _deeper(_SET.format("MTE3", "MTE2", 7))
            + _WAIT.format("MTE2", "MTE3", 7),
        ),
    ],
    "wait_missing_in_the_first_of_two_loops": [
        (
            "                T.copy(A[i",
            '                T.wait_flag("PIPE_MTE3", p)\n                T.copy(A[i',
        )
    ],
    "l1_is_loaded_again_before_the_product": [
        (
            "        for k in T.serial(4):\n",
            _SET.format("MTE1", "MTE2", 7)
            + "        for k in T.serial(4):\n"
            + _deeper(_WAIT.format("MTE2", "MTE1", 7)),
        ),
        (
            "initC=(k == 0))\n",
            "initC=(k == 0))\n"
            + _deeper(_SET.format("MTE1", "MTE2", 7))
            + _WAIT.format("MTE2", "MTE1", 7),
        ),
    ],
    "scalar_reads_before_the_load": [
        ("        T.vbrc(a[5]", _flag("MTE2", "S") + "        T.vbrc(a[5]")
    ],
    "vector_starts_before_the_scalar_store": [
        ("        a[3] = 7.0", _flag("V", "S") + "        a[3] = 7.0")
    ],
    "fixpipe_before_the_product": [
        ("        T.copy(c, C)", _flag("M", "FIX") + "        T.copy(c, C)")
    ],
    "l0c_is_multiplied_into_before_it_is_out": [
        ("        T.gemm(a1", _flag("FIX", "M") + "        T.gemm(a1")
    ],
    "vector_reads_before_the_cube_wrote": [
        (
            "            T.copy(c, C)\n",
            "            T.copy(c, C)\n"
            + _deeper('        with T.rs("PIPE_FIX"):\n')
            + "                T.sync_block_set(9)\n",
        ),
        (
            "            T.copy(C[row",
            _deeper('        with T.rs("PIPE_MTE2"):\n')
            + "                T.sync_block_wait(9)\n            T.copy(C[row",
        ),
    ],
    "cube_overwrites_what_the_vectors_read": [
        (
            "                    T.copy(C[row : row + 16, :], d)\n",
            "                    T.copy(C[row : row + 16, :], d)\n"
            "                    T.sync_block_set(9)\n",
        ),
        (
            "            row = vid * 16\n",
            "            row = vid * 16\n"
            '            with T.rs("PIPE_MTE2"):\n                T.sync_block_set(9)\n',
        ),
        (
            "                    T.copy(c, C)\n                    T.sync_block_set(0)\n",
            "                    T.sync_block_wait(9)\n                    T.copy(c, C)\n"
            "                    T.sync_block_set(0)\n"
            '            with T.rs("PIPE_FIX"):\n                T.sync_block_wait(9)\n',
        ),
    ],
    "vector_core_reads_what_the_other_writes": [
        ("            T.copy(W[", _deeper(_ALL_MEET.format("subblock")) + "            T.copy(W[")
    ],
    "cube_raises_another_id": [("T.sync_block_set(1)", "T.sync_block_set(0)")],
    "cube_raises_nothing": [
        (
            "            T.copy(c, C)\n",
            "            T.copy(c, C)\n"
            + _deeper('        with T.rs("PIPE_FIX"):\n')
            + "                T.sync_block_set(0)\n",
        )
    ],
    "wait_for_another_id": [('T.set_flag("PIPE_MTE3", 0)', 'T.set_flag("PIPE_MTE3", 1)')],
    "flag_of_another_pair_of_pipes": [('T.set_flag("PIPE_V", 0)', 'T.set_flag("PIPE_MTE3", 0)')],
    "ping_pong_that_nobody_primed": [
        ("        for i in", _SET.format("MTE3", "MTE2", 0) + "        for i in")
    ],
    "event_id_is_the_loop_variable": [
        ('T.set_flag("PIPE_MTE3", i)', 'T.set_flag("PIPE_MTE3", i % 8)'),
        ('T.wait_flag("PIPE_MTE2", i)', 'T.wait_flag("PIPE_MTE2", i % 8)'),
    ],
    "read_past_the_rows": [
        ("A[cid * 64 : cid * 64 + 64, :], a)", "A[cid * 64 : cid * 64 + n, :], a[0:n, :])"),
        ("        T.copy(a, B", "        T.vexp(a, a)\n        T.copy(a[0:n, :], B"),
        ("B[cid * 64 : cid * 64 + 64, :])\n", "B[cid * 64 : cid * 64 + n, :])\n"),
        ("        a = T.alloc", "        n = T.min(64, 100 - cid * 64)\n        a = T.alloc"),
        ("B: T.Tensor((128, 32)", "B: T.Tensor((100, 32)"),
    ],
    "init_forgotten": [("T.gemm(a, b, c)", "T.gemm(a, b, c, initC=True)")],
    "tail_of_the_tile_is_empty": [
        ("        T.copy(a, B)", "        T.copy(a[0:40], B)"),
        ("B: T.Tensor((64,)", "B: T.Tensor((40,)"),
    ],
    "rows_that_no_block_writes": [
        ("T.Kernel(100 // 32", "T.Kernel(T.ceildiv(100, 32)"),
        ("        a = T.alloc", "        n = T.min(32, 100 - cid * 32)\n        a = T.alloc"),
        ("A[cid * 32 : cid * 32 + 32, :], a)", "A[cid * 32 : cid * 32 + n, :], a[0:n, :])"),
        (
            "T.copy(a, B[cid * 32 : cid * 32 + 32, :])",
            "T.copy(a[0:n, :], B[cid * 32 : cid * 32 + n, :])",
        ),
    ],
    "odd_row_of_the_halves": [
        ("d = T.alloc_ub((16, 32)", "d = T.alloc_ub((17, 32)"),
        ("            row = vid * 16\n", "            row = vid * 16\n            n = 16 + vid\n"),
        ("T.copy(C[row : row + 16, :], d)", "T.copy(C[row : row + n, :], d[0:n, :])"),
        ("T.copy(d, D[row : row + 16, :])", "T.copy(d[0:n, :], D[row : row + n, :])"),
    ],
    "sum_without_atomic": [
        (
            "        T.copy(S, s)\n        T.vadd(s, a, s)\n        T.copy(s, S)\n",
            "        T.atomic_add(S, a)\n",
        )
    ],
    "block_reads_what_its_neighbour_writes": [
        ("        T.copy(W[", _ALL_MEET.format("block") + "        T.copy(W[")
    ],
    "barrier_holds_the_wrong_pipe": [
        ("            T.block_barrier(0)\n", _ALL_MEET.format("block"))
    ],
}
