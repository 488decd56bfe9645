from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnknownLoc, i32
from xdsl.ir import Block

from tlcourse.codegen.writer import Writer
from tlcourse.dialects.locations import location


def _statement(line: int) -> arith.ConstantOp:
    op = arith.ConstantOp.from_int_and_width(1, 32)
    op.location = location("k.py", line, 5)
    return op


def test_ops_take_the_place_of_their_statement_and_keep_their_own():
    writer = Writer(Block(), "AIV", {})
    writer.stand_at(_statement(3))
    writer.constant(7, i32)
    writer.add(_statement(9))
    assert [op.location.line.data for op in writer.block.ops] == [3, 9]


def test_a_nested_block_leaves_block_and_place_as_they_were():
    outer, inner = Block(), Block()
    writer = Writer(outer, "AIV", {})
    writer.stand_at(_statement(3))
    with writer.inside(inner):
        writer.stand_at(_statement(4))
        writer.constant(1, i32)
    made = writer.constant(2, i32)
    assert [len(list(block.ops)) for block in (outer, inner)] == [1, 1]
    assert made.owner.location == _statement(3).location
    assert not isinstance(inner.first_op.location, UnknownLoc)


def test_an_index_is_made_once_a_statement_and_never_used_outside_its_block():
    outer, inner = Block(arg_types=[i32]), Block()
    value = outer.args[0]
    writer = Writer(outer, "AIV", {})
    first = writer.as_index(value)
    assert writer.as_index(value) is first
    with writer.inside(inner):
        writer.stand_at(_statement(4))
        nested = writer.as_index(value)
        assert nested.owner.parent_block() is inner
    after = writer.as_index(value)
    assert after.owner.parent_block() is outer
