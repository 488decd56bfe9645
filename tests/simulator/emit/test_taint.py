"""Does control flow depend on the block, or on data?"""

from __future__ import annotations

import pytest
from xdsl.dialects import func

from tlcourse.dialects.text import from_text
from tlcourse.simulator.emit import taint

HEAD = """module { func.func @f(%A: memref<64xi32>) {
%b = hivm.hir.get_block_idx -> i64
%i = arith.index_cast %b : i64 to index
%z = arith.constant 0 : index
%o = arith.constant 1 : index
%n = arith.constant 4 : index
%v = memref.load %A[%z] : memref<64xi32>
%w = arith.index_cast %v : i32 to index
"""


def _function(lines: str) -> list[func.FuncOp]:
    module = from_text(HEAD + lines + "\nreturn\n} }")
    return [op for op in module.body.block.ops if isinstance(op, func.FuncOp)]


@pytest.mark.parametrize(
    ("lines", "block", "data"),
    [
        pytest.param("", False, False, id="nothing"),
        pytest.param("scf.for %k = %z to %n step %o {\n}", False, False, id="fixed loop"),
        pytest.param("scf.for %k = %z to %i step %o {\n}", True, False, id="loop to the block"),
        pytest.param("scf.for %k = %z to %w step %o {\n}", False, True, id="loop to a value"),
        pytest.param(
            "%m = arith.minsi %i, %n : index\n%c = arith.cmpi eq, %m, %n : index\nscf.if %c {\n}",
            True,
            False,
            id="condition",
        ),
        pytest.param(
            "%r = scf.for %k = %z to %n step %o iter_args(%p = %i) -> (index) {\n"
            "scf.yield %p : index\n}\nscf.for %k = %z to %r step %o {\n}",
            True,
            False,
            id="carried by a loop",
        ),
        pytest.param(
            "%s = memref.subview %A[%i] [8] [1] : memref<64xi32> to "
            "memref<8xi32, strided<[1], offset: ?>>",
            True,
            False,
            id="place of a tile that is not in gm",
        ),
        pytest.param("hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, %b]", True, False, id="flag id"),
    ],
)
def test_control_flow(lines: str, block: bool, data: bool) -> None:
    functions = _function(lines)
    assert taint.on_block(functions) is block
    assert taint.on_data(functions) is data


def test_place_of_a_tile_in_gm_is_no_control_flow() -> None:
    space = "#hivm.address_space<gm>"
    lines = (
        f'%g = "memref.memory_space_cast"(%A) : (memref<64xi32>) -> memref<64xi32, {space}>\n'
        f"%s = memref.subview %g[%i] [8] [1] : memref<64xi32, {space}> to "
        f"memref<8xi32, strided<[1], offset: ?>, {space}>"
    )
    assert not taint.on_block(_function(lines))
