"""hivm-plan-memory: addresses, sharing, and the message of a memory that is too small."""

from __future__ import annotations

import re

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.dialects.text import from_text
from tlcourse.passes.npuir.hivm_plan_memory import HivmPlanMemoryPass

UB_BYTES = 196_608


def _type(rows: int, dtype: str = "f32", space: str = "ub") -> str:
    return f"memref<{rows}x64x{dtype}, #hivm.address_space<{space}>>"


def _alloc(name: str, rows: int, dtype: str = "f32", line: int = 1) -> str:
    return f'%{name} = memref.alloc() : {_type(rows, dtype)} loc("cell:1":{line}:5)\n'


def _op(op: str, *values: tuple[str, int], dtype: str = "f32", line: int = 1) -> str:
    *sources, (result, rows) = values
    names = ", ".join(f"%{name}" for name, _ in sources)
    kinds = ", ".join(_type(n, dtype) for _, n in sources)
    return (
        f"hivm.hir.{op} ins({names} : {kinds}) outs(%{result} : {_type(rows, dtype)}) "
        f'loc("cell:1":{line}:5)\n'
    )


FLAT = "memref<?xf32, #hivm.address_space<gm>>"


def _gm(name: str, rows: int) -> tuple[str, str]:
    """A view of the argument, and its type."""
    kind = f"memref<{rows}x64xf32, strided<[64, 1]>, #hivm.address_space<gm>>"
    view = (
        f"%{name} = memref.reinterpret_cast %g to offset: [0], sizes: [{rows}, 64], "
        f"strides: [64, 1] : {FLAT} to {kind}\n"
    )
    return view, kind


def _load(name: str, rows: int, line: int = 1) -> str:
    view, kind = _gm(f"{name}_in", rows)
    move = f"hivm.hir.load ins(%{name}_in : {kind}) outs(%{name} : {_type(rows)})"
    return f'{view}{move} loc("cell:1":{line}:5)\n'


def _store(name: str, rows: int, line: int = 1) -> str:
    view, kind = _gm(f"{name}_out", rows)
    move = f"hivm.hir.store ins(%{name} : {_type(rows)}) outs(%{name}_out : {kind})"
    return f'{view}{move} loc("cell:1":{line}:5)\n'


def _kernel(body: str) -> str:
    return f"""module {{
  func.func @k_mix_aiv(%g: {FLAT}) attributes {{hacc.function_kind = #hacc.function_kind<DEVICE>,
      hivm.func_core_type = #hivm.func_core_type<AIV>}} {{
    %z = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %n = arith.constant 4 : i32
    {body}
    return
  }}
}}"""


def _loop(body: str) -> str:
    return f"scf.for %i = %z to %n step %one : i32 {{\n{body}}}\n"


def _addresses(text: str) -> dict[str, list[int]]:
    """Names of planned buffers and their byte addresses."""
    constants = dict(re.findall(r"(%\w+) = arith.constant (\d+) : i64", text))
    found = re.findall(r"%(\w+) = hivm.hir.pointer_cast\(([^)]*)\)", text)
    return {name: [int(constants[a]) for a in inner.split(", ")] for name, inner in found}


def test_buffers_stand_in_a_row(run_passes) -> None:
    body = _alloc("a", 8) + _alloc("b", 8) + _load("a", 8) + _load("b", 8)
    body += _op("vadd", ("a", 8), ("b", 8), ("b", 8)) + _store("a", 8) + _store("b", 8)
    text = run_passes(_kernel(body), HivmPlanMemoryPass())
    assert _addresses(text) == {"a": [0], "b": [2048]}


def test_the_result_takes_the_place_of_a_source_that_dies(run_passes) -> None:
    body = _alloc("a", 8) + _alloc("b", 8) + _load("a", 8)
    body += _op("vexp", ("a", 8), ("b", 8)) + _store("b", 8)
    assert _addresses(run_passes(_kernel(body), HivmPlanMemoryPass())) == {"a": [0], "b": [0]}


