"""Constants as upstream's rewriting leaves them, and where buffers of several copies stand."""

from __future__ import annotations

from tlcourse.passes.npuir.hivm_plan_memory import HivmPlanMemoryPass

GM = "memref<16xf32, #hivm.address_space<gm>>"
UB = "memref<16xf32, #hivm.address_space<ub>>"


def _kernel(body: str, before: str = "") -> str:
    return f"""func.func @k(%g: {GM})
    attributes {{hacc.function_kind = #hacc.function_kind<DEVICE>}} {{
  {before}
  {body}
  return
}}"""


def _tile(name: str) -> str:
    return (
        f"%{name} = memref.alloc() : {UB}\n"
        f"  hivm.hir.load ins(%g : {GM}) outs(%{name} : {UB})\n"
        f"  hivm.hir.store ins(%{name} : {UB}) outs(%g : {GM})\n  "
    )


def _constants(text: str) -> list[str]:
    return [
        line.split(" = ")[0].strip() for line in text.splitlines() if " = arith.constant" in line
    ]


def test_later_addresses_stand_before_earlier_ones(run_passes) -> None:
    found = run_passes(_kernel(_tile("a") + _tile("b") + _tile("c")), HivmPlanMemoryPass())
    assert _constants(found) == ["%c128_i64", "%c64_i64", "%c0_i64"]


def test_the_first_one_stays_behind_those_at_the_top(run_passes) -> None:
    top = "%x = arith.constant 1.0 : f32\n  "
    fill = f"hivm.hir.vbrc ins(%x : f32) outs(%a : {UB})"
    found = run_passes(_kernel(_tile("a") + _tile("b") + fill, top), HivmPlanMemoryPass())
    assert _constants(found) == ["%c64_i64", "%x", "%c0_i64"]


def test_constants_amid_other_ops_come_to_the_front_once(run_passes) -> None:
    body = (
        _tile("a")
        + "%x = arith.constant 1.0 : f32\n  %y = arith.constant 2.0 : f32\n  "
        + "%z = arith.constant 1.0 : f32\n  %dead = arith.constant 3.0 : f32\n  "
        + "\n  ".join(f"hivm.hir.vbrc ins(%{n} : f32) outs(%a : {UB})" for n in "xyz")
    )
    found = run_passes(_kernel(body), HivmPlanMemoryPass())
    assert _constants(found) == ["%y", "%x", "%c0_i64"]
    assert found.count("ins(%x : f32)") == 2


def test_buffers_of_several_copies_stand_at_the_front_of_the_loop(run_passes) -> None:
    mark = "annotation.mark %{} {{hivm.multi_buffer = 2 : i32}} : " + UB + "\n  "
    tiles = [_tile(name).replace("\n", "\n  " + mark.format(name), 1) for name in "ab"]
    body = (
        "%i0 = arith.constant 0 : i32\n  %i1 = arith.constant 1 : i32\n  "
        "scf.for %i = %i0 to %i1 step %i1 : i32 {\n  " + "".join(tiles) + "}"
    )
    found = run_passes(_kernel(body), HivmPlanMemoryPass())
    inside = found.partition("scf.for")[2].splitlines()[1:5]
    assert [line.split()[0] for line in inside] == [
        "%b",
        "annotation.mark",
        "%a",
        "annotation.mark",
    ]
