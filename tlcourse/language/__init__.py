"""The T namespace: `import tilelang.language as T` gives this package.

A kernel is a function under `@T.prim_func`. Its text is read once, at the decorator, and
becomes Tile IR; the names here are what it may use.
"""

from __future__ import annotations

import sys as _sys
from sys import _getframe as _frame  # pyright: ignore[reportPrivateUsage]

from tlcourse.language.allocate import (
    alloc_fragment as alloc_fragment,
)
from tlcourse.language.allocate import (
    alloc_L0A as alloc_L0A,
)
from tlcourse.language.allocate import (
    alloc_L0B as alloc_L0B,
)
from tlcourse.language.allocate import (
    alloc_L0C as alloc_L0C,
)
from tlcourse.language.allocate import (
    alloc_L1 as alloc_L1,
)
from tlcourse.language.allocate import (
    alloc_local as alloc_local,
)
from tlcourse.language.allocate import (
    alloc_shared as alloc_shared,
)
from tlcourse.language.allocate import (
    alloc_ub as alloc_ub,
)
from tlcourse.language.allocate import (
    alloc_var as alloc_var,
)
from tlcourse.language.annotations import (
    Buffer as Buffer,
)
from tlcourse.language.annotations import (
    Tensor as Tensor,
)
from tlcourse.language.assertions import (
    assert_ as assert_,
)
from tlcourse.language.atomics import (
    atomic_add as atomic_add,
)
from tlcourse.language.atomics import (
    atomic_addx4 as atomic_addx4,
)
from tlcourse.language.atomics import (
    npuir_atomic_add as npuir_atomic_add,
)
from tlcourse.language.atomics import (
    npuir_atomic_addx4 as npuir_atomic_addx4,
)
from tlcourse.language.bits import (
    npuir_bitcast as npuir_bitcast,
)
from tlcourse.language.bits import (
    vbitcast as vbitcast,
)
from tlcourse.language.branches import (
    Else as Else,
)
from tlcourse.language.branches import (
    If as If,
)
from tlcourse.language.branches import (
    Then as Then,
)
from tlcourse.language.choices import choice_functions as _choice_functions
from tlcourse.language.constants import dtypes as _dtypes
from tlcourse.language.constants import (
    infinity as infinity,
)
from tlcourse.language.copy import (
    copy as copy,
)
from tlcourse.language.copy import (
    load_nd2nz as load_nd2nz,
)
from tlcourse.language.copy import (
    npuir_load_nd2nz as npuir_load_nd2nz,
)
from tlcourse.language.copy import (
    npuir_store_fixpipe as npuir_store_fixpipe,
)
from tlcourse.language.copy import (
    npuir_store_nz2nd as npuir_store_nz2nd,
)
from tlcourse.language.copy import (
    store_fixpipe as store_fixpipe,
)
from tlcourse.language.copy import (
    store_nz2nd as store_nz2nd,
)
from tlcourse.language.creation import (
    arange as arange,
)
from tlcourse.language.creation import (
    npuir_arange as npuir_arange,
)
from tlcourse.language.fill import (
    clear as clear,
)
from tlcourse.language.fill import (
    fill as fill,
)
from tlcourse.language.fill import (
    npuir_brc as npuir_brc,
)
from tlcourse.language.fill import (
    npuir_cast as npuir_cast,
)
from tlcourse.language.fill import (
    npuir_clear as npuir_clear,
)
from tlcourse.language.fill import (
    npuir_fill as npuir_fill,
)
from tlcourse.language.fill import (
    vbrc as vbrc,
)
from tlcourse.language.fill import (
    vcast as vcast,
)
from tlcourse.language.functions import tile_functions as _tile_functions
from tlcourse.language.gemm import (
    gemm as gemm,
)
from tlcourse.language.gemm import (
    npuir_dot as npuir_dot,
)
from tlcourse.language.kernel import (
    Kernel as Kernel,
)
from tlcourse.language.kernel import (
    ResourceSpecialize as ResourceSpecialize,
)
from tlcourse.language.kernel import (
    Scope as Scope,
)
from tlcourse.language.kernel import (
    rs as rs,
)
from tlcourse.language.loops import (
    Parallel as Parallel,
)
from tlcourse.language.loops import (
    Pipelined as Pipelined,
)
from tlcourse.language.loops import (
    serial as serial,
)
from tlcourse.language.macro import (
    macro as macro,
)
from tlcourse.language.meta import (
    meta_var as meta_var,
)
from tlcourse.language.more_scalars import (
    abs as abs,
)
from tlcourse.language.more_scalars import (
    all_of as all_of,
)
from tlcourse.language.more_scalars import (
    any_of as any_of,
)
from tlcourse.language.more_scalars import (
    clamp as clamp,
)
from tlcourse.language.more_scalars import (
    reinterpret as reinterpret,
)
from tlcourse.language.more_scalars import (
    sigmoid as sigmoid,
)
from tlcourse.language.moves import (
    concat as concat,
)
from tlcourse.language.moves import (
    deinterleave as deinterleave,
)
from tlcourse.language.moves import (
    flip as flip,
)
from tlcourse.language.moves import (
    gather as gather,
)
from tlcourse.language.moves import (
    interleave as interleave,
)
from tlcourse.language.moves import (
    npuir_concat as npuir_concat,
)
from tlcourse.language.moves import (
    npuir_deinterleave as npuir_deinterleave,
)
from tlcourse.language.moves import (
    npuir_flip as npuir_flip,
)
from tlcourse.language.moves import (
    npuir_gather as npuir_gather,
)
from tlcourse.language.moves import (
    npuir_interleave as npuir_interleave,
)
from tlcourse.language.moves import (
    npuir_pad as npuir_pad,
)
from tlcourse.language.moves import (
    npuir_transpose as npuir_transpose,
)
from tlcourse.language.moves import (
    pad as pad,
)
from tlcourse.language.moves import (
    transpose as transpose,
)
from tlcourse.language.names import public_names as _public_names
from tlcourse.language.prim_func import (
    PrimFunc as PrimFunc,
)
from tlcourse.language.prim_func import (
    prim_func as prim_func,
)
from tlcourse.language.printing import (
    npuir_print as npuir_print,
)
from tlcourse.language.printing import (
    print as print,
)
from tlcourse.language.reductions import (
    cumsum as cumsum,
)
from tlcourse.language.reductions import (
    npuir_cumsum as npuir_cumsum,
)
from tlcourse.language.reductions import (
    npuir_reduce as npuir_reduce,
)
from tlcourse.language.reductions import (
    reduce as reduce,
)
from tlcourse.language.reductions import (
    reduce_absmax as reduce_absmax,
)
from tlcourse.language.reductions import (
    reduce_abssum as reduce_abssum,
)
from tlcourse.language.reductions import (
    reduce_max as reduce_max,
)
from tlcourse.language.reductions import (
    reduce_min as reduce_min,
)
from tlcourse.language.reductions import (
    reduce_sum as reduce_sum,
)
from tlcourse.language.reshaping import (
    npuir_reshape as npuir_reshape,
)
from tlcourse.language.reshaping import (
    reshape as reshape,
)
from tlcourse.language.scalar_functions import (
    Cast as Cast,
)
from tlcourse.language.scalar_functions import (
    Select as Select,
)
from tlcourse.language.scalar_functions import (
    cast as cast,
)
from tlcourse.language.scalar_functions import (
    ceildiv as ceildiv,
)
from tlcourse.language.scalar_functions import (
    exp as exp,
)
from tlcourse.language.scalar_functions import (
    exp2 as exp2,
)
from tlcourse.language.scalar_functions import (
    floordiv as floordiv,
)
from tlcourse.language.scalar_functions import (
    floormod as floormod,
)
from tlcourse.language.scalar_functions import (
    if_then_else as if_then_else,
)
from tlcourse.language.scalar_functions import (
    log as log,
)
from tlcourse.language.scalar_functions import (
    log2 as log2,
)
from tlcourse.language.scalar_functions import (
    max as max,
)
from tlcourse.language.scalar_functions import (
    min as min,
)
from tlcourse.language.scalar_functions import (
    rsqrt as rsqrt,
)
from tlcourse.language.scalar_functions import (
    sqrt as sqrt,
)
from tlcourse.language.symbolic import (
    dynamic as dynamic,
)
from tlcourse.language.symbolic import (
    symbolic as symbolic,
)
from tlcourse.language.sync import (
    block_barrier as block_barrier,
)
from tlcourse.language.sync import (
    npuir_pipe_barrier as npuir_pipe_barrier,
)
from tlcourse.language.sync import (
    npuir_set_flag as npuir_set_flag,
)
from tlcourse.language.sync import (
    npuir_sync_block_set as npuir_sync_block_set,
)
from tlcourse.language.sync import (
    npuir_sync_block_wait as npuir_sync_block_wait,
)
from tlcourse.language.sync import (
    npuir_wait_flag as npuir_wait_flag,
)
from tlcourse.language.sync import (
    pipe_barrier as pipe_barrier,
)
from tlcourse.language.sync import (
    set_flag as set_flag,
)
from tlcourse.language.sync import (
    subblock_barrier as subblock_barrier,
)
from tlcourse.language.sync import (
    sync_block_set as sync_block_set,
)
from tlcourse.language.sync import (
    sync_block_wait as sync_block_wait,
)
from tlcourse.language.sync import (
    wait_flag as wait_flag,
)
from tlcourse.language.tvm_loops import (
    grid as grid,
)
from tlcourse.language.tvm_loops import (
    parallel as parallel,
)
from tlcourse.language.tvm_loops import (
    thread_binding as thread_binding,
)
from tlcourse.language.tvm_loops import (
    unroll as unroll,
)
from tlcourse.language.tvm_loops import (
    vectorized as vectorized,
)
from tlcourse.language.unknown import unknown_name as _unknown_name
from tlcourse.language.vector import elementwise_functions as _elementwise_functions
from tlcourse.language.views import (
    view as view,
)

# The tables give a T name for each dtype and for both spellings of each elementwise op.
globals().update(_dtypes)
globals().update(_elementwise_functions() | _choice_functions() | _tile_functions())

# help(T) shows what stands in here; without it, functions of other files are left out.
globals()["__all__"] = _public_names(_sys.modules[__name__])


def __getattr__(name: str) -> object:
    raise _unknown_name(name, _sys.modules[__name__], _frame(1))