def test_of_two_sources_the_one_that_arrived_last_gives_its_place(run_passes) -> None:
    body = "".join(_alloc(name, 8) for name in "abc") + _load("a", 8) + _load("b", 8)
    body += _op("vadd", ("a", 8), ("b", 8), ("c", 8)) + _store("c", 8)
    found = _addresses(run_passes(_kernel(body), HivmPlanMemoryPass()))
    assert found["c"] == found["b"] != found["a"]


def test_a_source_that_lives_on_keeps_its_place(run_passes) -> None:
    body = _alloc("a", 8) + _alloc("b", 8) + _load("a", 8)
    body += _op("vexp", ("a", 8), ("b", 8)) + _store("b", 8) + _store("a", 8)
    found = _addresses(run_passes(_kernel(body), HivmPlanMemoryPass()))
    assert found["a"] != found["b"]


def test_a_buffer_before_a_loop_lives_through_it(run_passes) -> None:
    loop = _loop(_load("a", 8) + _op("vexp", ("a", 8), ("b", 8)) + _store("b", 8))
    found = _addresses(
        run_passes(_kernel(_alloc("a", 8) + _alloc("b", 8) + loop), HivmPlanMemoryPass())
    )
    assert found["a"] != found["b"]


def test_a_loop_inside_an_if_counts_as_a_loop(run_passes) -> None:
    loop = _loop(_load("a", 8) + _op("vexp", ("a", 8), ("b", 8)) + _store("b", 8))
    branch = f"%t = arith.cmpi eq, %z, %n : i32\nscf.if %t {{\n{loop}}}"
    found = _addresses(
        run_passes(_kernel(_alloc("a", 8) + _alloc("b", 8) + branch), HivmPlanMemoryPass())
    )
    assert found["a"] != found["b"]


def test_a_while_counts_as_a_loop(run_passes) -> None:
    inside = _alloc("a", 8) + _load("a", 8) + _op("vexp", ("a", 8), ("b", 8))
    loop = f"""%r = scf.while (%x = %c) : (i1) -> i1 {{
      scf.condition(%x) %x : i1
    }} do {{
    ^bb0(%y: i1):
      {inside}
      scf.yield %y : i1
    }}
    """
    text = _kernel("%c = arith.constant true\n" + _alloc("b", 8) + loop + _store("b", 8))
    found = _addresses(run_passes(text, HivmPlanMemoryPass()))
    assert found["a"] != found["b"]


def test_a_buffer_inside_a_loop_dies_in_each_iteration(run_passes) -> None:
    loop = _loop(
        _alloc("a", 8)
        + _alloc("b", 8)
        + _load("a", 8)
        + _op("vexp", ("a", 8), ("b", 8))
        + _store("b", 8)
    )
    found = _addresses(run_passes(_kernel(loop), HivmPlanMemoryPass()))
    assert found["a"] == found["b"]


def _cast(source: str, result: str, kinds: tuple[str, str]) -> str:
    a, b = (_type(8, kind) for kind in kinds)
    return f"hivm.hir.vcast ins(%{source} : {a}) outs(%{result} : {b})\n"


@pytest.mark.parametrize(("kinds", "same"), [(("f32", "f16"), True), (("f16", "f32"), False)])
def test_only_a_narrowing_cast_works_in_place(
    run_passes, kinds: tuple[str, str], same: bool
) -> None:
    body = _alloc("a", 8, kinds[0]) + _alloc("b", 8, kinds[1])
    body += _op("vexp", ("a", 8), ("a", 8), dtype=kinds[0])
    body += _cast("a", "b", kinds) + _op("vexp", ("b", 8), ("b", 8), dtype=kinds[1])
    found = _addresses(run_passes(_kernel(body), HivmPlanMemoryPass()))
    assert (found["a"] == found["b"]) is same


def test_a_reduction_never_works_in_place(run_passes) -> None:
    one = "memref<1x64xf32, #hivm.address_space<ub>>"
    body = _alloc("a", 1) + f"%b = memref.alloc() : {one}\n" + _load("a", 1)
    body += f"hivm.hir.vreduce <sum> ins(%a : {one}) outs(%b : {one}) reduce_dims = [0]\n"
    body += _store("b", 1)
    found = _addresses(run_passes(_kernel(body), HivmPlanMemoryPass()))
    assert found["a"] != found["b"]


