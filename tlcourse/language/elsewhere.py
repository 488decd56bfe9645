"""Names that other TileLangs and TVMScript have, and what to write in a kernel for the NPU.

A name of this table is answered as an unknown one, with the way out that it stands beside.
"""

from __future__ import annotations

from collections.abc import Mapping

from tlcourse.language.names import nearest_names, public_names

_NO_THREADS = (
    "a core of the NPU has no threads: leave it out, and write T.Parallel for loops over elements"
)
_LAYOUT = "leave it out: the compiler lays tiles out in memory itself"
_ORDER = (
    "leave it out in Developer mode; in Expert mode the orders are T.pipe_barrier, "
    "T.set_flag / T.wait_flag and T.sync_block_set / T.sync_block_wait"
)
_POINTER = "pass T.Tensor parameters and slice them; a kernel has no raw pointers"
_FOREIGN = "write the computation with T functions; a kernel cannot call foreign code"
_POWER = "write x * x for a square, T.exp(y * T.log(x)) for other powers, T.vpow for tiles"
_ANGLE = "use T.vsin, T.vcos, T.vtanh or T.verf on a tile; there is no scalar instruction"
_BY_HAND = "write it with T.if_then_else"
_BLOCK = "write `with T.Kernel(blocks, is_npu=True) as (cid, vid):`; T.alloc_* makes buffers"

