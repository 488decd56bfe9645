"""The T namespace: `import tilelang.language as T` gives this package.

A kernel is a function under `@T.prim_func`. Its text is read once, at the decorator, and
becomes Tile IR; the names here are what it may use.
"""

from __future__ import annotations

from tlcourse.language.allocate import (
    alloc_fragment,
    alloc_L0A,
    alloc_L0B,
    alloc_L0C,
    alloc_L1,
    alloc_shared,
    alloc_ub,
)
from tlcourse.language.annotations import Buffer, Tensor
from tlcourse.language.constants import dtypes as _dtypes
from tlcourse.language.constants import infinity
from tlcourse.language.copy import (
    copy,
    load_nd2nz,
    npuir_load_nd2nz,
    npuir_store_fixpipe,
    store_fixpipe,
)
from tlcourse.language.fill import (
    clear,
    fill,
    npuir_brc,
    npuir_cast,
    npuir_clear,
    npuir_fill,
    vbrc,
    vcast,
)
from tlcourse.language.gemm import gemm, npuir_dot
from tlcourse.language.kernel import Kernel, ResourceSpecialize, Scope, rs
from tlcourse.language.loops import Parallel, Pipelined, serial
from tlcourse.language.macro import macro
from tlcourse.language.meta import meta_var
from tlcourse.language.prim_func import PrimFunc, prim_func
from tlcourse.language.printing import npuir_print, print
from tlcourse.language.scalar_functions import (
    Cast,
    Select,
    cast,
    ceildiv,
    exp,
    exp2,
    floordiv,
    floormod,
    if_then_else,
    log,
    log2,
    max,
    min,
    rsqrt,
    sqrt,
)
from tlcourse.language.symbolic import dynamic, symbolic
from tlcourse.language.sync import (
    npuir_pipe_barrier,
    npuir_set_flag,
    npuir_sync_block_set,
    npuir_sync_block_wait,
    npuir_wait_flag,
    pipe_barrier,
    set_flag,
    sync_block_set,
    sync_block_wait,
    wait_flag,
)
from tlcourse.language.vector import elementwise_functions as _elementwise_functions

# The tables give a T name for each dtype and for both spellings of each elementwise op.
globals().update(_dtypes)
globals().update(_elementwise_functions())