def test_marked_buffers_get_an_address_per_copy(run_passes) -> None:
    mark = f"annotation.mark %a {{hivm.multi_buffer = 2 : i32}} : {_type(8)}\n"
    body = _loop(_alloc("a", 8) + mark + _load("a", 8) + _store("a", 8))
    text = run_passes(_kernel(body), HivmPlanMemoryPass())
    assert _addresses(text) == {"a": [0, 2048]}
    assert "annotation.mark %a" in text


def test_copies_go_when_they_do_not_fit(run_passes) -> None:
    rows = UB_BYTES // 256 - 8
    mark = f"annotation.mark %a {{hivm.multi_buffer = 2 : i32}} : {_type(rows)}\n"
    body = _loop(_alloc("a", rows) + mark + _load("a", rows) + _store("a", rows))
    text = run_passes(_kernel(body), HivmPlanMemoryPass())
    assert _addresses(text) == {"a": [0]}
    assert "annotation.mark" not in text


def test_disjoint_lives_share_when_a_row_is_too_long(run_passes) -> None:
    rows = UB_BYTES // 256 // 2 + 8
    body = "".join(_alloc(name, rows) + _load(name, rows) + _store(name, rows) for name in "ab")
    assert _addresses(run_passes(_kernel(body), HivmPlanMemoryPass())) == {"a": [0], "b": [0]}


def test_the_memory_map_names_what_is_alive_at_once() -> None:
    rows = UB_BYTES // 256 // 2 + 8
    body = _alloc("A_ub", rows, line=2) + _alloc("B_ub", rows, line=3) + _alloc("small", 1, line=4)
    body += _load("small", 1, 5) + _store("small", 1, 6)
    body += _load("A_ub", rows, 7) + _load("B_ub", rows, 8)
    body += _op("vadd", ("A_ub", rows), ("B_ub", rows), ("A_ub", rows), line=9)
    body += _store("A_ub", rows, 10) + _store("B_ub", rows, 11)
    with pytest.raises(TLError) as caught:
        HivmPlanMemoryPass().apply(None, from_text(_kernel(body)))
    found = caught.value.diagnostic
    assert found.code == "TL301"
    assert found.what == (
        "The tiles of k need 200,704 B of UB, which holds 196,608 B on Ascend910B1"
    )
    assert found.why.splitlines() == [
        "these tiles are alive at the same time",
        "    MEMORY MAP UB, 196,608 B",
        "    A_ub  392 x 64 f32  100,352 B  lines 7-10",
        "    B_ub  392 x 64 f32  100,352 B  lines 8-11",
    ]
    assert "B_ub" in found.fix
    assert found.labels[0].span.line == 3


def test_a_size_known_at_run_time_only_is_an_error() -> None:
    kind = "memref<?x64xf32, #hivm.address_space<ub>>"
    body = f"%c = arith.constant 4 : index\n%a = memref.alloc(%c) : {kind}\n"
    body += f"hivm.hir.vexp ins(%a : {kind}) outs(%a : {kind})"
    with pytest.raises(TLError) as caught:
        HivmPlanMemoryPass().apply(None, from_text(_kernel(body)))
    assert caught.value.code == "TL304"


def test_planned_buffers_stay(run_passes) -> None:
    once = run_passes(_kernel(_alloc("a", 8) + _load("a", 8)), HivmPlanMemoryPass())
    assert run_passes(once, HivmPlanMemoryPass()) == once


@pytest.mark.bishengir
@pytest.mark.parametrize("in_loop", [False, True])
def test_the_peak_is_at_most_the_real_one(run_passes, real_passes, in_loop: bool) -> None:
    body = "".join(_alloc(name, 8) for name in "abcd") + _load("a", 8) + _load("b", 8)
    body += _op("vadd", ("a", 8), ("b", 8), ("c", 8)) + _op("vexp", ("c", 8), ("d", 8))
    body += _store("d", 8)
    text = _kernel(_loop(body) if in_loop else body)
    ours = _addresses(run_passes(text, HivmPlanMemoryPass()))
    real = _addresses(real_passes(text, "func.func(hivm-plan-memory)"))
    assert max(a for own in ours.values() for a in own) <= max(
        a for own in real.values() for a in own
    )
    assert ours
