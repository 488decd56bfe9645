"""RemoveNoOp: what goes, and what stays although it looks empty."""

from __future__ import annotations

import tlcourse.language as T
from tlcourse.passes.tir.remove_no_op import RemoveNoOpPass
from tlcourse.passes.tir.simplify import SimplifyPass


def test_what_has_no_effect_goes(apply, ops) -> None:
    @T.prim_func
    def k(A: T.Tensor((64,), "float32"), n: T.int32):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((16,), "float32")
            unused = T.alloc_ub((16,), "float32")
            _never_read = unused[n]
            for _i in T.serial(n):
                if n > 3:
                    pass
                else:
                    _x = cid * 4
            for _j in T.serial(4, 2):
                T.copy(A[0:16], a)
            T.copy(A[0:16], a)

    module = apply(k, (SimplifyPass(), RemoveNoOpPass()))
    assert ops(module) == ["tl.alloc", "tl.region", "tl.copy"]
    assert "scf.if" not in str(module)


def test_an_empty_scope_and_a_loop_with_a_body_stay(apply, ops) -> None:
    @T.prim_func
    def k(n: T.int32):
        with T.Kernel(4, is_npu=True) as (_cid, _):
            with T.Scope("Cube"):
                pass
            for i in T.serial(n):
                T.print(i)

    before = apply(k, ())
    assert ops(apply(k, (RemoveNoOpPass(),))) == ops(before)
