"""Composites become basic ops, on temporaries in the memory of their destination."""

from __future__ import annotations

import pytest

import tlcourse.language as T
from tlcourse.dialects import tl
from tlcourse.dialects.expansion import expand, expanded
from tlcourse.dialects.locations import located
from tlcourse.dialects.text import from_text, to_text
from tlcourse.dialects.vector_ops import COMPOSITE_OPS, VECTOR_OPS

ALLOCS = {"shared": T.alloc_ub, "shared.dyn": T.alloc_shared, "local.fragment": T.alloc_fragment}


def _kernel(name: str, alloc=T.alloc_ub, dtype: str = "float32") -> T.PrimFunc:
    function, two = getattr(T, name), (VECTOR_OPS | COMPOSITE_OPS)[name].arity == 2

    @T.prim_func
    def kernel(A: T.Tensor((8, 24), dtype), n: T.int32):
        with T.Kernel(1, is_npu=True):
            a = alloc((8, 24), dtype)
            T.copy(A, a)
            if two:
                function(a, a, a)
                function(a[0:n, 0:16], a[0:n, 0:16], a[0:n, 0:16])
            else:
                function(a, a)
                function(a[0:n, 0:16], a[0:n, 0:16])
            T.copy(a, A)

    return kernel


@pytest.mark.parametrize("scope", ALLOCS)
@pytest.mark.parametrize("name", COMPOSITE_OPS)
def test_only_basic_ops_are_left(name, scope) -> None:
    kernel = _kernel(name, ALLOCS[scope])
    before = str(kernel.module)
    module = expanded(kernel.module)
    module.verify()
    assert str(kernel.module) == before
    names = [op.row.mnemonic for op in module.walk() if isinstance(op, tl.ElementwiseOp)]
    assert not set(names) & set(COMPOSITE_OPS)
    allocs = [op for op in module.walk() if isinstance(op, tl.AllocOp)]
    assert {tl.scope_of(op.result) for op in allocs} == {scope}
    assert all(located(op) for op in module.walk())


@pytest.mark.parametrize("name", COMPOSITE_OPS)
def test_tile_ir_of_a_composite_is_one_op_and_reads_back(name) -> None:
    module = _kernel(name).module
    ops = [op for op in module.walk() if isinstance(op, tl.ElementwiseOp)]
    assert [op.row.mnemonic for op in ops] == [name, name]
    text = to_text(module)
    assert to_text(from_text(text)) == text


def test_temporaries_of_parts_have_the_parts_extents() -> None:
    module = expanded(_kernel("vsigmoid").module)
    allocs = [op for op in module.walk() if isinstance(op, tl.AllocOp)]
    shapes = [op.result.type.get_shape() for op in allocs]
    assert shapes == [(8, 24), (8, 24), (8, 16)]
    regions = [op for op in module.walk() if isinstance(op, tl.RegionOp)]
    assert [tl.memref_of(op.result).get_shape()[1] for op in regions] == [16, 16, 16]


def test_a_module_of_basic_ops_is_given_back() -> None:
    module = _kernel("vadd").module
    assert expanded(module) is module


@pytest.mark.parametrize("name", ["vxor", "vpow", "vcmp"])
def test_rows_that_an_instruction_cannot_repeat_are_repeated_before(name) -> None:
    function, out = getattr(T, name), "bool" if name == "vcmp" else "int32"
    options = ("lt",) if name == "vcmp" else ()

    @T.prim_func
    def kernel(A: T.Tensor((8, 24), "int32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((8, 24), "int32")
            row = T.alloc_ub((1, 24), "int32")
            c = T.alloc_ub((8, 24), out)
            T.copy(A, a)
            T.copy(A[0:1, :], row)
            function(a, row, c, *options)
            function(row, row, c, *options)
            function(a, a, c, *options)

    module = kernel.module.clone()
    expand(module)
    module.verify()
    # The second statement repeats its row once for both sources.
    assert sum(isinstance(op, tl.BroadcastOp) for op in module.walk()) == 2
    for op in module.walk():
        if isinstance(op, tl.ElementwiseOp):
            shapes = [tl.memref_of(tile).get_shape() for tile in op.operands]
            assert set(shapes) == {(8, 24)}