INSTEAD: Mapping[str, str] = {
    "use_swizzle": "leave it out: blocks of the NPU share no cache that their order would help; "
    "to change the order compute it from cid with // and %",
    "GemmWarpPolicy": "leave `policy=` of T.gemm out: the matrix unit has no warps",
    "annotate_layout": _LAYOUT,
    "annotate_padding": "leave it out, and fill the tile with T.clear before a shorter T.copy",
    "annotate_l2_hit_ratio": _LAYOUT,
    "Layout": _LAYOUT,
    "Fragment": "write T.alloc_fragment(shape, dtype)",
    "FragmentBuffer": "write T.Tensor for parameters and T.alloc_fragment for tiles",
    "SharedBuffer": "write T.Tensor for parameters and T.alloc_shared for tiles",
    "LocalBuffer": "write T.Tensor for parameters and T.alloc_local for scalars",
    "sync_threads": _ORDER,
    "syncthreads": _ORDER,
    "tvm_storage_sync": _ORDER,
    "mbarrier_wait_parity": _ORDER,
    "mbarrier_arrive": _ORDER,
    "barrier_wait": _ORDER,
    "barrier_arrive": _ORDER,
    "create_list_of_mbarrier": _ORDER,
    "ws": 'write `with T.Scope("Cube"):` and `with T.Scope("Vector"):` (Expert mode)',
    "get_thread_binding": _NO_THREADS,
    "get_thread_bindings": _NO_THREADS,
    "get_block_binding": "use the names behind `as` of T.Kernel",
    "get_block_bindings": "use the names behind `as` of T.Kernel",
    "launch_thread": _BLOCK,
    "env_thread": _BLOCK,
    "block": _BLOCK,
    "Block": _BLOCK,
    "reads": _BLOCK,
    "writes": _BLOCK,
    "block_attr": _BLOCK,
    "attr": _BLOCK,
    "alloc_buffer": "write T.alloc_ub or T.alloc_shared",
    "decl_buffer": "write T.alloc_ub or T.alloc_shared",
    "func_attr": "leave it out: the function's name is the kernel's name",
    "allocate": "write T.alloc_ub or T.alloc_shared",
    "match_buffer": "write the tensor as a parameter: A: T.Tensor((M, N), dtype)",
    "handle": _POINTER,
    "ptr": _POINTER,
    "make_tensor": _POINTER,
    "address_of": _POINTER,
    "access_ptr": _POINTER,
    "call_extern": _FOREIGN,
    "call_intrin": _FOREIGN,
    "call_pure_extern": _FOREIGN,
    "call_packed": _FOREIGN,
    "import_source": _FOREIGN,
    "dp4a": "write T.gemm on int8 tiles: it adds up in int32",
    "c2d_im2col": "copy the windows with T.copy in a loop, then T.gemm",
    "pow": _POWER,
    "power": _POWER,
    "tanh": _ANGLE,
    "sin": _ANGLE,
    "cos": _ANGLE,
    "tan": _ANGLE,
    "erf": _ANGLE,
    "copysign": "write T.if_then_else(y < 0, -T.abs(x), T.abs(x))",
    "log10": "write T.log(x) * 0.4342944819",
    "log1p": "write T.log(x + 1.0)",
    "fma": "write a * b + c",
    "isnan": "write `not (x == x)`",
    "isinf": 'write T.abs(x) == T.infinity("float32")',
    "isfinite": 'write T.abs(x) < T.infinity("float32")',
    "round": 'use T.vcast(A, B, round_mode="round") on a tile',
    "nearbyint": 'use T.vcast(A, B, round_mode="rint") on a tile',
    "floor": 'use T.vcast(A, B, round_mode="floor") on a tile, // for integers',
    "ceil": 'use T.vcast(A, B, round_mode="ceil") on a tile, T.ceildiv for integers',
    "trunc": "write T.cast(x, 'int32')",
    "truncdiv": "write // for numbers that are not negative",
    "truncmod": "write % for numbers that are not negative",
    "indexdiv": "write //",
    "indexmod": "write %",
    "div": "write / for floats, // for integers",
    "shift_left": "write a << b",
    "shift_right": "write a >> b",
    "bitwise_and": "write a & b",
    "bitwise_or": "write a | b",
    "bitwise_xor": "write a ^ b",
    "bitwise_not": "write a ^ -1",
    "And": "write `a and b`",
    "Or": "write `a or b`",
    "Not": "write `not a`",
    "LT": "write a < b",
    "LE": "write a <= b",
    "GT": "write a > b",
    "GE": "write a >= b",
    "EQ": "write a == b",
    "NE": "write a != b",
    "Assert": "write `assert cond, text`, decided while the kernel is read",
    "Let": "write `x = value`",
    "LetStmt": "write `x = value`",
    "let": "write `x = value`",
    "bind": "write `x = value`",
    "While": "write `for i in T.serial(n):` with the largest number, and `if` inside",
    "Ramp": "write a slice, A[i : i + n]",
    "Broadcast": "write T.vbrc(value, tile)",
    "max_value": "write T.infinity(dtype), or the number itself for integers",
    "min_value": "write -T.infinity(dtype), or the number itself for integers",
    "comm_reducer": _BY_HAND,
    "sort": "sort before the launch: the NPU of this language has no such instruction",
    "topk": "take them before the launch: the NPU of this language has no such instruction",
    "dyn": 'write M = T.symbolic("M") in the factory, or T.dynamic("M, N")',
    "var": "write a parameter `n: T.int32`",
    "Var": "write a parameter `n: T.int32`",
    "atomic_addx2": "write T.atomic_add(dst, src)",
    "atomic_max": "reduce on the chip with T.reduce_max, and write one result per block",
    "atomic_min": "reduce on the chip with T.reduce_min, and write one result per block",
    "vcumsum": "write T.cumsum(src, dst, dim=0)",
}

# Keywords of other TileLangs' functions, and what to write in their place.
KEYWORDS: Mapping[str, str] = {
    "transpose_A": "write a_transpose= instead",
    "transpose_B": "write b_transpose= instead",
    "clear_accum": "write initC= instead",
    "policy": "leave policy= out, the matrix unit has no warps",
    "k_pack": "leave k_pack= out, the compiler chooses it",
    "wg_wait": "leave wg_wait= out, the compiler orders the cores' work",
}


def way_out(name: str, namespace: object, prefix: str) -> str:
    """What to write instead of a name that the T namespace does not have.

    Args:
        name: what was asked for.
        namespace: the T namespace.
        prefix: how the learner calls it.
    """
    if name in INSTEAD:
        return INSTEAD[name]
    near = nearest_names(name, public_names(namespace), prefix)
    return f"{near}`help({prefix})` lists what there is"
