from __future__ import annotations

from tlcourse.dialects.normal_form import normal_form
from tlcourse.dialects.text import from_text

GM = "memref<?xi8, #hivm.address_space<gm>>"
TILE = "memref<16xf32, #hivm.address_space<gm>>"


def _function(name: str, body: str) -> str:
    return f"func.func @{name}(%ws: {GM}, %n: index) {{\n{body}\n  return\n}}\n"


def _same(left: str, right: str) -> bool:
    return normal_form(left) == normal_form(right)


SUM = (
    "  %c = arith.constant 1 : index\n  %s = arith.addi %n, %c : index\n"
    "  %t = arith.addi %s, {} : index"
)


def test_names_of_values_and_places_of_ops_are_no_meaning():
    text = _function("k", SUM.format("%c"))
    renamed = text.replace("%s", "%sum").replace(
        ": index\n  return", ': index loc("k.py":1:2)\n  return'
    )
    assert renamed != text
    assert _same(text, renamed)
    assert not _same(text, text.replace("%s, %c", "%s, %n"))


def test_a_constant_twice_is_a_constant_once():
    once = _function("k", SUM.format("%c"))
    twice = _function("k", "  %d = arith.constant 1 : index\n" + SUM.format("%d"))
    assert _same(once, twice)
    assert normal_form(twice).count("arith.constant") == 1
    assert not _same(once, twice.replace("constant 1", "constant 2", 1))


def test_constants_stand_at_the_start_in_order_of_use():
    text = _function(
        "k",
        "  %b = arith.constant 2 : index\n  %u = arith.constant 9 : index\n"
        "  %a = arith.constant 1 : index\n  %s = arith.addi %n, %a : index\n"
        "  %t = arith.addi %s, %b : index",
    )
    lines = [line.strip() for line in normal_form(text).splitlines() if "constant" in line]
    assert lines == ["%2 = arith.constant 1 : index", "%3 = arith.constant 2 : index"]


def test_constants_of_a_loop_leave_it():
    inside = _function(
        "k",
        "  %z = arith.constant 0 : index\n  scf.for %i = %z to %n step %n {\n"
        "    %c = arith.constant 3 : index\n    %s = arith.addi %i, %c : index\n  }",
    )
    outside = inside.replace("    %c = arith.constant 3 : index\n", "").replace(
        "  scf.for", "  %c = arith.constant 3 : index\n  scf.for"
    )
    assert _same(inside, outside)


def test_functions_stand_in_order_of_names():
    a, b = _function("a", ""), _function("b", "")
    assert _same(a + b, b + a)


def _workspaces(first: int, second: int, *, swapped: bool = False) -> str:
    makes = [
        f"  %o{i} = arith.constant {offset} : index\n  %p{i} = arith.addi %n, %o{i} : index\n"
        f"  %w{i} = memref.view %ws[%p{i}][] : {GM} to {TILE}\n"
        for i, offset in enumerate((first, second))
    ]
    uses = "".join(f"  memref.copy %w{i}, %w{1 - i} : {TILE} to {TILE}\n" for i in (0, 1))
    return _function("k", "".join(makes[::-1] if swapped else makes) + uses)


def test_workspaces_are_numbered_by_first_use():
    text = _workspaces(512, 0)
    assert _same(text, _workspaces(0, 64))
    assert _same(text, _workspaces(512, 0, swapped=True))
    assert "512" not in normal_form(text)


def test_two_workspaces_at_one_place_are_no_two_at_two():
    assert not _same(_workspaces(0, 64), _workspaces(0, 0))


def test_a_workspace_that_others_compute_with_stays_where_it_is():
    shared = _workspaces(0, 64).replace("return", "%q = arith.addi %p0, %n : index\n  return")
    assert "memref.view" in normal_form(shared)


def test_what_the_tool_says_of_itself_is_left_out():
    text = 'module attributes {hacc.hivmc_version = #hacc.hivmc_version<"1.2.0">} {\n}\n'
    assert _same(text, "module {\n}\n")


def test_it_is_its_own_normal_form_and_leaves_the_module_alone():
    module = from_text(_workspaces(512, 0))
    before = str(module)
    once = normal_form(module)
    assert str(module) == before
    assert normal_form(once) == once
    from_text(once).verify()


def test_a_text_that_is_not_read_gets_new_names():
    line = '  %x = foreign.op %n, %n : index loc("k.py":1:1)'
    text = _function("k", line)
    found = normal_form(text)
    assert "loc(" not in found
    assert "foreign.op %1, %1 : index" in found
    assert found == normal_form(text.replace("%x", "%other"))


def test_the_order_of_attributes_is_no_meaning():
    head = f"func.func @k(%ws: {GM}) attributes "
    left = head + "{hacc.entry, mix_mode = [{b = 1 : i32, a = 2 : i32}]} {\n  return\n}\n"
    right = head + "{mix_mode = [{a = 2 : i32, b = 1 : i32}], hacc.entry} {\n  return\n}\n"
    assert _same(left, right)
    assert not _same(left, right.replace("a = 2", "a = 3"))
